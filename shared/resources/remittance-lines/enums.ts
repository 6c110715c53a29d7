import { namedEnum } from '../../contracts/named-enum.js';

export const LINE_OUTCOMES = [
  'matched',
  'short_paid',
  'over_paid',
  'already_paid',
  'not_open',
  'no_claim',
  'several_claims',
  'other_customer',
  'po_mismatch',
  'unknown_po',
  'unknown_invoice',
  'no_po',
  'no_payment',
] as const;
export type LineOutcome = (typeof LINE_OUTCOMES)[number];

/** The outcomes with which a payment is recorded. */
export const PAYING_OUTCOMES: readonly LineOutcome[] = ['matched', 'short_paid'];

export const remittanceLineOutcome = namedEnum('RemittanceLineOutcome', LINE_OUTCOMES, {
  matched: 'The club pays what the claim expects',
  short_paid: 'The club pays less than the claim expects',
  over_paid: 'The club pays more than the claim expects, or than the invoice owes. Nothing is recorded',
  already_paid: 'The claim or its invoice is paid already',
  not_open: 'The claim cannot be paid, because it is not sent, denied, expired or withdrawn',
  no_claim: 'An invoice has this PO or number, but no claim',
  several_claims: 'Several open claims have this PO',
  other_customer: "The claim's invoice is of another customer than the remittance",
  po_mismatch: 'The PO and the invoice number of the line do not belong together',
  unknown_po: 'No claim and no invoice has this PO',
  unknown_invoice: 'The line has no PO, and no invoice has its number',
  no_po: 'The line has neither a PO nor an invoice number',
  no_payment: 'The amount is zero or negative',
});

export const remittanceLineStatus = namedEnum('RemittanceLineStatus', ['open', 'applied', 'ignored'], {
  open: 'Nothing is recorded for it yet',
  applied: '`payment_id` names the payment that was recorded',
  ignored: 'A person set it aside; `ignored_reason` says why',
});
