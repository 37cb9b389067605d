// SPDX-License-Identifier: Apache-2.0
// Keeps the page true: fetches it anew and puts what changed in its place. The server makes all the
// texts, once; a script here writes no markup.
'use strict';

(() => {
  const main = document.getElementById('main');
  const target = main.dataset.target ?? null;
  const connection = document.getElementById('connection');
  const filter = document.getElementById('filter');

  // --- Dressing up what the server wrote -------------------------------------------------------

  const sameDay = (a, b) => a.toDateString() === b.toDateString();
  const localise = (root) => {
    for (const time of root.querySelectorAll('time[datetime]')) {
      const date = new Date(time.dateTime);
      if (Number.isNaN(date.getTime())) continue;
      const clock = date.toLocaleTimeString([], {hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23'});
      time.title = time.textContent;
      time.textContent = sameDay(date, new Date()) ? clock : `${date.toLocaleDateString()} ${clock}`;
    }
  };

  const addCopyButtons = (root) => {
    if (!navigator.clipboard) return;
    for (const cure of root.querySelectorAll('.cure')) {
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'copy';
      button.textContent = 'Copy';
      button.setAttribute('aria-label', `Copy: ${cure.querySelector('code').textContent}`);
      cure.append(button);
    }
  };
  document.addEventListener('click', async (event) => {
    const button = event.target.closest?.('.copy');
    if (!button) return;
    try {
      await navigator.clipboard.writeText(button.parentElement.querySelector('code').textContent);
      button.textContent = 'Copied';
    } catch {
      button.textContent = 'Not allowed';
    }
    setTimeout(() => { button.textContent = 'Copy'; }, 2000);
  });

  const applyFilter = (body) => {
    if (!filter || !body) return;
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of body.rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      if (!row.hidden) shown++;
    }
    const count = words.length ? `${shown} of ${body.rows.length}` : '';
    const box = document.getElementById('filter-count');
    if (box.textContent !== count) box.textContent = count;
  };

  const dress = (root) => {
    localise(root);
    addCopyButtons(root);
  };

  // --- Putting news in place -------------------------------------------------------------------

  // Rows that did not change stay the same elements, with focus and selection.
  const replaceRows = (current, next) => {
    const old = new Map([...current.rows].map((row) => [row.dataset.key, row]));
    const focused = current.contains(document.activeElement) ? document.activeElement.closest('tr')?.dataset.key : null;
    const rows = [...next.rows].map((row) => {
      const known = old.get(row.dataset.key);
      return known?.isEqualNode(row) ? known : document.adoptNode(row);
    });
    // Moving a row would take its focus away: nothing is touched while all stand where they stood.
    if (rows.length === current.rows.length && rows.every((row, i) => row === current.rows[i])) return;
    current.replaceChildren(...rows);
    if (focused !== null && focused !== undefined && !current.contains(document.activeElement)) {
      rows.find((row) => row.dataset.key === focused)?.querySelector('a, button')?.focus();
    }
  };

  const selects = (element) => {
    const selection = getSelection();
    return selection && !selection.isCollapsed && selection.containsNode(element, true);
  };

  const replacePart = (current, next) => {
    if (current.isEqualNode(next) || selects(current)) return;
    const bodies = [current, next].map((part) => part.tagName === 'TBODY' ? part : part.querySelector('tbody'));
    if (bodies[0] && bodies[1] && bodies[0].querySelector('[data-key]')) {
      replaceRows(bodies[0], bodies[1]);
    } else {
      current.replaceChildren(...next.childNodes);
    }
    for (const name of Object.keys(next.dataset)) current.dataset[name] = next.dataset[name];
  };

  const replaceParts = (next) => {
    dress(next);
    for (const details of document.querySelectorAll('details[id][open]')) {
      next.getElementById(details.id)?.setAttribute('open', '');
    }
    applyFilter(next.getElementById('fleet'));
    for (const part of next.querySelectorAll('[data-live]')) {
      const current = document.getElementById(part.id);
      if (current) replacePart(current, part);
    }
  };

  // XMLHttpRequest parses a document without running or trusting any of it.
  const fetchPage = (signal) => new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('GET', location.search || './');
    request.responseType = 'document';
    request.timeout = 10000;
    signal.addEventListener('abort', () => request.abort());
    request.onload = () => {
      if (request.responseXML && (request.status === 200 || request.status === 404)) resolve(request.responseXML);
      else reject(new Error(`status ${request.status}`));
    };
    request.onerror = request.ontimeout = request.onabort = () => reject(new Error('no answer'));
    request.send();
  });

  // --- The loop --------------------------------------------------------------------------------

  let paused = false;
  let failures = 0;
  let lastGood = Date.now();
  let timer = 0;
  let running = null;

  const interval = () => {
    if (failures > 0) return Math.min(2000 * 2 ** (failures - 1), 30000);
    if (target !== null) return 2000;
    return document.querySelectorAll('#fleet tr').length > 200 ? 15000 : 5000;
  };

  const showConnection = () => {
    let text = '';
    if (paused) text = 'Paused';
    else if (failures > 0) {
      const age = Math.round((Date.now() - lastGood) / 1000);
      // In steps, so that a screen reader is not told every second.
      text = `No answer since ${age < 60 ? Math.max(Math.floor(age / 5) * 5, 1) + ' s' : Math.floor(age / 60) + ' min'}`;
    }
    if (connection.textContent !== text) connection.textContent = text;
    connection.classList.toggle('broken', failures > 0 && !paused);
    document.body.classList.toggle('stale', failures > 0 || paused);
  };

  const refresh = async () => {
    clearTimeout(timer);
    running?.abort();
    const controller = new AbortController();
    running = controller;
    try {
      replaceParts(await fetchPage(controller.signal));
      if (target !== null) {
        await Charts.load(controller.signal, document.getElementById('events')?.dataset.last);
      }
      failures = 0;
      lastGood = Date.now();
    } catch (error) {
      // Another one has taken over.
      if (controller.signal.aborted) return;
      failures++;
    }
    running = null;
    showConnection();
    if (!paused && !document.hidden) timer = setTimeout(refresh, interval());
  };

  document.addEventListener('visibilitychange', () => { if (!document.hidden && !paused) refresh(); });
  setInterval(showConnection, 1000);

  const pause = document.getElementById('pause');
  pause.hidden = false;
  pause.addEventListener('click', () => {
    paused = !paused;
    pause.setAttribute('aria-pressed', String(paused));
    showConnection();
    if (paused) { clearTimeout(timer); running?.abort(); running = null; } else refresh();
  });

  const theme = document.getElementById('theme');
  const showTheme = () => { theme.textContent = `Theme: ${Theme.choice}`; };
  theme.hidden = false;
  theme.addEventListener('click', () => { Theme.next(); showTheme(); });
  showTheme();

  if (filter) {
    document.getElementById('filter-box').hidden = false;
    filter.addEventListener('input', () => applyFilter(document.getElementById('fleet')));
    applyFilter(document.getElementById('fleet'));
  }

  // A name chosen from the list goes there at once; one that is typed waits for Enter.
  const switcher = document.getElementById('switcher');
  switcher?.addEventListener('input', (event) => {
    const chosen = !event.inputType || event.inputType === 'insertReplacementText';
    if (chosen && [...switcher.list.options].some((o) => o.value === switcher.value)) switcher.form.submit();
  });

  dress(document);
  if (target !== null) Charts.start(target, refresh);
  refresh();
})();
