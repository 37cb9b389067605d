// SPDX-License-Identifier: Apache-2.0
// What a dashboard must be like: the rules of Grafana's dashboard-linter, by its names, written anew, and
// some of our own. Each rule returns what is wrong, a sentence each.
import { expressions, panels } from './dashboards.mjs';
import { analyze, syntaxError } from './promql.mjs';

const DRAWN = ['stat', 'timeseries', 'gauge', 'bargauge', 'table', 'heatmap', 'state-timeline'];
const UNITS = /^(none|short|s|bytes|Bps|percentunit|ops|dateTimeAsIso|bool_on_off|suffix:.*)$/;
const PLUGIN = '${datasource}';

const variable = (dashboard, name) => dashboard.templating.list.find((v) => v.name === name);
const isOurs = (source) => source?.type === 'prometheus' && source?.uid === PLUGIN;

/** Calls check(panel, target, index) for each; yields its complaints with their place. */
function* ofTargets(dashboard, check) {
  for (const panel of panels(dashboard)) {
    for (const target of panel.targets ?? []) {
      for (const wrong of check(target, panel) ?? []) yield `"${panel.title}" ${target.refId}: ${wrong}`;
    }
  }
}

function* ofPanels(dashboard, check) {
  for (const panel of panels(dashboard)) {
    for (const wrong of check(panel) ?? []) yield `"${panel.title}": ${wrong}`;
  }
}

function* ofSelectors(dashboard, check) {
  for (const { place, raw, expr } of expressions(dashboard)) {
    if (place.startsWith('variable')) continue;
    for (const selector of analyze(expr).selectors) {
      const wrong = check(selector, raw);
      if (wrong) yield `${place}: ${wrong}`;
    }
  }
}

function* choosable(dashboard, name, label) {
  const found = variable(dashboard, name);
  if (!found) yield `no variable ${name}`;
  else {
    if (found.type !== 'query') yield `${name} is no query`;
    if (found.label !== label) yield `the label of ${name} is not ${label}`;
    if (!isOurs(found.datasource)) yield `${name} has another data source`;
    if (!found.multi || !found.includeAll || found.allValue !== '.+') yield `${name} cannot be All`;
  }
}

const matched = (name) => (selector) =>
  selector.matchers.some((m) => m.label === name && m.op === '=~' && m.value === '$' + name)
    ? undefined : `${selector.metric} is not restricted by ${name}=~"$${name}"`;

export const RULES = {
  'template-datasource': function* (d) {
    const found = variable(d, 'datasource');
    if (found?.type !== 'datasource' || found.query !== 'prometheus') yield 'no variable datasource of type prometheus';
    else if (found.label !== 'Data source') yield 'its label is not "Data source"';
  },
  'template-job': (d) => choosable(d, 'job', 'Job'),
  'template-instance': (d) => choosable(d, 'instance', 'Instance'),
  'template-label-promql': function* (d) {
    for (const { place, expr } of expressions(d)) {
      if (place.startsWith('variable') && (!expr || syntaxError(expr))) yield `${place} is no PromQL`;
    }
  },
  'template-on-time-change-reload': function* (d) {
    for (const v of d.templating.list) if (v.type === 'query' && v.refresh !== 2) yield `${v.name}: refresh is not 2`;
  },
  'panel-datasource': (d) => ofPanels(d, function* (panel) {
    if (!isOurs(panel.datasource)) yield 'another data source than ' + PLUGIN;
    for (const target of panel.targets ?? []) if (!isOurs(target.datasource)) yield `${target.refId} has another data source`;
  }),
  'panel-title-description': (d) => ofPanels(d, function* (panel) {
    if (!panel.title) yield 'no title';
    if (!panel.description) yield 'no description';
  }),
  'panel-units': (d) => ofPanels(d, function* (panel) {
    const { unit } = panel.fieldConfig.defaults;
    if (!UNITS.test(unit ?? '')) yield `unit ${unit}`;
  }),
  'panel-no-targets': (d) => ofPanels(d, function* (panel) {
    if (DRAWN.includes(panel.type) && !panel.targets?.length) yield 'no query';
  }),
  'target-logql': (d) => ofTargets(d, (target) => (/\|[=~]|\| *(json|logfmt)/.test(target.expr) ? ['LogQL'] : [])),
  'target-logql-auto': (d) => ofTargets(d, (target) => (/\$__auto\b/.test(target.expr) ? ['$__auto'] : [])),
  'target-promql': function* (d) {
    for (const { place, expr } of expressions(d)) {
      const wrong = expr && syntaxError(expr);
      if (wrong) yield `${place}: syntax error near "${wrong.near}"`;
    }
  },
  'target-rate-interval': function* (d) {
    for (const { place, raw } of expressions(d)) {
      for (const [, range] of raw.matchAll(/\bi?rate\((?:[^()[\]]|"[^"]*")*\[([^\]]*)\]/g)) {
        if (range !== '$__rate_interval') yield `${place}: rate over ${range}, not $__rate_interval`;
      }
    }
  },
  'target-job': (d) => ofSelectors(d, matched('job')),
  'target-instance': (d) => ofSelectors(d, matched('instance')),
  'target-counter-agg': (d) => ofSelectors(d, (selector) =>
    (selector.metric?.endsWith('_total') && !['rate', 'irate', 'increase'].includes(selector.functions[0])
      ? `${selector.metric} without rate, irate or increase` : undefined)),
  'uneditable-dashboard': function* (d) { if (d.editable !== false) yield 'editable'; },

  // Our own.
  'loads-from-10.2-on': function* (d) {
    if (d.id !== null) yield 'id is not null';
    if (!/^[a-z-]{8,40}$/.test(d.uid)) yield `uid ${d.uid}`;
    if (d.schemaVersion !== 39) yield `schemaVersion ${d.schemaVersion}`;
    if (d.__inputs || d.__requires) yield 'provisioning never fills __inputs';
    if (d.graphTooltip !== 1) yield 'no shared crosshair';
  },
  'target-server': function* (d) {
    for (const { place, expr } of expressions(d)) {
      if (place.startsWith('variable')) continue;
      for (const { metric, matchers } of analyze(expr).selectors) {
        if (/^(pgcheckpoint_(config|build)_|process_|scrape_)/.test(metric)) continue;
        const value = matchers.find((m) => m.label === 'target')?.value;
        if (value !== '$target' && value !== '$worst') yield `${place}: ${metric} of every target`;
      }
    }
  },
  'grid': function* (d) {
    const seen = new Set();
    const ids = new Set();
    for (const { id, title, gridPos: { x, y, w, h } } of d.panels) {
      if (!Number.isInteger(id) || ids.has(id)) yield `id of "${title}" is not its own`;
      ids.add(id);
      if (x < 0 || x + w > 24) yield `"${title}" is out of the grid`;
      for (let i = x; i < x + w; i++) {
        for (let j = y; j < y + h; j++) {
          if (seen.has(`${i},${j}`)) { yield `"${title}" overlaps another panel`; i = 24; break; }
          seen.add(`${i},${j}`);
        }
      }
    }
  },
  'helpful-description': (d) => ofPanels(d, function* (panel) {
    if ((panel.description ?? '').length < 60) yield 'the description is too short to say what to look for and what to do';
  }),
  'annotations': function* (d) {
    const ids = new Set(d.panels.map((panel) => panel.id));
    for (const mark of d.annotations.list) {
      if (!isOurs(mark.datasource)) yield `"${mark.name}" has another data source`;
      for (const id of mark.filter?.ids ?? []) if (!ids.has(id)) yield `"${mark.name}" names panel ${id}`;
      const times = /_timestamp_seconds/.test(mark.expr);
      if (times !== mark.useValueForTime) yield `"${mark.name}": useValueForTime does not fit`;
      if (times && !/\* 1000\b/.test(mark.expr)) yield `"${mark.name}": the time is not in milliseconds`;
      if (/last_start/.test(mark.expr) && !/\$__interval_ms/.test(mark.expr)) {
        yield `"${mark.name}": nothing keeps the lines from melting at coarse steps`;
      }
    }
  },
  'thresholds-begin-with-null': (d) => ofPanels(d, function* (panel) {
    if (panel.fieldConfig.defaults.thresholds?.steps[0]?.value !== null) yield 'the first threshold is not null';
  }),
};

/** Complaints of one rule, or of all: "rule: what". */
export function lint(dashboard, only = Object.keys(RULES)) {
  return only.flatMap((rule) => [...RULES[rule](dashboard)].map((wrong) => `${rule}: ${wrong}`));
}
