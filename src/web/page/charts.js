// SPDX-License-Identifier: Apache-2.0
// The three charts of a target, over one axis of time: latency, WAL since redo, pages written.
// Data: /api/v1/timeline and /api/v1/events.
'use strict';

const Charts = (() => {
  const KB = 1024;
  const powers = (base, from, to, steps) => {
    const list = [];
    for (let p = from; p <= to; p++) for (const s of steps) list.push(s * base ** p);
    return list;
  };
  const byteSteps = powers(KB, 0, 5, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]);

  const digits = (v) => v >= 99.95 ? v.toFixed(0) : v >= 9.995 ? v.toFixed(1) : v.toFixed(2);
  const trim = (text) => text.includes('.') ? text.replace(/\.?0+$/, '') : text;
  const bytes = (v) => {
    let unit = 0;
    while (Math.abs(v) >= 999.5 && unit < 5) { v /= KB; unit++; }
    return `${trim(digits(v))} ${['B', 'kB', 'MB', 'GB', 'TB', 'PB'][unit]}`;
  };
  const seconds = (v) => v === 0 ? '0' : v < 0.0009995 ? `${trim(digits(v * 1e6))} µs`
    : v < 0.9995 ? `${trim(digits(v * 1e3))} ms` : `${trim(digits(v))} s`;
  const clocks = [true, false].map((withSeconds) => new Intl.DateTimeFormat([], {
    hour: '2-digit', minute: '2-digit', second: withSeconds ? '2-digit' : undefined, hourCycle: 'h23'}));
  const clock = (t) => clocks[t % 60 === 0 ? 1 : 0].format(t * 1000);
  const rate = (v) => v >= 999.5 ? `${trim(digits(v / 1000))}k` : trim(digits(v));

  // TABLE: the charts and their series, each a column of the timeline. A dash or a fill sets lines
  // apart beside their colour.
  const charts = [
    {id: 'latency', format: seconds, scale: 'log', series: [
      {column: 'latency_max', label: 'slowest', colour: '--line-strong', width: 1.6, fill: '--line-strong-fill'},
      {column: 'latency_median', label: 'median', colour: '--line-soft', width: 1.2, dash: [5, 3]},
    ]},
    {id: 'wal', format: bytes, steps: byteSteps, series: [
      {column: 'wal_since_redo', label: 'written', colour: '--line-wal', width: 1.6, fill: '--line-wal-fill'},
      {column: 'forced_trigger', label: 'forced at', colour: '--band-wal', width: 1.2, dash: [6, 4]},
      {column: 'wal_rate', label: 'rate', hidden: true, format: (v) => `${bytes(v)}/s`},
    ]},
    {id: 'writes', format: rate, stacked: true, series: [
      {column: 'checkpointer_writes', label: 'checkpointer', colour: '--writer-checkpointer', width: 1.2, fill: '--writer-checkpointer-fill'},
      {column: 'bgwriter_writes', label: 'background writer', colour: '--writer-bgwriter', width: 1.2, dash: [6, 3], fill: '--writer-bgwriter-fill'},
      {column: 'backend_writes', label: 'backends', colour: '--writer-backend', width: 1.4, dash: [2, 2], fill: '--writer-backend-fill'},
    ]},
  ];
  // Points that a chart can show; finer ones would not be seen.
  const POINTS = 600;
  const columns = charts.flatMap((chart) => chart.series.map((s) => s.column)).concat('in_progress');

  let target = null;
  let range = 600;
  let logScale = false;
  let bands = [];
  let events = [];
  let data = null;        // {time: [...], COLUMN: [...]}
  let loaded = -Infinity;  // server time of the last load
  let skew = 0;           // server's clock less ours, seconds

  const empty = () => Object.fromEntries(['time', ...columns].map((name) => [name, []]));
  const serverNow = () => Date.now() / 1000 + skew;

  const getJson = async (path, parameters, signal) => {
    const query = new URLSearchParams({target, ...parameters});
    const response = await fetch(`api/v1/${path}?${query}`, {signal, cache: 'no-store'});
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    return response.json();
  };

  // Joins new samples to the old. The last ones may have been of an open step: they are replaced.
  const join = (old, answer, from) => {
    const joined = empty();
    const keep = old ? old.time.findIndex((t) => t >= answer.from) : 0;
    const count = old ? (keep < 0 ? old.time.length : keep) : 0;
    const first = old ? old.time.findIndex((t) => t >= from) : 0;
    const begin = first < 0 ? count : first;
    for (const name of Object.keys(joined)) {
      const fresh = name === 'time' ? answer.time : answer.series[name].values;
      joined[name] = (old ? old[name].slice(begin, count) : []).concat(fresh);
    }
    return joined;
  };

  // A line must not run through a time without samples: an empty sample breaks it.
  const withGaps = (whole) => {
    const broken = empty();
    const names = Object.keys(broken);
    const usual = Math.max(range / POINTS, 1);
    for (let i = 0; i < whole.time.length; i++) {
      const step = i > 0 ? whole.time[i] - whole.time[i - 1] : 0;
      const allowed = Math.max(4 * usual, whole.time[i] < serverNow() - 600 ? 40 : 4);
      if (step > allowed) {
        for (const name of names) broken[name].push(name === 'time' ? whole.time[i - 1] + step / 2 : null);
      }
      for (const name of names) broken[name].push(whole[name][i]);
    }
    return broken;
  };

  const stack = (lists) => {
    const sums = [];
    let below = null;
    for (const list of lists) {
      const sum = list.map((v, i) => {
        const base = below ? below[i] : 0;
        return v === null && base === null ? null : (v ?? 0) + (base ?? 0);
      });
      sums.push(sum);
      below = sum;
    }
    return sums;
  };

  const dataOf = (chart, shown) => {
    const drawn = chart.series.filter((s) => !s.hidden).map((s) => shown[s.column]);
    // The highest sum is drawn first, so that each lower one stands before it.
    return [shown.time, ...(chart.stacked ? stack(drawn).reverse() : drawn)];
  };

  // Events as bands, and what runs now from the samples: it is no event before it ends.
  const makeBands = () => {
    bands = [];
    for (const event of events) {
      const from = event.start ?? event.end;
      if (from === undefined) continue;
      bands.push({from, to: event.end ?? from, look: Bands.lookOf(event)});
    }
    if (data) {
      const {time, in_progress: running} = data;
      let i = time.length - 1;
      while (i >= 0 && running[i] > 0) i--;
      if (i < time.length - 1 && time.length > 0) {
        const last = bands.length ? bands[bands.length - 1].to : -Infinity;
        const from = Math.max(time[i + 1], last);
        if (serverNow() - from > 1) bands.push({from, to: serverNow(), look: 'running'});
      }
    }
    bands.sort((a, b) => a.from - b.from);
  };

  const showValues = (chart, index) => {
    const parts = chart.series.map((s) => {
      const v = chart.shown?.[s.column][index];
      const text = v === null || v === undefined ? '–' : (s.format ?? chart.format)(v);
      const part = document.createElement('span');
      part.className = 'value';
      const line = document.createElement('i');
      line.className = `key ${s.column}`;
      line.setAttribute('aria-hidden', 'true');
      part.append(...(s.hidden ? [] : [line]), `${s.label} `);
      const strong = document.createElement('b');
      strong.textContent = text;
      part.append(strong);
      return part;
    });
    chart.values.replaceChildren(...parts);
  };

  const axis = (extra) => ({
    stroke: () => Bands.css('--muted'),
    font: `12px ${Bands.css('--font')}`,
    grid: {stroke: () => Bands.css('--grid'), width: 1},
    ticks: {stroke: () => Bands.css('--grid'), width: 1, size: 4},
    ...extra,
  });

  // The range, or since the first thing that is known while that is less, but no less than a minute.
  const firstShown = () => {
    const now = serverNow();
    const band = bands.find((b) => b.to >= now - range);
    const first = Math.min(data?.time[0] ?? now, band?.from ?? now);
    return Math.max(now - range, Math.min(first, now - 60));
  };

  const options = (chart, box) => {
    const drawn = chart.series.filter((s) => !s.hidden);
    if (chart.stacked) drawn.reverse();
    const log = chart.scale === 'log' && logScale;
    return {
      width: box.clientWidth,
      height: box.clientHeight,
      legend: {show: false},
      padding: [6, 8, 0, 0],
      cursor: {sync: {key: 'checkpoints', setSeries: false}, points: {size: 5}, drag: {x: false, y: false}},
      scales: {
        x: {range: () => [firstShown(), serverNow()]},
        y: log ? {distr: 3, log: 10} : {range: (u, low, high) => [0, high > 0 ? high * 1.12 : 1]},
      },
      series: [{}, ...drawn.map((s) => ({
        label: s.label,
        stroke: () => Bands.css(s.colour),
        width: s.width,
        dash: s.dash,
        fill: s.fill && !log ? () => Bands.css(s.fill) : undefined,
        points: {show: false},
      }))],
      axes: [
        axis({space: 74, size: 28, values: (u, ticks) => ticks.map(clock)}),
        axis({size: 62, space: 30, incrs: chart.steps,
              values: (u, ticks) => ticks.map((v) => v === null ? '' : chart.format(v))}),
      ],
      hooks: {
        drawClear: [(u) => Bands.draw(u, bands, chart.id === 'latency')],
        setCursor: [(u) => showValues(chart, u.cursor.idx ?? (chart.shown?.time.length ?? 0) - 1)],
      },
    };
  };

  const build = (chart) => {
    const box = document.getElementById(`plot-${chart.id}`);
    chart.plot?.destroy();
    chart.plot = new uPlot(options(chart, box), dataOf(chart, chart.shown), box);
  };

  const render = () => {
    const any = data !== null && data.time.length > 0;
    document.getElementById('charts-empty').hidden = any;
    for (const chart of charts) {
      chart.figure.hidden = !any;
      if (!any) continue;
      chart.shown = withGaps(data);
      if (chart.plot) chart.plot.setData(dataOf(chart, chart.shown));
      else build(chart);
      showValues(chart, chart.plot.cursor.idx ?? chart.shown.time.length - 1);
    }
  };

  // How often a range changes visibly.
  const period = () => range <= 600 ? 2 : range / 240;

  const load = async (signal, lastEvent) => {
    if (serverNow() - loaded >= period() || data === null) {
      const now = serverNow();
      const grows = range <= 600 && data !== null && now - loaded < 60;
      const from = grows ? data.time[data.time.length - 1] - 2 : now - range - 1;
      const answer = await getJson('timeline',
        {from: Math.max(from || 0, 0).toFixed(3), to: (now + 60).toFixed(3), points: POINTS}, signal);
      const first = skew;
      skew = answer.server_now - Date.now() / 1000;
      // Asked by a clock that is not the server's: ask again by the right one.
      if (Math.abs(skew - first) > 30) { data = null; loaded = -Infinity; return load(signal, lastEvent); }
      data = join(grows ? data : null, answer, answer.server_now - range - 30);
      loaded = serverNow();
    }
    if (lastEvent !== load.lastEvent) {
      events = (await getJson('events', {limit: 2000}, signal)).events;
      load.lastEvent = lastEvent;
    }
    makeBands();
    render();
    return undefined;
  };

  const setRange = (seconds_) => {
    range = seconds_;
    data = null;
    for (const button of document.querySelectorAll('[data-range]')) {
      button.setAttribute('aria-pressed', String(Number(button.dataset.range) === range));
    }
  };

  const start = (name, changed) => {
    target = name;
    for (const chart of charts) {
      const box = document.getElementById(`plot-${chart.id}`);
      chart.figure = box.closest('figure');
      chart.values = chart.figure.querySelector('.values');
      new ResizeObserver(() => {
        if (chart.plot && box.clientWidth > 0) {
          chart.plot.setSize({width: box.clientWidth, height: box.clientHeight});
        }
      }).observe(box);
    }
    document.getElementById('chart-tools').hidden = false;
    Bands.legend(document.getElementById('bands-legend'));
    for (const button of document.querySelectorAll('[data-range]')) {
      button.addEventListener('click', () => { setRange(Number(button.dataset.range)); changed(); });
    }
    const scale = document.getElementById('scale');
    scale.addEventListener('click', () => {
      logScale = !logScale;
      scale.setAttribute('aria-pressed', String(logScale));
      for (const chart of charts) if (chart.plot && chart.scale === 'log') build(chart);
    });
    document.addEventListener('themechange', () => { for (const chart of charts) chart.plot?.redraw(false); });
  };

  // What the first chart shows, in its pixels: for tests.
  const drawn = () => {
    const {plot} = charts[0];
    const at = (time) => plot.valToPos(time, 'x');
    return {from: plot.scales.x.min, to: plot.scales.x.max, left: plot.bbox.left, width: at(plot.scales.x.max),
      bands: bands.map((band) => ({...band, left: at(band.from), right: at(band.to)}))};
  };

  return {start, load, drawn};
})();
