// SPDX-License-Identifier: Apache-2.0
// The dashboards by themselves: their rules, and that every rule finds what it is for.
import assert from 'node:assert/strict';
import test from 'node:test';
import { dashboards, panels } from './dashboards.mjs';
import { RULES, lint } from './lint.mjs';

for (const dashboard of dashboards()) {
  test(`${dashboard.file} keeps every rule`, () => assert.deepEqual(lint(dashboard), []));
}

test('the dashboards are three, with their own uids, and link to each other', () => {
  const all = dashboards();
  assert.deepEqual(all.map((d) => d.file), ['checkpoint-overview.json', 'exporter-health.json', 'fleet.json']);
  assert.equal(new Set(all.map((d) => d.uid)).size, 3);
  const uids = new Set(all.map((d) => d.uid));
  for (const dashboard of all) {
    for (const [, uid] of JSON.stringify(dashboard).matchAll(/"\/d\/([\w-]+)\?/g)) assert.ok(uids.has(uid), uid);
    assert.ok(dashboard.links.some((link) => link.type === 'dashboards'));
  }
});

// One fault a rule, made on a copy of a good dashboard.
const first = (d) => panels(d)[0];
const expr = (text) => (d) => { first(d).targets[0].expr = text; };
const named = (d, name) => d.templating.list.find((v) => v.name === name);
const S = 'job=~"$job",instance=~"$instance",target=~"$target"';
const FAULTS = [
  ['template-datasource', (d) => { named(d, 'datasource').label = 'DS'; }],
  ['template-datasource', (d) => { named(d, 'datasource').query = 'loki'; }],
  ['template-job', (d) => { named(d, 'job').multi = false; }],
  ['template-job', (d) => { named(d, 'job').allValue = '.*'; }],
  ['template-instance', (d) => { named(d, 'instance').name = 'host'; }],
  ['template-label-promql', (d) => { named(d, 'job').query.query = 'label_values(a{, job)'; }],
  ['template-on-time-change-reload', (d) => { named(d, 'job').refresh = 1; }],
  ['panel-datasource', (d) => { first(d).datasource = { type: 'prometheus', uid: 'abc' }; }],
  ['panel-datasource', (d) => { delete first(d).targets[0].datasource; }],
  ['panel-title-description', (d) => { first(d).title = ''; }],
  ['panel-title-description', (d) => { first(d).description = ''; }],
  ['panel-units', (d) => { first(d).fieldConfig.defaults.unit = 'bananas'; }],
  ['panel-units', (d) => { delete first(d).fieldConfig.defaults.unit; }],
  ['panel-no-targets', (d) => { first(d).targets = []; }],
  ['target-logql', expr('{job="x"} |= "error"')],
  ['target-logql-auto', expr('rate(a[$__auto])')],
  ['target-promql', expr(`sum by (x (pgcheckpoint_up{${S}})`)],
  ['target-rate-interval', expr(`rate(pgcheckpoint_pulses_total{${S}}[5m])`)],
  ['target-rate-interval', expr(`sum(irate(pgcheckpoint_pulses_total{${S}}[$__interval]))`)],
  ['target-job', expr('pgcheckpoint_up{instance=~"$instance",target=~"$target"}')],
  ['target-job', expr(`pgcheckpoint_up{${S}} + pgcheckpoint_up{job="$job",instance=~"$instance"}`)],
  ['target-instance', expr('pgcheckpoint_up{job=~"$job",target=~"$target"}')],
  ['target-counter-agg', expr(`pgcheckpoint_pulses_total{${S}}`)],
  ['target-counter-agg', expr(`max_over_time(pgcheckpoint_pulses_total{${S}}[1h])`)],
  ['uneditable-dashboard', (d) => { d.editable = true; }],
  ['loads-from-10.2-on', (d) => { d.schemaVersion = 42; }],
  ['loads-from-10.2-on', (d) => { d.id = 7; }],
  ['loads-from-10.2-on', (d) => { d.__inputs = []; }],
  ['loads-from-10.2-on', (d) => { d.uid = 'short'; }],
  ['loads-from-10.2-on', (d) => { d.graphTooltip = 0; }],
  ['target-server', expr('pgcheckpoint_up{job=~"$job",instance=~"$instance"}')],
  ['grid', (d) => { d.panels[1].gridPos.x = 23; }],
  ['grid', (d) => { d.panels[1].gridPos = { ...d.panels[0].gridPos }; }],
  ['grid', (d) => { d.panels[1].id = d.panels[0].id; }],
  ['helpful-description', (d) => { first(d).description = 'Shows the state.'; }],
  ['annotations', (d) => { d.annotations.list[0].useValueForTime = false; }],
  ['annotations', (d) => { d.annotations.list[0].filter.ids = [999]; }],
  ['annotations', (d) => { d.annotations.list[0].expr = d.annotations.list[0].expr.replace('* 1000', ''); }],
  ['annotations', (d) => { d.annotations.list[0].expr = d.annotations.list[0].expr.replaceAll('$__interval_ms', '1'); }],
  ['annotations', (d) => { d.annotations.list[0].datasource.uid = 'x'; }],
  ['thresholds-begin-with-null', (d) => { first(d).fieldConfig.defaults.thresholds.steps[0].value = 0; }],
];

for (const [number, [rule, spoil]] of FAULTS.entries()) {
  test(`${rule} finds its fault (${number})`, () => {
    const dashboard = structuredClone(dashboards()[0]);
    spoil(dashboard);
    assert.notDeepEqual(lint(dashboard, [rule]), []);
  });
}

test('every rule has a fault that it finds', () => {
  assert.deepEqual(Object.keys(RULES).filter((rule) => !FAULTS.some(([name]) => name === rule)), []);
});
