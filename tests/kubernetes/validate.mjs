// SPDX-License-Identifier: Apache-2.0
// Validates every manifest of deploy/kubernetes against the schemas of Kubernetes and of the Prometheus
// Operator, without a cluster, and holds the pods to the hardening that docs promise.
// usage: node validate.mjs MANIFEST...
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { ConfigMap, Secret, Service, ServiceAccount } from 'kubernetes-models/v1';
import { Deployment, StatefulSet } from 'kubernetes-models/apps/v1';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodMonitor, PrometheusRule, ServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';

const MODELS = {
  ConfigMap, Secret, Service, ServiceAccount, Deployment, StatefulSet, NetworkPolicy, PodMonitor, PrometheusRule,
  ServiceMonitor,
};

// Each returns what is wrong, or nothing.
const HARDENING = [
  (pod) => pod.automountServiceAccountToken !== false && 'automountServiceAccountToken is not false',
  (pod) => pod.securityContext?.runAsNonRoot !== true && 'runAsNonRoot is not true',
  (pod) => pod.securityContext?.seccompProfile?.type !== 'RuntimeDefault' && 'seccompProfile is not RuntimeDefault',
  (pod, c) => (c.securityContext?.runAsUser ?? pod.securityContext?.runAsUser) !== 65532 && 'user is not 65532',
  (pod, c) => c.securityContext?.allowPrivilegeEscalation !== false && 'privilege escalation is allowed',
  (pod, c) => c.securityContext?.readOnlyRootFilesystem !== true && 'root file system is writable',
  (pod, c) => !c.securityContext?.capabilities?.drop?.includes('ALL') && 'capabilities are not dropped',
  (pod, c) => c.livenessProbe?.httpGet?.path !== '/-/healthy' && 'livenessProbe is not /-/healthy',
  (pod, c) => c.readinessProbe?.httpGet?.path !== '/-/ready' && 'readinessProbe is not /-/ready',
  (pod, c) => c.image !== 'pgcheckpoint_exporter:0.1.0' && 'image is not pgcheckpoint_exporter:0.1.0',
  (pod, c) => !c.ports?.some((p) => p.name === 'metrics' && p.containerPort === 10432) && 'no port metrics 10432',
  (pod, c) => !c.resources?.limits?.memory && 'no memory limit',
];

function problemsOf(object) {
  const Model = MODELS[object.kind];
  if (!Model) return [`no model for kind ${object.kind}`];
  try {
    new Model(object).validate();
  } catch (error) {
    return [error.message];
  }
  const pod = object.spec?.template?.spec;
  if (!pod) return [];
  const problems = [];
  const volumes = new Set([...(pod.volumes ?? []), ...(object.spec.volumeClaimTemplates ?? []).map((t) => t.metadata)]
    .map((volume) => volume.name));
  for (const container of pod.containers) {
    for (const mount of container.volumeMounts ?? []) {
      if (!volumes.has(mount.name)) problems.push(`${container.name}: no volume ${mount.name}`);
    }
  }
  const exporter = pod.containers.find((container) => container.name === 'exporter');
  if (!exporter) return [...problems, 'no container named exporter'];
  return problems.concat(HARDENING.map((rule) => rule(pod, exporter)).filter(Boolean));
}

// The check must be able to fail: each of these is wrong in one way.
const MUST_FAIL = [
  ['misspelt expr', { apiVersion: 'monitoring.coreos.com/v1', kind: 'PrometheusRule', metadata: { name: 'x' },
    spec: { groups: [{ name: 'g', rules: [{ record: 'a:b:c', exp: 'up' }] }] } }],
  ['string for a boolean', { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'x' },
    spec: { selector: { matchLabels: {} }, template: { spec: { containers: [
      { name: 'exporter', securityContext: { readOnlyRootFilesystem: 'true' } }] } } } }],
  ['not hardened', { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'x' },
    spec: { selector: { matchLabels: {} }, template: { spec: { containers: [{ name: 'exporter' }] } } } }],
  ['unknown kind', { apiVersion: 'v1', kind: 'Pot', metadata: { name: 'x' } }],
];

let passed = 0;
let failed = 0;
for (const [name, object] of MUST_FAIL) {
  if (problemsOf(object).length) {
    passed += 1;
  } else {
    failed += 1;
    console.error(`accepted although wrong: ${name}`);
  }
}
const files = process.argv.slice(2);
if (!files.length) {
  console.error('usage: node validate.mjs MANIFEST...');
  process.exit(2);
}
for (const file of files) {
  for (const document of parseAllDocuments(readFileSync(file, 'utf8'), { uniqueKeys: true })) {
    const object = document.toJS();
    const name = `${basename(file)} ${object?.kind} ${object?.metadata?.name}`;
    const problems = document.errors.length ? document.errors.map(String) : problemsOf(object);
    if (problems.length) failed += 1; else passed += 1;
    for (const problem of problems) console.error(`${name}: ${problem}`);
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
