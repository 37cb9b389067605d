// SPDX-License-Identifier: Apache-2.0
// The choice of light or dark, made before the first paint. "auto" follows the system.
'use strict';

const Theme = (() => {
  const choices = ['auto', 'light', 'dark'];
  const key = 'pgcheckpoint.theme';
  let choice = 'auto';
  try {
    const kept = localStorage.getItem(key);
    if (choices.includes(kept)) choice = kept;
  } catch { /* Storage is switched off: the choice lasts as long as the page. */ }

  const apply = () => {
    document.getElementById('dark').media =
      {auto: '(prefers-color-scheme: dark)', light: 'not all', dark: 'all'}[choice];
    document.dispatchEvent(new Event('themechange'));
  };
  apply();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', apply);

  return {
    get choice() { return choice; },
    next() {
      choice = choices[(choices.indexOf(choice) + 1) % choices.length];
      try { localStorage.setItem(key, choice); } catch { /* as above */ }
      apply();
    },
  };
})();
