import type { InvoiceStatus, Mover } from '../invoices/transitions.js';

export const CLAIM_STATUSES = [
  'queued',
  'submitted',
  'accepted',
  'paid',
  'denied',
  'rebilling',
  'short_paid',
  'expired',
  'withdrawn',
] as const;
export type ClaimStatus = (typeof CLAIM_STATUSES)[number];

/** Maximum number of times that a claim is sent (docs/decisions.md §9). */
export const MAX_CLAIM_ATTEMPTS = 3;

/**
 * The status changes of a claim, with the parties that may make them: O is an operator, S the
 * system, and P the club or the billing partner (docs/decisions.md §9).
 */
export const CLAIM_MOVES: Readonly<
  Record<ClaimStatus, readonly { to: ClaimStatus; by: readonly Mover[] }[]>
> = {
  queued: [
    { to: 'submitted', by: ['O', 'P'] },
    { to: 'withdrawn', by: ['O', 'S'] },
    { to: 'expired', by: ['S'] },
  ],
  submitted: [
    { to: 'accepted', by: ['P'] },
    { to: 'denied', by: ['P'] },
    { to: 'paid', by: ['P'] },
    { to: 'short_paid', by: ['P'] },
    { to: 'withdrawn', by: ['O', 'S'] },
  ],
  accepted: [
    { to: 'paid', by: ['P'] },
    { to: 'short_paid', by: ['P'] },
    { to: 'denied', by: ['P'] },
    { to: 'withdrawn', by: ['O', 'S'] },
  ],
  denied: [
    { to: 'rebilling', by: ['O', 'S'] },
    { to: 'withdrawn', by: ['O', 'S'] },
    { to: 'expired', by: ['S'] },
  ],
  rebilling: [
    { to: 'submitted', by: ['O', 'S', 'P'] },
    { to: 'withdrawn', by: ['O', 'S'] },
    { to: 'expired', by: ['S'] },
  ],
  // The club may pay the rest later.
  short_paid: [{ to: 'paid', by: ['P'] }],
  paid: [],
  expired: [],
  withdrawn: [],
};

export function listClaimMoves(status: ClaimStatus, mover: Mover): ClaimStatus[] {
  return CLAIM_MOVES[status].filter(({ by }) => by.includes(mover)).map(({ to }) => to);
}

/** Lists the statuses that may follow, for the details of an error. */
export function listNextClaimStatuses(status: ClaimStatus): ClaimStatus[] {
  return CLAIM_MOVES[status].map(({ to }) => to);
}

export interface InvoiceStep {
  to: InvoiceStatus;
  by: Mover;
}

/**
 * The steps that take an invoice to the billing partner when its claim is sent, by the current
 * status of the invoice. If the invoice has another status, the claim cannot be sent.
 */
export const INVOICE_STEPS_ON_SUBMIT: Readonly<Partial<Record<InvoiceStatus, readonly InvoiceStep[]>>> = {
  sent_to_roadsync: [],
  sending: [{ to: 'sent_to_roadsync', by: 'P' }],
  approved: [
    { to: 'sending', by: 'O' },
    { to: 'sent_to_roadsync', by: 'P' },
  ],
  viewed: [
    { to: 'sending', by: 'O' },
    { to: 'sent_to_roadsync', by: 'P' },
  ],
  failed: [
    { to: 'sending', by: 'S' },
    { to: 'sent_to_roadsync', by: 'P' },
  ],
  overdue: [{ to: 'sent_to_roadsync', by: 'O' }],
};

/**
 * The steps of an invoice whose denied claim is sent again immediately, by the current status of
 * the invoice. An invoice with another status, such as paid or disputed, keeps its status.
 */
export const INVOICE_STEPS_ON_REBILL: Readonly<Partial<Record<InvoiceStatus, readonly InvoiceStep[]>>> = {
  sent_to_roadsync: [
    { to: 'failed', by: 'P' },
    { to: 'sending', by: 'S' },
    { to: 'sent_to_roadsync', by: 'P' },
  ],
};

/**
 * The steps of an invoice when a person has to answer the denial of its claim, by the current
 * status of the invoice. An invoice with another status keeps its status.
 */
export const INVOICE_STEPS_ON_DENIAL: Readonly<Partial<Record<InvoiceStatus, readonly InvoiceStep[]>>> = {
  sent_to_roadsync: [{ to: 'needs_review', by: 'S' }],
  sending: [{ to: 'failed', by: 'P' }],
};
