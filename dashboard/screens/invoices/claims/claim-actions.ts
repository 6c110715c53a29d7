import type { Invoice, Schemas } from '../../../api/records';
import { formatCents } from '../../../parts/values/money';

export type Claim = Schemas['Claim'];
export type ClaimAction = 'submit' | 'rebill' | 'outcome' | 'correct' | 'withdraw';
type Status = Claim['status'];

/** Maximum number of times that the service sends a claim. */
export const MAX_ATTEMPTS = 3;

interface Rule {
  label: string;
  permission: 'write' | 'approve';
  statuses: readonly Status[];
  isMain?: boolean;
}

/** The actions on claims, in the sequence of their buttons, and the statuses that allow each. */
export const CLAIM_ACTIONS: Readonly<Record<ClaimAction, Rule>> = {
  submit: { label: 'Submit claim', permission: 'approve', statuses: ['queued'], isMain: true },
  rebill: { label: 'Bill again', permission: 'approve', statuses: ['denied', 'rebilling'], isMain: true },
  outcome: {
    label: "Record the club's decision",
    permission: 'write',
    statuses: ['submitted', 'accepted', 'short_paid'],
    isMain: true,
  },
  correct: {
    label: 'Correct claim',
    permission: 'write',
    statuses: ['queued', 'submitted', 'accepted', 'denied', 'rebilling', 'short_paid'],
  },
  withdraw: {
    label: 'Withdraw claim',
    permission: 'write',
    statuses: ['queued', 'submitted', 'accepted', 'denied', 'rebilling'],
  },
};

export function listActions(claim: Claim): ClaimAction[] {
  const names = Object.keys(CLAIM_ACTIONS) as ClaimAction[];
  return names.filter((name) => {
    if (!CLAIM_ACTIONS[name].statuses.includes(claim.status)) return false;
    return name !== 'rebill' || claim.attempt < MAX_ATTEMPTS;
  });
}

/** The club's decisions that a claim can take, by its status. All other statuses take none. */
const DECISIONS: Readonly<Partial<Record<Status, readonly Schemas['ClubAnswer'][]>>> = {
  submitted: ['accepted', 'denied', 'paid'],
  accepted: ['denied', 'paid'],
  short_paid: ['paid'],
};

export function listDecisions({ status }: Claim): readonly Schemas['ClubAnswer'][] {
  return DECISIONS[status] ?? [];
}

/** Describes what sending the claim does. */
export function describeSending({ club, connection_id: connectionId }: Claim): string {
  if (connectionId)
    return `The billing partner gets the invoice with its PDF and photos, and asks ${club} for the money.`;
  return `The claim and its invoice count as sent to ${club}. The service sends nothing: send them to the club yourself.`;
}

export function describeWithdrawal({ connection_id: connectionId, status }: Claim): string {
  if (!connectionId)
    return 'The claim ends. The invoice keeps its status, and can be billed to another payer.';
  return status === 'queued'
    ? 'The claim ends, and the billing partner does not get it. The invoice can be sent again.'
    : 'The claim ends, and the billing partner voids it. The invoice can then be sent again.';
}

/** Warns that less is claimed than the claim expects. Undefined if the whole amount is owed. */
export function describeLimit(claim: Claim, invoice: Invoice): string | undefined {
  const owed = invoice.balance_due_cents + claim.paid_cents;
  if (claim.expected_cents <= owed) return undefined;
  return `The invoice owes only ${formatCents(owed)}, so the claim is lowered to this amount.`;
}
