import type { INVOICE_STATUSES } from '../../contracts/vocabulary.js';

export type InvoiceStatus = (typeof INVOICE_STATUSES)[number];

/**
 * The party that makes a transition (docs/decisions.md §3). O is an operator: a signed-in person,
 * or a key with the permission. S is the system's clock. P is a payment, provider or partner event.
 */
export type Mover = 'O' | 'S' | 'P';

/**
 * The target of a transition. `reopened` stands for the status that {@link computeReopenedStatus}
 * returns.
 */
export type MoveTarget = InvoiceStatus | 'reopened';

interface Move {
  to: MoveTarget;
  by: readonly Mover[];
  /**
   * `never_released` allows the transition only if the invoice was never released.
   * `never_delivered` allows it only if the invoice was never delivered to the customer.
   */
  only?: 'never_released' | 'never_delivered';
}

/**
 * The transition table of docs/decisions.md §3. The OpenAPI text, `allowed_actions` and the tests
 * are generated from this constant.
 */
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

/** The statuses that a PATCH may set (docs/decisions.md §3). */
export const PATCHABLE_STATUSES: readonly InvoiceStatus[] = [
  'draft',
  'needs_review',
  'approved',
  'sending',
  'disputed',
  'cancelled',
  'void',
];

/**
 * The actions, each with a route of its own, and their target statuses. An action moves the invoice
 * to the first target that {@link INVOICE_MOVES} allows.
 */
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

export interface InvoiceHistory {
  status: InvoiceStatus;
  isReleased: boolean;
  isDelivered: boolean;
}

export function listAllowedMoves(
  { status, isReleased, isDelivered }: InvoiceHistory,
  mover: Mover,
): MoveTarget[] {
  return INVOICE_MOVES[status]
    .filter(({ by }) => by.includes(mover))
    .filter(
      ({ only }) =>
        !(only === 'never_released' && isReleased) && !(only === 'never_delivered' && isDelivered),
    )
    .map(({ to }) => to);
}

/**
 * Lists the actions that an operator may take. `resolve` is for disputed invoices only. An overdue
 * invoice needs no such action: it reopens when its due date is postponed.
 */
export function listAllowedActions(history: InvoiceHistory, hasPayments: boolean): InvoiceAction[] {
  const targets = listAllowedMoves(history, 'O');
  const actions = Object.entries(INVOICE_ACTIONS) as [InvoiceAction, readonly MoveTarget[]][];
  return (
    actions
      .filter(([, aims]) => aims.some((aim) => targets.includes(aim)))
      .filter(([action]) => action !== 'resolve' || history.status === 'disputed')
      // Omit `return` for a draft. The table would allow the action, because a draft may move to
      // needs_review.
      .filter(([action]) => action !== 'return' || history.status !== 'draft')
      .filter(([action]) => (action !== 'void' && action !== 'cancel') || !hasPayments)
      .map(([action]) => action)
  );
}

/**
 * The customer may see an invoice in these statuses. {@link isVisibleToCustomer} adds the statuses
 * that may change to `viewed`.
 */
const WITH_CUSTOMER: readonly InvoiceStatus[] = [
  'viewed',
  'partially_paid',
  'paid',
  'overdue',
  'disputed',
  'failed',
];

export function isChangedByView(status: InvoiceStatus, wasSeen: boolean): boolean {
  return INVOICE_MOVES[status].some(({ to }) => to === 'viewed') || (!wasSeen && isVisibleToCustomer(status));
}

/** True if a payment may be applied to an invoice in this status. */
export function canBePaid(status: InvoiceStatus): boolean {
  return INVOICE_MOVES[status].some(({ to, by }) => to === 'paid' && by.includes('P'));
}

/** False for draft, needs_review, approved, void and cancelled; true for all other statuses. */
export function isVisibleToCustomer(status: InvoiceStatus): boolean {
  return WITH_CUSTOMER.includes(status) || INVOICE_MOVES[status].some(({ to }) => to === 'viewed');
}

/**
 * Returns the status of a reopened invoice. The first condition that applies decides
 * (docs/decisions.md §3).
 */
export function computeReopenedStatus(invoice: {
  isPastDue: boolean;
  paidCents: number;
  isViewed: boolean;
  releasedAs: 'sending' | 'sent_to_roadsync' | null;
}): InvoiceStatus {
  if (invoice.isPastDue) return 'overdue';
  if (invoice.paidCents > 0) return 'partially_paid';
  if (invoice.isViewed) return 'viewed';
  // An invoice that reopens but was never released must have been paid in the yard and refunded. It
  // becomes approved again.
  return invoice.releasedAs ?? 'approved';
}
