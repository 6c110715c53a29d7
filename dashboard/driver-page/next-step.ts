import { MAX_MILES } from '../../api/public/driver/driver-contract.js';
import { button, el, isPaused, keepFocus, setPaused } from './dom.js';
import type { PageEvents, View } from './view.js';

const PAUSE_MS = 700;

/** The big button for the next step, and the list of the steps already taken. */
export class NextStep {
  readonly element = el('div', { class: 'next' });
  readonly #done = el('p', { class: 'done' });
  readonly #proposal = el('p', { id: 'proposal', hidden: true });
  readonly #button = button('', () => this.#press(), { class: 'big', 'aria-describedby': 'proposal' });
  readonly #miles = el('input', {
    id: 'miles',
    type: 'number',
    inputmode: 'decimal',
    min: '0',
    max: `${MAX_MILES}`,
    step: '0.1',
  });
  readonly #confirm: HTMLElement;
  readonly #take: PageEvents['take'];
  #step: string | undefined;

  constructor(take: PageEvents['take']) {
    this.#take = take;
    this.#confirm = el(
      'div',
      { class: 'confirm', hidden: true },
      el('label', { for: 'miles' }, 'Loaded miles (optional)'),
      this.#miles,
      el('p', {}, 'After this, you cannot change the job any more.'),
      button('Yes, complete the job', () => this.#complete(), { class: 'big' }),
      button('Not yet', () => this.#ask(false)),
    );
    this.#button.addEventListener('keydown', (event) => {
      // A key that is held down would take one step after the other.
      if (event.repeat) event.preventDefault();
    });
    this.element.append(this.#done, this.#proposal, this.#button, this.#confirm);
  }

  update({ state: { steps, taken, proposal }, stored, isOnline }: View): void {
    const waiting = stored
      .filter(({ refused }) => refused === null)
      .map(({ action }) => (action.kind === 'step' ? action.step : action.kind));
    const lastWaiting = steps.reduce((last, { id }, index) => (waiting.includes(id) ? index + 1 : last), 0);
    const position = Math.max(taken, lastWaiting);
    const next = steps[position];
    if (this.#step !== next?.id) this.#ask(false);
    this.#step = next?.id;
    this.#done.textContent = position === 0 ? 'Not started yet' : (steps[position - 1]?.done ?? '');
    this.#button.textContent = next?.action ?? '';
    this.#button.hidden = !next || !this.#confirm.hidden;
    // Without a network, the phone does not learn that the truck has left again.
    const isProposed = isOnline && next !== undefined && proposal?.step === next.id;
    this.#proposal.textContent = isProposed ? proposal.text : '';
    this.#proposal.hidden = !isProposed;
  }

  #press(): void {
    if (this.#step === undefined) return;
    if (isPaused(this.#button)) return;
    if (this.#step === 'complete') {
      this.#ask(true);
      return;
    }
    void this.#take({ kind: 'step', step: this.#step });
    // Ignore presses for a moment, so that a double tap does not take the following step too.
    setPaused(this.#button, true);
    setTimeout(() => setPaused(this.#button, false), PAUSE_MS);
  }

  #ask(isAsking: boolean): void {
    keepFocus(isAsking ? this.#miles : this.#button, () => {
      this.#confirm.hidden = !isAsking;
      this.#button.hidden = isAsking;
    });
    if (isAsking) this.#miles.focus();
  }

  #complete(): void {
    if (!this.#miles.reportValidity()) return;
    const miles = this.#miles.value === '' ? {} : { miles: Number(this.#miles.value) };
    this.#ask(false);
    void this.#take({ kind: 'complete', ...miles });
  }
}
