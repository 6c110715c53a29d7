import type { INVOICE_STATUSES } from '../../contracts/vocabulary.js';

export type InvoiceStatus = (typeof INVOICE_STATUSES)[number];

/**
 * Who makes a move: O an operator (a signed-in person, or a key with the permission), S the system's clock, P a payment, provider or partner
 * event (decisions 3).
 */
export type Mover = 'O' | 'S' | 'P';

/** `reopened` is reckoned: see {@link reopenedStatus}. */
export type MoveTarget = InvoiceStatus | 'reopened';

interface Move {
  to: MoveTarget;
  by: readonly Mover[];
  /** Only while it never left the house, or never reached the customer. */
  only?: 'never_released' | 'never_delivered';
}

/** The table of decisions 3. OpenAPI's text, `allowed_actions` and the tests are made from it. */
export const INVOICE_MOVES: Readonly<Record<InvoiceStatus, readonly Move[]>> = {
  draft: [
    { to: 'needs_review', by: ['O', 'S'] },
    { to: 'approved', by: ['O'] },
    { to: 'cancelled', by: ['O'] },
  ],
  needs_review: [
    { to: 'draft', by: ['O'] },
    { to: 'approved', by: ['O'] },
    { to: 'cancelled', by: ['O'] },
  ],
  approved: [
    { to: 'sending', by: ['O'] },
    { to: 'draft', by: ['O'], only: 'never_released' },
    { to: 'partially_paid', by: ['P'] },
    { to: 'paid', by: ['P'] },
    { to: 'cancelled', by: ['O'], only: 'never_released' },
  ],
  sending: [
    { to: 'sent_to_roadsync', by: ['P'] },
    { to: 'viewed', by: ['P'] },
    { to: 'partially_paid', by: ['P'] },
    { to: 'paid', by: ['P'] },
    { to: 'overdue', by: ['S'] },
    { to: 'disputed', by: ['O', 'P'] },
    { to: 'failed', by: ['P'] },
    { to: 'void', by: ['O'] },
  ],
  sent_to_roadsync: [
    { to: 'viewed', by: ['P'] },
    { to: 'partially_paid', by: ['P'] },
    { to: 'paid', by: ['P'] },
    { to: 'overdue', by: ['S'] },
    { to: 'disputed', by: ['O', 'P'] },
    { to: 'failed', by: ['P'] },
    { to: 'needs_review', by: ['S'] },
    { to: 'void', by: ['O'] },
  ],
  viewed: [
    { to: 'partially_paid', by: ['P'] },
    { to: 'paid', by: ['P'] },
    { to: 'overdue', by: ['S'] },
    { to: 'disputed', by: ['O', 'P'] },
    { to: 'sending', by: ['O'] },
    { to: 'void', by: ['O'] },
  ],
  partially_paid: [
    { to: 'paid', by: ['P'] },
    { to: 'overdue', by: ['S'] },
    { to: 'disputed', by: ['O', 'P'] },
    { to: 'reopened', by: ['P'] },
  ],
  paid: [
    { to: 'partially_paid', by: ['P'] },
    { to: 'reopened', by: ['P'] },
    { to: 'disputed', by: ['P'] },
  ],
  overdue: [
    { to: 'paid', by: ['P'] },
    { to: 'disputed', by: ['O', 'P'] },
    { to: 'sent_to_roadsync', by: ['O'] },
    { to: 'reopened', by: ['O'] },
    { to: 'void', by: ['O'] },
  ],
  disputed: [
    { to: 'needs_review', by: ['O'] },
    { to: 'paid', by: ['P'] },
    { to: 'partially_paid', by: ['P'] },
    { to: 'reopened', by: ['O'] },
    { to: 'void', by: ['O'] },
  ],
  failed: [
    { to: 'sending', by: ['O', 'S'] },
    { to: 'needs_review', by: ['O'] },
    { to: 'approved', by: ['O'] },
    { to: 'cancelled', by: ['O'], only: 'never_delivered' },
    { to: 'void', by: ['O'] },
  ],
  void: [],
  cancelled: [],
};

/** What a client may ask for by `PATCH {status}`; every other status is the system's or a payment's to set. */
export const PATCHABLE_STATUSES: readonly InvoiceStatus[] = [
  'draft',
  'needs_review',
  'approved',
  'sending',
  'disputed',
  'cancelled',
  'void',
];

/** The actions that are routes, and the states each aims at, in this order. */
export const INVOICE_ACTIONS = {
  approve: ['approved'],
  send: ['sending'],
  return: ['draft', 'needs_review'],
  dispute: ['disputed'],
  resolve: ['reopened'],
  cancel: ['cancelled'],
  void: ['void'],
} as const satisfies Record<string, readonly MoveTarget[]>;

export type InvoiceAction = keyof typeof INVOICE_ACTIONS;

/** What the table's conditions look at. */
export interface InvoiceHistory {
  status: InvoiceStatus;
  released: boolean;
  delivered: boolean;
}

/** The states an invoice may be moved to now by such a mover. */
export function movesOf({ status, released, delivered }: InvoiceHistory, mover: Mover): MoveTarget[] {
  return INVOICE_MOVES[status]
    .filter(({ by }) => by.includes(mover))
    .filter(
      ({ only }) => !(only === 'never_released' && released) && !(only === 'never_delivered' && delivered),
    )
    .map(({ to }) => to);
}

/** The actions an operator may take now. Only /resolve reopens, and only what is disputed: the rest reopens by itself. */
export function actionsOf(history: InvoiceHistory, hasPayments: boolean): InvoiceAction[] {
  const targets = movesOf(history, 'O');
  const actions = Object.entries(INVOICE_ACTIONS) as [InvoiceAction, readonly MoveTarget[]][];
  return (
    actions
      .filter(([, aims]) => aims.some((aim) => targets.includes(aim)))
      .filter(([action]) => action !== 'resolve' || history.status === 'disputed')
      // A draft has nowhere to go back to.
      .filter(([action]) => action !== 'return' || history.status !== 'draft')
      .filter(([action]) => (action !== 'void' && action !== 'cancel') || !hasPayments)
      .map(([action]) => action)
  );
}

/** States in which an invoice is with its customer, beside those that its first sight moves to `viewed`. */
const WITH_CUSTOMER: readonly InvoiceStatus[] = [
  'viewed',
  'partially_paid',
  'paid',
  'overdue',
  'disputed',
  'failed',
];

/** True when being seen by its customer now changes something of an invoice. */
export function isSeenFirst(status: InvoiceStatus, wasSeen: boolean): boolean {
  return INVOICE_MOVES[status].some(({ to }) => to === 'viewed') || (!wasSeen && isWithCustomer(status));
}

/** Whether its customer may see an invoice: it was released, and is neither annulled nor being rewritten. */
export function isWithCustomer(status: InvoiceStatus): boolean {
  return WITH_CUSTOMER.includes(status) || INVOICE_MOVES[status].some(({ to }) => to === 'viewed');
}

/** Where a reopened invoice goes (decisions 3): overdue, else partially paid, else viewed, else as it was released. */
export function reopenedStatus(invoice: {
  isPastDue: boolean;
  paidCents: number;
  isViewed: boolean;
  releasedAs: 'sending' | 'sent_to_roadsync' | null;
}): InvoiceStatus {
  if (invoice.isPastDue) return 'overdue';
  if (invoice.paidCents > 0) return 'partially_paid';
  if (invoice.isViewed) return 'viewed';
  // Paid in the yard, refunded, and never released: it is approved still.
  return invoice.releasedAs ?? 'approved';
}
