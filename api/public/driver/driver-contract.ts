/*
 * The types that the server and the driver's page (dashboard/driver-page/) exchange. This file
 * imports nothing, so that the page can import it.
 */

/** Maximum number of characters of one note. */
export const MAX_NOTE_LENGTH = 1000;
/** Maximum number of loaded miles. */
export const MAX_MILES = 10_000;

/** A fact about the work order. `href` opens a map or calls a number. */
export interface Fact {
  label: string;
  text: string;
  href: string | null;
}

/** One step of the driver's work. */
export interface PlannedStep {
  id: string;
  /** The text of the button. */
  action: string;
  /** The text after the driver has taken the step. */
  done: string;
}

/**
 * A payment on a card reader. `/d/{token}/payments/{id}` returns it as JSON, also after the link
 * has ended, so that the driver sees how the payment ends.
 */
export interface ReaderPayment {
  id: string;
  invoice: string;
  reader: string;
  /** With its currency, such as `$90.00`. */
  amount: string;
  status: 'waiting' | 'processing' | 'succeeded' | 'failed' | 'cancelled';
  /** Why the payment failed or was cancelled, in a sentence. */
  reason: string | null;
  is_cancelling: boolean;
  /**
   * The page where a person pretends to present a card. Null unless a sandbox simulates the
   * payment.
   */
  pretend_url: string | null;
}

/**
 * What the customer owes for the work order, and the ways in which the driver can take the payment.
 */
export interface Payments {
  /** The invoice that can be paid now. */
  due: {
    invoice: string;
    /** With its currency, such as `$90.00`. */
    amount: string;
    /** The page where the customer can pay online, if one is open. */
    pay_url: string | null;
  } | null;
  /** The card readers that are online. */
  readers: { id: string; label: string }[];
  /**
   * The newest payment on a card reader. Null if there is none, or some minutes after it has ended.
   */
  current: ReaderPayment | null;
}

/** The content of the driver's page. `/d/{token}/state` returns it as JSON. */
export interface DriverState {
  number: string;
  company: string;
  is_test: boolean;
  truck: string;
  driver: string | null;
  facts: Fact[];
  steps: PlannedStep[];
  /** Number of steps that the driver has taken. */
  taken: number;
  /** The step that the position of the truck shows, in words. Only the driver takes it. */
  proposal: { step: string; text: string } | null;
  /** Set while the truck is out of service because of an inspection. */
  warning: string | null;
  checklist: { key: string; label: string }[];
  /** The last pre-trip inspection of the truck in this shift. */
  inspection: { result: 'pass' | 'pass_with_defects' | 'out_of_service'; at: string } | null;
  photos: {
    stored: number;
    max: number;
    /** Maximum size of the file of one photo. */
    max_bytes: number;
    /** Media types of photos that the server accepts. */
    types: readonly string[];
  };
  /**
   * Null if the account's drivers may not take payments. Also null if there is neither a payment to
   * show nor an invoice to pay.
   */
  payments: Payments | null;
}

/**
 * The state that the server writes into the page. Null in the page that phones keep for use without
 * a network.
 */
export type EmbeddedState = DriverState | { has_ended: true } | null;

/**
 * One action of the driver: a tap, a note or an inspection, with the time of the phone's clock. The
 * phone creates the id, so an action that the phone sends twice acts once.
 */
export type DriverAction = { id: string; at: string } & (
  | { kind: 'step'; step: string }
  | { kind: 'complete'; miles?: number }
  | { kind: 'note'; text: string }
  | {
      kind: 'inspection';
      items?: { key: string; label: string; state: 'ok' | 'fail'; note?: string | null }[];
      defects?: { component: string; severity: 'minor' | 'major' | 'out_of_service' }[];
      odometer_miles?: number;
      notes?: string;
    }
);

/**
 * A tap that concerns a payment. The phone creates the id, so that a tap that is sent twice acts
 * once. Unlike an action, a tap is never stored for later.
 */
export type PaymentTap = { id: string } & (
  | { kind: 'start'; invoice: string; reader_id: string }
  | { kind: 'cancel'; payment_id: string }
  | { kind: 'pay_link'; invoice: string }
);
