import { MAX_NOTE_LENGTH } from '../../api/public/driver/driver-contract.js';
import { button, el, keepFocus } from './dom.js';
import { InspectionForm } from './inspection-form.js';
import { NextStep } from './next-step.js';
import { PaymentPart } from './payment-part.js';
import { PhotoTaker } from './photo-taker.js';
import type { StoredAction } from './sending/store.js';
import type { PageEvents, Paying, View } from './view.js';

const KIND_NAMES = {
  step: 'Step',
  complete: 'Completion',
  note: 'Note',
  inspection: 'Inspection',
  photo: 'Photo',
};

/**
 * The page of one work order. Its parts are created once and then updated, so that an update does
 * not erase a note that the driver is writing.
 */
export class DriverPage {
  readonly #main: HTMLElement;
  readonly #events: PageEvents;
  readonly #title = el('h1', { tabindex: '-1' });
  readonly #sender = el('p', { class: 'sender' });
  readonly #test = el('p', { class: 'test', hidden: true }, 'Test: this is not a real job');
  readonly #status = el('p', { class: 'status', role: 'status' });
  readonly #warning = el('p', { class: 'warning', hidden: true });
  readonly #facts = el('dl');
  readonly #refused = el('div');
  readonly #next: NextStep;
  readonly #payment: PaymentPart;
  readonly #photos: PhotoTaker;
  readonly #inspection: InspectionForm;
  readonly #content: HTMLElement[];
  readonly #shown = new Map<HTMLElement, string>();

  constructor(main: HTMLElement, events: PageEvents) {
    this.#main = main;
    this.#events = events;
    this.#next = new NextStep(events.take);
    this.#payment = new PaymentPart(events.pay);
    this.#photos = new PhotoTaker(events.take);
    this.#inspection = new InspectionForm(events.take);
    this.#content = [
      this.#test,
      this.#sender,
      this.#title,
      this.#status,
      this.#warning,
      this.#refused,
      this.#facts,
      this.#payment.element,
      this.#photos.element,
      this.#createNoteForm(),
      this.#inspection.element,
      this.#next.element,
    ];
  }

  show(view: View): void {
    keepFocus(this.#title, () => this.#update(view));
  }

  #update(view: View): void {
    const { state, stored } = view;
    if (!this.#title.isConnected) this.#main.replaceChildren(...this.#content);
    document.title = `${state.number} – ${state.company}`;
    this.#title.textContent = state.number;
    const crew = [`Truck ${state.truck}`, state.driver].filter(Boolean).join(', ');
    this.#sender.textContent = `${state.company} · ${crew}`;
    this.#test.hidden = !state.is_test;
    this.#warning.hidden = state.warning === null;
    this.#warning.textContent = state.warning ?? '';
    this.#replace(this.#facts, state.facts, ({ label, text, href }) =>
      el('div', {}, el('dt', {}, label), el('dd', {}, href ? el('a', { href }, text) : text)),
    );
    this.#next.update(view);
    this.#payment.update(view);
    this.#photos.update(view);
    this.#inspection.update(view);
    this.#showStatus(view);
    const refused = stored.filter((one) => one.refused !== null);
    this.#replace(this.#refused, refused, (one) => this.#createRefusal(one));
  }

  /** Replaces the children only if their data changed. A link among them may have the focus. */
  #replace<Item>(parent: HTMLElement, items: readonly Item[], render: (item: Item) => HTMLElement): void {
    const data = JSON.stringify(items);
    if (this.#shown.get(parent) === data) return;
    this.#shown.set(parent, data);
    parent.replaceChildren(...items.map(render));
  }

  /** @param lost number of actions that were never sent and are now lost */
  showEnd(lost: number): void {
    document.title = 'This job has ended';
    const things = lost === 1 ? '1 entry was not sent' : `${lost} entries were not sent`;
    const title = el('h1', { tabindex: '-1' }, 'This job has ended');
    keepFocus(title, () =>
      this.#main.replaceChildren(
        title,
        el('p', { role: 'status' }, 'It is completed, cancelled, or given to another driver.'),
        lost > 0 ? el('p', { class: 'warning' }, `${things}. Call your dispatcher.`) : '',
        el('p', {}, 'Nothing about the job is left on this phone.'),
      ),
    );
  }

  /**
   * On the page of an ended link, shows the progress of a payment that continues without the link.
   */
  showPayment({ payment }: Paying): void {
    if (!payment) return;
    this.#payment.showEnded(payment);
    if (!this.#payment.element.isConnected) this.#main.append(this.#payment.element);
  }

  /** Shows that the phone has no data of the work order. */
  showUnknown(isOnline: boolean): void {
    const text = isOnline ? 'Loading the job …' : 'No network. Open this page again when there is one.';
    this.#main.replaceChildren(el('h1', {}, 'Your job'), el('p', { role: 'status' }, text));
  }

  #showStatus({ stored, isOnline }: View): void {
    const waiting = stored.filter(({ refused }) => refused === null).length;
    const texts = [
      isOnline ? '' : 'No network.',
      waiting > 0 ? `${waiting} waiting to be sent` : '',
      isOnline && waiting === 0 ? 'Everything is sent' : '',
    ];
    const text = texts.filter(Boolean).join(' ');
    // Do not set an unchanged text, because screen readers would announce it again.
    if (this.#status.textContent !== text) this.#status.textContent = text;
    this.#status.dataset.state = isOnline ? (waiting > 0 ? 'waiting' : 'sent') : 'offline';
  }

  #createRefusal(stored: StoredAction): HTMLElement {
    const { action, refused } = stored;
    const name = KIND_NAMES[action.kind];
    return el(
      'section',
      { class: 'refusal', 'aria-label': `${name} not sent` },
      el('p', {}, el('strong', {}, `${name} not sent: `), refused ?? ''),
      button('Try again', () => void this.#events.retry(stored)),
      button('Remove', () => void this.#events.discard(stored)),
    );
  }

  #createNoteForm(): HTMLElement {
    const text = el('textarea', { id: 'note', rows: '3', maxlength: `${MAX_NOTE_LENGTH}` });
    const add = button('Add note', () => {
      const note = text.value.trim();
      if (note === '') return text.focus();
      text.value = '';
      void this.#events.take({ kind: 'note', text: note });
    });
    return el('section', {}, el('h2', {}, el('label', { for: 'note' }, 'Note')), text, add);
  }
}
