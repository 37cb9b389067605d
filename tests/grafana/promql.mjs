// SPDX-License-Identifier: Apache-2.0
// What a PromQL expression asks for: its selectors, with the functions around them, and its labels.
import { parser } from '@prometheus-io/lezer-promql';

// Grafana's macros, with values that could be real.
const MACROS = {
  __rate_interval: '1m', __interval_ms: '15000', __interval: '15s', __range_s: '3600', __range: '1h',
};

export function fillMacros(expr, values = MACROS) {
  return Object.entries(values)
    .sort(([a], [b]) => b.length - a.length)
    .reduce((text, [name, value]) => text.replaceAll('$' + name, value), expr);
}

const unquote = (text) => text.slice(1, -1);

/** The first syntax error as {at, near}, or undefined. Macros must have been filled in. */
export function syntaxError(expr) {
  let found;
  parser.parse(expr).iterate({
    enter: (node) => {
      if (node.type.isError && !found) found = { at: node.from, near: expr.slice(node.from, node.from + 20) };
    },
  });
  return found;
}

/**
 * selectors: [{metric, matchers: [{label, op, value}], range, offset, functions}], functions from the
 * innermost outwards. labels: every label that by, without, on, ignoring or group_* names.
 * made: labels that label_replace and label_join write.
 */
export function analyze(expr) {
  const text = (node) => expr.slice(node.from, node.to);
  const selectors = [];
  const labels = [];
  const made = [];
  parser.parse(expr).iterate({
    enter: (ref) => {
      const { node } = ref;
      if (node.name === 'VectorSelector') selectors.push(selector(node, text, expr));
      if (node.name === 'GroupingLabels') {
        labels.push(...node.getChildren('LabelName').map(text));
      }
      if (node.name === 'FunctionCall') {
        const name = text(node.getChild('FunctionIdentifier'));
        if (name === 'label_replace' || name === 'label_join') {
          made.push(unquote(text(node.getChild('FunctionCallBody').getChildren('StringLiteral')[0])));
        }
      }
    },
  });
  return { selectors, labels, made };
}

function selector(node, text, expr) {
  const matchers = (node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? []).map(
    (matcher) => ({
      label: text(matcher.getChild('LabelName')),
      op: text(matcher.getChild('MatchOp')),
      value: unquote(text(matcher.getChild('StringLiteral'))),
    }),
  );
  const functions = [];
  for (let up = node.parent; up; up = up.parent) {
    const name = up.name === 'FunctionCall' && up.getChild('FunctionIdentifier');
    if (name) functions.push(text(name));
  }
  const identifier = node.getChild('Identifier');
  return {
    metric: identifier ? text(identifier) : matchers.find((m) => m.label === '__name__')?.value,
    matchers,
    range: node.parent?.name === 'MatrixSelector',
    // The grammar hangs an offset on more than the selector before it, unlike Prometheus.
    offset: /^\s*(\[[^\]]*\])?\s*offset\b/.test(expr.slice(node.to)),
    functions,
  };
}
