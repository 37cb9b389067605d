// SPDX-License-Identifier: Apache-2.0
// Holds PromQL to what the exporter exposes: names, types and labels as `--describe=json` tells them.
import { analyze, syntaxError } from './promql.mjs';

// Prometheus' own series, with the labels every scraped series has.
const BUILT_IN = { up: 'gauge', scrape_duration_seconds: 'gauge', ALERTS: 'gauge' };
const SCRAPED = ['job', 'instance'];
const OF_COUNTERS = ['rate', 'irate', 'increase', 'resets'];
const OF_GAUGES = [
  'deriv', 'delta', 'idelta', 'predict_linear', 'avg_over_time', 'min_over_time', 'max_over_time', 'quantile_over_time',
];
const OF_BOTH = ['changes', 'last_over_time', 'absent_over_time', 'present_over_time', 'count_over_time', 'absent', 'timestamp'];

export class Catalogue {
  /** described: the array of --describe=json. */
  constructor(described) {
    this.series = new Map();
    for (const { name, type, labels } of described) {
      if (type !== 'histogram') this.series.set(name, { type: type === 'counter' ? 'counter' : 'gauge', labels });
      else {
        this.series.set(name + '_bucket', { type: 'counter', labels: [...labels, 'le'] });
        for (const part of ['_sum', '_count']) this.series.set(name + part, { type: 'counter', labels });
      }
    }
    for (const [name, type] of Object.entries(BUILT_IN)) this.series.set(name, { type, labels: [] });
  }

  has(metric) { return this.series.has(metric); }

  /** What is wrong with an expression, a sentence each. Names with a colon are recorded elsewhere. */
  check(expr, legend = '') {
    const error = syntaxError(expr);
    if (error) return [`syntax error near "${error.near}"`];
    const { selectors, labels, made } = analyze(expr);
    const wrong = [];
    const known = new Set([...SCRAPED, ...made]);
    let recorded = false;
    for (const selector of selectors) {
      const { metric } = selector;
      if (metric?.includes(':')) { recorded = true; continue; }
      const series = this.series.get(metric);
      if (!series) { wrong.push(`${metric} does not exist`); continue; }
      for (const label of series.labels) known.add(label);
      for (const { label } of selector.matchers) {
        if (label !== '__name__' && ![...series.labels, ...SCRAPED].includes(label)) {
          wrong.push(`${metric} has no label ${label}`);
        }
      }
      wrong.push(...this.misuse(selector, series, selectors));
    }
    const named = [...labels, ...[...legend.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map((m) => m[1])];
    for (const label of recorded ? [] : named) {
      if (!known.has(label)) wrong.push(`no series here has the label ${label}`);
    }
    return wrong;
  }

  /** Functions that do not fit the type. */
  misuse({ metric, functions, offset }, { type }, selectors) {
    const [inner] = functions;
    if (type === 'gauge' && OF_COUNTERS.includes(inner)) return [`${inner}() of the gauge ${metric}`];
    if (type === 'gauge' || OF_COUNTERS.includes(inner) || OF_BOTH.includes(inner)) return [];
    if (OF_GAUGES.includes(inner)) return [`${inner}() of the counter ${metric}`];
    // x - x offset: the rise within one step.
    const twin = selectors.some((other) => other.metric === metric && other.offset !== offset);
    return twin ? [] : [`the counter ${metric} as it is: its rise is meant`];
  }
}
