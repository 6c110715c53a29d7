import type { DriverState, PaymentTap, ReaderPayment } from '../../../api/public/driver/driver-contract.js';
import { newId } from './new-id.js';
import type { Server } from './server.js';

/** Interval at which the page reads a payment that has not ended. */
const LOOK_EVERY_MS = 3000;

const NO_ANSWER =
  'No answer. It may have worked all the same: look at the reader. You can tap again, nothing happens twice.';

/** A tap without its id. */
export type NewTap = PaymentTap extends infer Tap ? (Tap extends unknown ? Omit<Tap, 'id'> : never) : never;

export interface CashierEvents {
  onChange: () => void;
  onState: (state: DriverState) => void;
  /**
   * Called when the page must read the state, which may have changed. The link may also have ended.
   */
  mustRead: () => void;
}

const isOpen = ({ status }: ReaderPayment): boolean => status === 'waiting' || status === 'processing';

/**
 * Sends the taps that concern payments, and follows a payment until it has ended. Taps are never
 * stored for later, because a late payment could start after the customer has left.
 */
export class Cashier {
  /** The payment that the page shows. */
  payment: ReaderPayment | undefined;
  /** The reason why the last tap failed or may have failed. */
  fault: string | undefined;
  isBusy = false;
  /**
   * The last tap without an answer. If the driver repeats this tap, the page sends the same id, so
   * that the tap acts once.
   */
  #unanswered: { id: string; tap: string } | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly server: Server,
    private readonly events: CashierEvents,
  ) {}

  async tap(tap: NewTap): Promise<void> {
    if (this.isBusy) return;
    const text = JSON.stringify(tap);
    const id = this.#unanswered?.tap === text ? this.#unanswered.id : newId();
    this.#unanswered = { id, tap: text };
    this.isBusy = true;
    this.fault = undefined;
    this.events.onChange();
    const answer = await this.server.pay({ ...tap, id } as PaymentTap);
    this.isBusy = false;
    if (answer.kind === 'later') this.fault = NO_ANSWER;
    else this.#unanswered = undefined;
    if (answer.kind === 'refused') this.fault = answer.reason;
    if (answer.kind === 'ok' && answer.state) this.events.onState(answer.state);
    else this.events.mustRead();
    this.events.onChange();
  }

  /**
   * Takes over the payment of a new state. If the state has none, continues to follow an open
   * payment.
   */
  receive({ payments }: DriverState): void {
    // The phone may have stored this state with an earlier version of the page, which had no
    // payments.
    const current = payments?.current;
    // The unanswered tap has started this payment, so the next tap must start another payment.
    if (current && current.id !== this.payment?.id) this.#unanswered = undefined;
    this.payment = current ?? this.#openPayment;
    if (this.#openPayment) this.fault = undefined;
    this.#lookLater();
  }

  /** Forgets everything except a payment that has not ended. */
  forget(): void {
    this.payment = this.#openPayment;
    this.fault = undefined;
  }

  get #openPayment(): ReaderPayment | undefined {
    return this.payment && isOpen(this.payment) ? this.payment : undefined;
  }

  #lookLater(): void {
    clearTimeout(this.#timer);
    if (this.payment && isOpen(this.payment))
      this.#timer = setTimeout(() => void this.#look(), LOOK_EVERY_MS);
  }

  async #look(): Promise<void> {
    const { id } = this.payment as ReaderPayment;
    const seen = await this.server.readPayment(id);
    // Ignore the response if another payment has started meanwhile.
    if (seen && this.payment?.id === id) this.payment = seen;
    if (seen && !isOpen(seen)) this.events.mustRead();
    this.events.onChange();
    this.#lookLater();
  }
}
