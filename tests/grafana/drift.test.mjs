// SPDX-License-Identifier: Apache-2.0
// Nothing that we ship asks for a metric or a label that the exporter does not have: dashboards, rules and
// documents against `--describe=json`.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { parse } from 'yaml';
import { Catalogue } from './catalogue.mjs';
import { ROOT, dashboards, expressions } from './dashboards.mjs';

const binary = process.env.PGCHECKPOINT_EXPORTER ?? join(ROOT, 'build/dev/pgcheckpoint_exporter');
const described = JSON.parse(execFileSync(binary, ['--describe=json'], { maxBuffer: 1 << 24 }));
const catalogue = new Catalogue(described);

const filesOf = (folder, ending) =>
  readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => join(folder, entry.name));
const read = (path) => readFileSync(join(ROOT, path), 'utf8');

for (const dashboard of dashboards()) {
  test(`${dashboard.file} asks for what exists`, () => {
    for (const { place, expr, legend } of expressions(dashboard)) {
      assert.deepEqual(catalogue.check(expr, legend), [], place);
    }
  });
}

// Alerts that mean a counter's own value: what was counted since the exporter began.
const SINCE_THE_BEGINNING = ['PgCheckpointLogBlind'];

for (const file of filesOf('deploy/prometheus/rules', '.yml')) {
  test(`${file} asks for what exists`, () => {
    for (const { rules } of parse(read(file)).groups) {
      for (const { record, alert, expr } of rules) {
        const wrong = catalogue.check(expr).filter(
          (what) => !(SINCE_THE_BEGINNING.includes(alert) && what.endsWith('its rise is meant')));
        assert.deepEqual(wrong, [], record ?? alert);
      }
    }
  });
}

const documents = [...filesOf('docs', '.md'), ...filesOf('deploy/prometheus', '.md'), ...filesOf('grafana', '.md')];
const ours = (name) => catalogue.has(name) || described.some((family) => family.name === name);

for (const file of documents) {
  test(`${file} names what exists`, () => {
    const text = read(file);
    for (const [, block] of text.matchAll(/```promql\n(.*?)```/gs)) {
      for (const line of block.split('\n').filter(Boolean)) {
        // An expression may go over several lines: then only its names are checked, below.
        const wrong = catalogue.check(line).filter((what) => !what.startsWith('syntax'));
        assert.deepEqual(wrong, [], line);
      }
    }
    // A name beside a colon is a recorded one, before / or - or . a path or a unit.
    for (const [, name] of text.matchAll(/(?<![\w:./-])(pgcheckpoint_[a-z0-9_]+)(?![\w:*/.-])/g)) {
      assert.ok(ours(name) || name === 'pgcheckpoint_exporter', `${name} does not exist`);
    }
  });
}

const WRONG = [
  ['pgcheckpoint_no_such_thing', 'does not exist'],
  ['pgcheckpoint_up{server="a"}', 'no label server'],
  ['rate(pgcheckpoint_in_progress[5m])', 'gauge'],
  ['increase(pgcheckpoint_last_start_timestamp_seconds[5m])', 'gauge'],
  ['max_over_time(pgcheckpoint_pulses_total[5m])', 'counter'],
  ['deriv(pgcheckpoint_wal_bytes_total[5m])', 'counter'],
  ['pgcheckpoint_pulses_total > 5', 'rise is meant'],
  ['pgcheckpoint_probe_latency_seconds_sum', 'rise is meant'],
  ['pgcheckpoint_probe_latency_seconds', 'does not exist'],
  ['sum by (reason) (pgcheckpoint_up)', 'label reason'],
  ['sum by (le) (rate(pgcheckpoint_probe_latency_seconds_sum[5m]))', 'label le'],
  ['sum(pgcheckpoint_up', 'syntax'],
];
for (const [expr, complaint] of WRONG) {
  test(`is refused: ${expr}`, () => assert.match(catalogue.check(expr).join('\n'), new RegExp(complaint)));
}

test('a legend that names a missing label is refused', () => {
  assert.deepEqual(catalogue.check('max(pgcheckpoint_up)', '{{reason}}'), ['no series here has the label reason']);
});

const RIGHT = [
  'pgcheckpoint_up{job="a",instance="b",target="c"} == 0',
  'sum by (le) (rate(pgcheckpoint_probe_latency_seconds_bucket{probe="query"}[5m]))',
  'sum(pgcheckpoint_event_duration_seconds_sum) - sum(pgcheckpoint_event_duration_seconds_sum offset 15s)',
  'max by (name) (label_replace(pgcheckpoint_fsync, "name", "fsync", "", ""))',
  'target:some_recorded:ratio{window="1h"}',
];
for (const expr of RIGHT) {
  test(`is accepted: ${expr}`, () => assert.deepEqual(catalogue.check(expr), []));
}
