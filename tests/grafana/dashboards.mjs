// SPDX-License-Identifier: Apache-2.0
// The dashboards of grafana/dashboards and what they ask Prometheus.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fillMacros } from './promql.mjs';

export const ROOT = process.env.PGCHECKPOINT_SOURCE ?? new URL('../..', import.meta.url).pathname;

export function dashboards(folder = join(ROOT, 'grafana/dashboards')) {
  return readdirSync(folder).filter((name) => name.endsWith('.json')).sort().map((name) => ({
    file: name, ...JSON.parse(readFileSync(join(folder, name), 'utf8')),
  }));
}

/** Panels that draw something, those of collapsed rows included. */
export function panels(dashboard) {
  return dashboard.panels.flatMap((panel) => (panel.type === 'row' ? panel.panels ?? [] : [panel]));
}

/** The expression of label_values(expr, label) or query_result(expr); undefined for others. */
export function variableExpr(variable) {
  const text = variable.query?.query ?? '';
  return /^label_values\((.*),\s*\w+\)$/s.exec(text)?.[1] ?? /^query_result\((.*)\)$/s.exec(text)?.[1];
}

/** Every expression: {place, expr (macros filled in), raw, legend}. */
export function expressions(dashboard) {
  const found = [];
  const add = (place, raw, legend = '') => found.push({ place, raw, expr: fillMacros(raw), legend });
  for (const panel of panels(dashboard)) {
    for (const target of panel.targets ?? []) add(`"${panel.title}" ${target.refId}`, target.expr, target.legendFormat);
  }
  for (const mark of dashboard.annotations.list) {
    add(`annotation "${mark.name}"`, mark.expr, `${mark.titleFormat} ${mark.textFormat}`);
  }
  for (const variable of dashboard.templating.list) {
    if (variable.type === 'query') add(`variable ${variable.name}`, variableExpr(variable));
  }
  return found;
}
