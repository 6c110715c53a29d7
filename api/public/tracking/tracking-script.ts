/**
 * The script of the tracking page. It repeatedly requests the state, and writes the texts into the
 * elements that the server has rendered. While the page shows where the truck is, it asks so often
 * that a new position is there within two seconds, also through the server's cache. Only one
 * request runs at a time, and a hidden page sends none. After an error, the pauses double up to
 * four minutes. Every pause varies by a fifth, so that pages that opened together do not keep
 * sending their requests together.
 */
export const TRACKING_SCRIPT = `'use strict';
(() => {
  const PAUSE_MS = 15000;
  const MOVING_PAUSE_MS = 1400;
  const MAX_PAUSE_MS = 240000;
  const TIMEOUT_MS = 10000;
  const main = document.querySelector('main');
  const find = (name) => main.querySelector('[data-part=' + name + ']');
  let hasEnded = main.dataset.ended === 'true';
  let isReading = false;
  let failures = 0;
  let readAt = Date.now();
  let pause = findPause();
  let timer;

  // The plan shows only a truck that reports its position.
  function findPause() {
    return find('plan').hasAttribute('hidden') ? PAUSE_MS : MOVING_PAUSE_MS;
  }

  function write(element, text) {
    // Do not write an unchanged text, because a screen reader would read it aloud again.
    if (element.textContent !== (text || '')) element.textContent = text;
    element.toggleAttribute('hidden', text === null);
  }

  function show({ state, has_ended, texts, estimate, steps, plan }) {
    hasEnded = has_ended;
    main.dataset.state = state;
    for (const [name, text] of Object.entries(texts)) write(find(name), text);
    // An earlier release, which may still answer during a deployment, sends no estimate.
    write(find('estimate'), estimate || null);
    find('steps').toggleAttribute('hidden', steps.every(({ mark }) => mark === 'left_out'));
    [...find('steps').children].forEach((item, index) => {
      const { mark, word } = steps[index];
      item.dataset.mark = mark;
      if (mark === 'current') item.setAttribute('aria-current', 'step');
      else item.removeAttribute('aria-current');
      write(item.lastElementChild, word);
    });
    find('plan').toggleAttribute('hidden', plan === null);
    if (plan) {
      find('plan-truck').setAttribute('transform', 'translate(' + plan.x + ' ' + plan.y + ')');
      find('plan-way').setAttribute('x2', plan.x);
      find('plan-way').setAttribute('y2', plan.y);
    }
  }

  function showLost(isLost) {
    find('lost').toggleAttribute('hidden', !isLost);
    // Without new data, the countdown to the truck's arrival would soon be wrong, so hide it. An
    // estimate is wrong once its position is old.
    if (isLost) for (const name of ['eta_in', 'estimate']) find(name).toggleAttribute('hidden', true);
  }

  async function read() {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(location.pathname + '/state', { cache: 'no-store', credentials: 'omit', signal });
    // The link has ended. Load the page again: the server then explains why.
    if (response.status === 404 || response.status === 410) location.reload();
    if (!response.ok) throw new Error('status ' + response.status);
    return response.json();
  }

  async function poll() {
    clearTimeout(timer);
    if (isReading || hasEnded || document.hidden) return;
    isReading = true;
    readAt = Date.now();
    try {
      show(await read());
      failures = 0;
    } catch {
      failures += 1;
    }
    isReading = false;
    showLost(failures > 0);
    pause = failures > 0 ? Math.min(PAUSE_MS * 2 ** failures, MAX_PAUSE_MS) : findPause();
    schedule(pause * (0.8 + 0.4 * Math.random()));
  }

  function schedule(inMs) {
    clearTimeout(timer);
    if (!hasEnded && !document.hidden) timer = setTimeout(poll, inMs);
  }

  // Frequent switching between browser tabs does not cause more requests.
  document.addEventListener('visibilitychange', () => schedule(readAt + pause - Date.now()));
  addEventListener('online', poll);
  addEventListener('offline', () => showLost(!hasEnded));
  schedule(pause);
})();
`;
