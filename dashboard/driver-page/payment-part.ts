import type { Payments, ReaderPayment } from '../../api/public/driver/driver-contract.js';
import { button, el, isPaused, keepFocus, setPaused } from './dom.js';
import { drawQrCode } from './qr-code.js';
import type { PageEvents, View } from './view.js';

type Due = NonNullable<Payments['due']>;

/** Takes the payment for the work order on a card reader, or by a code that the customer scans. */
export class PaymentPart {
  readonly element = el('section', { hidden: true, 'aria-labelledby': 'payment' });
  readonly #title = el('h2', { id: 'payment', tabindex: '-1' }, 'Payment');
  readonly #due = el('p');
  readonly #result = el('p', { role: 'status' });
  readonly #pretend = el(
    'a',
    { target: '_blank', rel: 'noreferrer' },
    'Present a card to the pretend reader',
  );
  readonly #cancel = button('Cancel payment', () => isPaused(this.#cancel) || this.#press('cancel'));
  readonly #reader = el('select', { id: 'reader' });
  readonly #readerLabel = el('label', { for: 'reader' }, 'Card reader');
  readonly #noReader = el('p', {}, 'No card reader is online.');
  readonly #start = button('Ask for the card', () => this.#press('start'));
  readonly #link = button('Show a code to pay online', () => this.#press('pay_link'));
  readonly #code = el('div');
  readonly #offline = el(
    'p',
    { class: 'warning' },
    'A payment needs the network. It is never stored for later.',
  );
  readonly #fault = el('p', { class: 'warning', role: 'alert', hidden: true });
  readonly #pay: PageEvents['pay'];
  #payments: Payments | null = null;
  #payment: ReaderPayment | undefined;
  #readers = '';
  #url = '';

  constructor(pay: PageEvents['pay']) {
    this.#pay = pay;
    this.element.append(
      this.#title,
      this.#due,
      this.#result,
      this.#pretend,
      this.#cancel,
      this.#readerLabel,
      this.#reader,
      this.#noReader,
      this.#start,
      this.#link,
      this.#code,
      this.#offline,
      this.#fault,
    );
  }

  update(view: View): void {
    keepFocus(this.#title, () => this.#update(view));
  }

  #update({ state, isOnline, paying: { payment, fault, isBusy } }: View): void {
    // The phone may have stored this state with an earlier version of the page, which had no
    // payments.
    const payments = state.payments ?? null;
    this.#payments = payments;
    this.#payment = payment;
    const due = payments?.due ?? null;
    const isWaiting = payment !== undefined && isOpen(payment);
    const canStart = due !== null && !isWaiting;
    const readers = payments?.readers ?? [];
    this.element.hidden = due === null && !payment;
    show(this.#due, due && !isWaiting ? `${due.amount} is due on invoice ${due.invoice}.` : '');
    show(this.#result, payment ? describe(payment) : '');
    this.#showPretend(payment);
    this.#cancel.hidden = !isWaiting || payments === null;
    this.#showReaders(readers);
    this.#readerLabel.hidden = this.#reader.hidden = this.#start.hidden = !canStart || readers.length === 0;
    this.#noReader.hidden = !canStart || readers.length > 0;
    this.#link.hidden = !canStart || due.pay_url !== null;
    this.#showCode(canStart ? due : null);
    this.#offline.hidden = isOnline || (!canStart && !isWaiting);
    for (const one of [this.#start, this.#link, this.#cancel]) {
      one.disabled = !isOnline;
      setPaused(one, isBusy);
    }
    if (payment?.is_cancelling) setPaused(this.#cancel, true);
    show(this.#fault, fault ?? '');
  }

  /** On the page of an ended link, shows only the progress of the payment. */
  showEnded(payment: ReaderPayment): void {
    for (const part of this.element.querySelectorAll<HTMLElement>('p, a, button, select, label, div'))
      part.hidden = true;
    this.element.hidden = false;
    show(this.#result, describe(payment));
    this.#showPretend(payment);
  }

  #press(kind: 'start' | 'cancel' | 'pay_link'): void {
    const invoice = this.#payments?.due?.invoice;
    const reader_id = this.#reader.value;
    if (kind === 'cancel' && this.#payment) void this.#pay({ kind, payment_id: this.#payment.id });
    if (kind === 'pay_link' && invoice !== undefined) void this.#pay({ kind, invoice });
    if (kind === 'start' && invoice !== undefined && reader_id !== '')
      void this.#pay({ kind, invoice, reader_id });
    if (kind === 'start' && reader_id === '') this.#reader.focus();
  }

  #showPretend(payment: ReaderPayment | undefined): void {
    const url = payment && isOpen(payment) ? payment.pretend_url : null;
    this.#pretend.hidden = url === null;
    if (url !== null) this.#pretend.href = url;
  }

  /** Lists the readers, and keeps the driver's choice. If there is only one reader, chooses it. */
  #showReaders(readers: Payments['readers']): void {
    const listed = JSON.stringify(readers);
    if (listed === this.#readers) return;
    this.#readers = listed;
    const chosen = this.#reader.value;
    const options = readers.map(({ id, label }) => el('option', { value: id }, label));
    const choose = readers.length > 1 ? [el('option', { value: '' }, 'Choose a reader')] : [];
    this.#reader.replaceChildren(...choose, ...options);
    const isThere = readers.some(({ id }) => id === chosen);
    this.#reader.value = isThere ? chosen : readers.length === 1 ? (readers[0]?.id ?? '') : '';
  }

  #showCode(due: Due | null): void {
    const url = due?.pay_url ?? '';
    this.#code.hidden = url === '';
    if (url === this.#url) return;
    this.#url = url;
    this.#code.replaceChildren();
    if (url === '') return;
    this.#code.append(
      el('p', {}, 'The customer scans this code, and pays on the page that it opens.'),
      drawQrCode(url, 'Code of the page to pay online'),
      el('a', { href: url, target: '_blank', rel: 'noreferrer' }, 'Open the page to pay online'),
    );
  }
}

const isOpen = ({ status }: ReaderPayment): boolean => status === 'waiting' || status === 'processing';

function describe({ status, amount, reader, reason, is_cancelling }: ReaderPayment): string {
  if (is_cancelling && status === 'waiting') return `Cancelling ${amount} …`;
  if (status === 'waiting') return `Waiting for the card at ${reader}: ${amount}`;
  if (status === 'processing') return `The card was read. Waiting for the bank: ${amount}`;
  if (status === 'succeeded') return `${amount} was paid by card.`;
  return `Not paid: ${reason ?? `the payment was ${status}.`}`;
}

/**
 * Shows a text, or hides the element of an empty text. Does not set an unchanged text, because
 * screen readers would announce it again.
 */
function show(element: HTMLElement, text: string): void {
  element.hidden = text === '';
  if (element.textContent !== text) element.textContent = text;
}
