// SPDX-License-Identifier: Apache-2.0
// How checkpoints look in charts: a tint, a pattern and a word for each reason, never colour alone.
'use strict';

const Bands = (() => {
  // TABLE: in the order of the legend.
  const looks = {
    time: {label: 'timer', pattern: 'plain'},
    wal: {label: 'WAL volume', short: 'WAL', pattern: 'hatch'},
    request: {label: 'request', pattern: 'dots'},
    restart: {label: 'restart', pattern: 'bars'},
    failed: {label: 'failed', pattern: 'cross'},
    running: {label: 'running now', short: 'running', pattern: 'plain'},
  };

  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  // One tile of a pattern, drawn with strokes of the reason's colour.
  const strokes = {
    plain: () => {},
    hatch: (c, s) => { for (const d of [-s, 0, s]) { c.moveTo(d, s); c.lineTo(d + s, 0); } },
    dots: (c, s) => { c.moveTo(s / 2, s * 0.35); c.lineTo(s / 2, s * 0.65); },
    bars: (c, s) => { c.moveTo(s / 2, 0); c.lineTo(s / 2, s); },
    cross: (c, s) => { c.moveTo(0, 0); c.lineTo(s, s); c.moveTo(s, 0); c.lineTo(0, s); },
  };

  let tiles = {};
  const fillOf = (context, look, ratio) => {
    const id = look + ratio;
    if (!tiles[id]) {
      const size = 7 * ratio;
      const tile = document.createElement('canvas');
      tile.width = tile.height = size;
      const c = tile.getContext('2d');
      const colour = css(`--band-${look}`);
      c.fillStyle = colour;
      c.globalAlpha = 0.16;
      c.fillRect(0, 0, size, size);
      c.globalAlpha = 0.5;
      c.strokeStyle = colour;
      c.lineWidth = ratio * (looks[look].pattern === 'dots' ? 2 : 0.9);
      c.beginPath();
      strokes[looks[look].pattern](c, size);
      c.stroke();
      tiles[id] = context.createPattern(tile, 'repeat');
    }
    return tiles[id];
  };
  document.addEventListener('themechange', () => { tiles = {}; });

  const lookOf = (event) => event.failed ? 'failed' : looks[event.reason] ? event.reason : 'request';

  // Draws the bands behind the series, from `bands`: [{from, to, look}] in order of time.
  const draw = (u, bands, withLabels) => {
    const {ctx, bbox} = u;
    const ratio = devicePixelRatio || 1;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.font = `600 ${10.5 * ratio}px ${css('--font')}`;
    ctx.textBaseline = 'top';
    ctx.textAlign = 'left';
    bands.forEach((band, i) => {
      const left = u.valToPos(band.from, 'x', true);
      const right = Math.max(u.valToPos(band.to, 'x', true), left + 1.5 * ratio);
      if (right < bbox.left || left > bbox.left + bbox.width) return;
      ctx.fillStyle = fillOf(ctx, band.look, ratio);
      ctx.fillRect(left, bbox.top, right - left, bbox.height);
      ctx.fillStyle = css(`--band-${band.look}`);
      ctx.fillRect(left, bbox.top, ratio, bbox.height);
      if (!withLabels) return;
      // A word beside the start, where there is room for it before the next one.
      const word = looks[band.look].short ?? looks[band.look].label;
      const at = Math.max(left, bbox.left) + 4 * ratio;
      const next = bands[i + 1] ? u.valToPos(bands[i + 1].from, 'x', true) : Infinity;
      const end = at + ctx.measureText(word).width + 3 * ratio;
      if (end < Math.min(next, bbox.left + bbox.width)) ctx.fillText(word, at, bbox.top + 4 * ratio);
    });
    ctx.restore();
  };

  const legend = (list) => {
    const fill = () => list.replaceChildren(...Object.keys(looks).map((look) => {
      const swatch = document.createElement('canvas');
      swatch.width = 36;
      swatch.height = 24;
      swatch.className = 'swatch';
      swatch.setAttribute('aria-hidden', 'true');
      const c = swatch.getContext('2d');
      c.fillStyle = fillOf(c, look, 2);
      c.fillRect(0, 0, 36, 24);
      c.fillStyle = css(`--band-${look}`);
      c.fillRect(0, 0, 2, 24);
      const item = document.createElement('li');
      item.append(swatch, looks[look].label);
      return item;
    }));
    fill();
    document.addEventListener('themechange', fill);
  };

  return {css, draw, legend, lookOf};
})();
