// SPDX-License-Identifier: Apache-2.0
// Looks at the live page with the distribution's Chromium and prints what it saw as JSON; test_page.py
// judges. Usage: node page.mjs charts|plain|fleet URL [PICTURES]
import process from 'node:process';
import {chromium} from 'playwright-core';

const [look, url, pictures] = process.argv.slice(2);
const seen = {console: []};

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
    '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});

const open = async (options = {}) => {
  const context = await browser.newContext({viewport: {width: 1280, height: 1000}, colorScheme: 'light',
    timezoneId: 'Europe/Vienna', locale: 'en-GB', ...options});
  const page = await context.newPage();
  page.setDefaultTimeout(30000);
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) seen.console.push(message.text()); });
  page.on('pageerror', (error) => seen.console.push(`uncaught: ${error.message}`));
  page.on('response', (response) => { if (response.status() >= 400) seen.console.push(`${response.status()} ${response.url()}`); });
  await page.goto(url);
  return page;
};

// What the charts drew, and the colour of the first one in the middle of each band.
const drawn = () => {
  const canvas = document.querySelector('#plot-latency canvas');
  const {bands, left, width, from, to} = Charts.drawn();
  const y = Math.round(canvas.height * 0.3);
  const strip = canvas.getContext('2d').getImageData(0, y, canvas.width, 7).data;
  // The mean colour of 7 x 7 pixels around x, a whole tile of a pattern; the page shows through alpha.
  const tint = (x) => {
    const sums = [0, 0, 0, 0];
    for (let row = 0; row < 7; row++) {
      for (let column = -3; column <= 3; column++) {
        const at = 4 * (row * canvas.width + Math.round(left + x) + column);
        for (let c = 0; c < 4; c++) sums[c] += strip[at + c] / 49;
      }
    }
    return sums.map(Math.round);
  };
  return {from, to, width, bands: bands.map((b) => ({...b, tint: tint((b.left + b.right) / 2)}))};
};
const overflow = () => document.documentElement.scrollWidth - innerWidth;

const looks = {
  async charts() {
    const page = await open();
    await page.waitForFunction(() => document.querySelector('#plot-latency canvas') && Charts.drawn().bands.length > 0);
    seen.drawn = await page.evaluate(drawn);
    seen.canvases = await page.locator('.plot canvas').count();
    seen.values = await page.locator('.values').allTextContents();
    seen.phase = await page.locator('#phase').textContent();
    seen.story = await page.locator('#story').textContent();
    seen.time = await page.locator('#events time').first().textContent();
    await page.screenshot({path: `${pictures}/page-light.png`, fullPage: true});

    // One cursor for the three charts.
    await page.locator('#plot-wal .u-over').hover();
    seen.cursors = await page.locator('.u-cursor-x').evaluateAll((lines) => lines.map((l) => l.style.transform));

    // The table goes on by itself: a checkpoint appears, rows that were there stay the same elements.
    const first = await page.locator('#events tbody tr').first().getAttribute('data-key');
    await page.evaluate((key) => { document.querySelector(`#events tr[data-key="${key}"]`).kept = true; }, first);
    await page.waitForFunction((key) => Number(document.querySelector('#events tbody tr').dataset.key) > Number(key), first, {timeout: 90000});
    seen.keptRows = await page.evaluate((key) => document.querySelector(`#events tr[data-key="${key}"]`).kept === true, first);

    seen.pressed = [];
    for (const range of [3600, 21600, 600]) {
      await page.click(`[data-range="${range}"]`);
      // As long as the range, or as what is known while that is less.
      await page.waitForFunction((r) => Charts.drawn().to - Charts.drawn().from <= r + 1, range);
      seen.pressed.push(await page.locator('.ranges [aria-pressed="true"]').allTextContents());
    }
    await page.click('#scale');
    seen.logPressed = await page.getAttribute('#scale', 'aria-pressed');
    await page.click('#scale');

    await page.click('#pause');
    seen.paused = await page.locator('#connection').textContent();
    await page.click('#pause');

    const themes = [];
    for (let i = 0; i < 3; i++) {
      await page.click('#theme');
      themes.push([await page.locator('#theme').textContent(), await page.evaluate(() => getComputedStyle(document.body).backgroundColor)]);
    }
    seen.themes = themes;

    // Every control is reached with the keyboard, and shows that it is.
    await page.evaluate(() => document.activeElement.blur());
    seen.tabs = [];
    for (let i = 0; i < 12; i++) {
      await page.keyboard.press('Tab');
      seen.tabs.push(await page.evaluate(() => ({id: document.activeElement.id || document.activeElement.className || document.activeElement.textContent, outline: getComputedStyle(document.activeElement).outlineStyle})));
    }

    const dark = await open({colorScheme: 'dark'});
    await dark.waitForFunction(() => document.querySelector('#plot-latency canvas') && Charts.drawn().bands.length > 0);
    await dark.screenshot({path: `${pictures}/page-dark.png`, fullPage: true});
    const phone = await open({viewport: {width: 360, height: 800}});
    await phone.waitForSelector('#plot-latency canvas');
    await phone.screenshot({path: `${pictures}/page-phone.png`, fullPage: true});
    seen.phoneOverflow = await phone.evaluate(overflow);

    // Losing the server is told quietly, and getting it back too. Its console messages are expected.
    const told = seen.console.length;
    await page.context().setOffline(true);
    await page.waitForFunction(() => document.getElementById('connection').textContent.startsWith('No answer since'));
    seen.offline = await page.locator('#connection').textContent();
    await page.context().setOffline(false);
    await page.waitForFunction(() => document.getElementById('connection').textContent === '');
    seen.offlineMessages = seen.console.splice(told).filter((text) => !text.includes('ERR_INTERNET_DISCONNECTED'));
  },

  async plain() {
    const page = await open({javaScriptEnabled: false});
    seen.rows = await page.locator('#events tbody tr').count();
    seen.header = await page.locator('#events thead th').allTextContents();
    seen.time = await page.locator('#events time').first().textContent();
    seen.noscript = await page.locator('noscript').isVisible();
    seen.buttons = await page.locator('button:visible').count();
    await page.screenshot({path: `${pictures}/page-plain.png`, fullPage: true});
  },

  async fleet() {
    const page = await open();
    await page.waitForSelector('#filter');
    seen.rows = await page.locator('#fleet tr').count();
    seen.first = await page.locator('#fleet tr th').first().textContent();
    await page.screenshot({path: `${pictures}/fleet-light.png`});
    await page.fill('#filter', 'db-0042');
    seen.filtered = await page.locator('#fleet tr:visible').allTextContents();
    seen.count = await page.locator('#filter-count').textContent();
    // A refresh keeps the filter.
    await page.waitForResponse((response) => response.request().resourceType() === 'xhr');
    await page.waitForFunction(() => [...document.querySelectorAll('#fleet tr')].filter((row) => !row.hidden).length === 1);
    await page.fill('#switcher', 'db-0042');
    await page.press('#switcher', 'Enter');
    await page.waitForSelector('main.target');
    seen.title = await page.locator('h1').textContent();
    seen.address = page.url();
    const phone = await open({viewport: {width: 360, height: 800}});
    seen.phoneOverflow = await phone.evaluate(overflow);
  },
};

try {
  await looks[look]();
  console.log(JSON.stringify(seen));
} finally {
  await browser.close();
}
