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

/** How often a claim is sent at most (decisions 9). */
export const MAX_ATTEMPTS = 3;

/** The table of decisions 9. Movers as of invoices: O an operator, S the system, P what the club says. */
export const CLAIM_MOVES: Readonly<
  Record<ClaimStatus, readonly { to: ClaimStatus; by: readonly Mover[] }[]>
> = {
  queued: [
    { to: 'submitted', by: ['O'] },
    { to: 'withdrawn', by: ['O'] },
    { to: 'expired', by: ['S'] },
  ],
  submitted: [
    { to: 'accepted', by: ['P'] },
    { to: 'denied', by: ['P'] },
    { to: 'paid', by: ['P'] },
    { to: 'short_paid', by: ['P'] },
    { to: 'withdrawn', by: ['O'] },
  ],
  accepted: [
    { to: 'paid', by: ['P'] },
    { to: 'short_paid', by: ['P'] },
    { to: 'denied', by: ['P'] },
    { to: 'withdrawn', by: ['O'] },
  ],
  denied: [
    { to: 'rebilling', by: ['O', 'S'] },
    { to: 'withdrawn', by: ['O'] },
    { to: 'expired', by: ['S'] },
  ],
  rebilling: [
    { to: 'submitted', by: ['O', 'S'] },
    { to: 'withdrawn', by: ['O'] },
    { to: 'expired', by: ['S'] },
  ],
  // The rest may come later.
  short_paid: [{ to: 'paid', by: ['P'] }],
  paid: [],
  expired: [],
  withdrawn: [],
};

export function claimMoves(status: ClaimStatus, mover: Mover): ClaimStatus[] {
  return CLAIM_MOVES[status].filter(({ by }) => by.includes(mover)).map(({ to }) => to);
}

/** Every state that may follow, as an error names them. */
export function nextClaimStatuses(status: ClaimStatus): ClaimStatus[] {
  return CLAIM_MOVES[status].map(({ to }) => to);
}

export interface InvoiceStep {
  to: InvoiceStatus;
  by: Mover;
}

/** How an invoice gets to the billing partner when its claim is sent; each step is one of the table of invoices. From other states it cannot. */
export const HANDOVER: Readonly<Partial<Record<InvoiceStatus, readonly InvoiceStep[]>>> = {
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

/** What a denial that is answered at once makes of the invoice; in any other state it stays what it is: paid elsewhere, overdue, in dispute. */
export const REBILLED: Readonly<Partial<Record<InvoiceStatus, readonly InvoiceStep[]>>> = {
  sent_to_roadsync: [
    { to: 'failed', by: 'P' },
    { to: 'sending', by: 'S' },
    { to: 'sent_to_roadsync', by: 'P' },
  ],
};

/** And one that a person has to answer. */
export const REFUSED: Readonly<Partial<Record<InvoiceStatus, readonly InvoiceStep[]>>> = {
  sent_to_roadsync: [{ to: 'needs_review', by: 'S' }],
  sending: [{ to: 'failed', by: 'P' }],
};
