import { formatDollars } from '../../billing/phrases.js';
import { canBePaid } from '../invoices/transitions.js';
import { type Candidate, type Candidates, MAX_PER_PO, PAYABLE } from './candidates.js';
import type { LineOutcome } from './enums.js';
import type { LineRow } from './line-rows.js';

type ClaimCandidate = Candidate & { claim: NonNullable<Candidate['claim']> };

/** Why a line is not matched to an open claim. */
interface Mismatch {
  outcome: LineOutcome;
  reason: string;
  candidate?: Candidate | undefined;
}

/** The claim that a line pays; undefined if a mismatch says why there is none. */
type Found = { candidate: ClaimCandidate } | { mismatch: Mismatch };

export type MatchedFields = Pick<
  LineRow,
  'outcome' | 'reason' | 'claim_id' | 'invoice_id' | 'expected_cents'
>;

/**
 * Finds for each open line what it pays, and why it does not match. Several lines may pay one claim
 * in parts, so their amounts are added before they are compared.
 * @param customerId the club that has sent the remittance; null if nobody has said so
 * @returns the fields by the line's id
 */
export function matchLines(
  lines: readonly LineRow[],
  candidates: Candidates,
  customerId: string | null,
): Map<string, MatchedFields> {
  const found = lines.map((line) => ({ line, ...findClaim(line, candidates, customerId) }));
  const takenBack = new Map<string, LineRow>();
  for (const { line, ...target } of found)
    if (line.amount_cents < 0 && 'candidate' in target) takenBack.set(target.candidate.claim.id, line);
  return new Map(
    found.map((one) => {
      if (one.line.amount_cents <= 0) return [one.line.id, toFields(one.line, refuseAmount(one.line))];
      if ('mismatch' in one) return [one.line.id, toFields(one.line, one.mismatch)];
      const less = takenBack.get(one.candidate.claim.id);
      if (less) return [one.line.id, toFields(one.line, waitForDecision(one.candidate, less))];
      const parts = found.flatMap((other) =>
        'candidate' in other &&
        other.line.amount_cents > 0 &&
        other.candidate.claim.id === one.candidate.claim.id
          ? [other.line]
          : [],
      );
      return [one.line.id, toFields(one.line, compareAmounts(one.candidate, parts))];
    }),
  );
}

function toFields(line: LineRow, { outcome, reason, candidate }: Mismatch): MatchedFields {
  const claim = candidate?.claim;
  return {
    outcome,
    reason,
    claim_id: line.is_claim_named ? line.claim_id : (claim?.id ?? null),
    invoice_id: candidate?.invoice_id ?? null,
    expected_cents: claim ? remainingCents(claim) : null,
  };
}

const remainingCents = (claim: ClaimCandidate['claim']) =>
  Math.max(0, claim.expected_cents - claim.paid_cents);

function findClaim(line: LineRow, candidates: Candidates, customerId: string | null): Found {
  const { po_number: po, invoice_number: number } = line;
  if (line.is_claim_named) return chooseClaim(listNamed(line, candidates), line, null);
  const ofNumber = number === null ? [] : (candidates.byNumber.get(number) ?? []);
  if (po === null) {
    if (number === null)
      return mismatch('no_po', 'This line has neither a PO nor an invoice number. Name the claim.');
    if (ofNumber.length === 0)
      return mismatch('unknown_invoice', `No invoice has the number ${number}. Name the claim.`);
    return chooseClaim(ofNumber, line, customerId);
  }
  const ofPo = candidates.byPo.get(po) ?? [];
  const ofBoth = ofNumber.filter(({ po_number }) => po_number === po);
  if (ofBoth.length > 0) return chooseClaim(ofBoth, line, customerId);
  // A claim without a PO is not contradicted by the club's PO.
  const withoutPo = ofNumber.filter(({ po_number }) => po_number === null);
  if (ofPo.length === 0 && withoutPo.length > 0) return chooseClaim(withoutPo, line, customerId);
  const [other] = ofNumber;
  if (other) return mismatch('po_mismatch', describeOtherPo(other, ofPo[0], po), other);
  if (ofPo.length === 0)
    return mismatch(
      'unknown_po',
      `No claim and no invoice has the PO ${po}. Name the claim, if there is one.`,
    );
  // Further claims with this PO may be payable too, also of the customer of the remittance.
  const hasMore = ofPo.filter(isPayable).length >= MAX_PER_PO;
  return chooseClaim(ofPo, line, hasMore ? null : customerId);
}

const isPayable = ({ claim }: Candidate) => claim !== null && PAYABLE.includes(claim.status);

function mismatch(outcome: LineOutcome, reason: string, candidate?: Candidate): Found {
  return { mismatch: { outcome, reason, candidate } };
}

function refuseAmount({ amount_cents: amount }: LineRow): Mismatch {
  const reason =
    amount === 0
      ? "The club pays nothing for this line. Record the club's decision on the claim, then ignore this line."
      : `The club takes ${formatDollars(-amount)} back. Refund the payment that it means, then ignore this line.`;
  return { outcome: 'no_payment', reason };
}

function listNamed({ claim_id }: LineRow, { byClaim }: Candidates): Candidate[] {
  const named = claim_id === null ? undefined : byClaim.get(claim_id);
  return named ? [named] : [];
}

function describeOtherPo(other: Candidate, ofPo: Candidate | undefined, po: string): string {
  const owner = ofPo ? `The PO ${po} belongs to invoice ${ofPo.invoice_number}` : `No claim has the PO ${po}`;
  const theirs = other.po_number === null ? 'has no PO' : `has the PO ${other.po_number}`;
  return `${owner}, and invoice ${other.invoice_number} ${theirs}. Name the claim that the club means.`;
}

function chooseClaim(found: readonly Candidate[], line: LineRow, customerId: string | null): Found {
  const own = customerId === null ? found : found.filter(({ customer_id }) => customer_id === customerId);
  const [first] = found;
  if (own.length === 0)
    return mismatch(
      'other_customer',
      `Invoice ${first?.invoice_number} is not of the customer of this remittance. Name the claim if the club pays it.`,
      first,
    );
  const claimed = own.filter((one): one is ClaimCandidate => one.claim !== null);
  const payable = claimed.filter(({ claim }) => PAYABLE.includes(claim.status));
  if (payable.length > 1) {
    const numbers = payable.slice(0, 3).map(({ invoice_number }) => invoice_number);
    const more = payable.length > numbers.length ? ' and more' : '';
    return mismatch(
      'several_claims',
      `The claims of invoices ${numbers.join(', ')}${more} have the PO ${line.po_number}. Name the claim that the club means.`,
    );
  }
  const [candidate] = payable;
  if (candidate) return checkInvoice(candidate);
  const closed = claimed.find(({ claim }) => claim.status === 'paid') ?? claimed[0];
  if (closed) return { mismatch: describeClosed(closed) };
  return mismatch(
    'no_claim',
    `Invoice ${own[0]?.invoice_number} has no claim. Record the payment on the invoice, then ignore this line.`,
    own[0],
  );
}

const CLOSED: Readonly<Record<string, string>> = {
  queued: 'is not sent to the club yet. Submit it, then apply again',
  denied: 'is denied. Bill it again, or ask the club',
  rebilling: 'is being corrected after a denial. Submit it, then apply again',
  expired: 'has expired. Record the payment on the invoice, then ignore this line',
  withdrawn: 'was withdrawn. Record the payment on the invoice, then ignore this line',
};

function describeClosed(candidate: ClaimCandidate): Mismatch {
  const { claim, invoice_number: number } = candidate;
  if (claim.status === 'paid')
    return {
      outcome: 'already_paid',
      reason: `The claim of invoice ${number} is paid already. Ask the club, then ignore this line.`,
      candidate,
    };
  return {
    outcome: 'not_open',
    reason: `The claim of invoice ${number} ${CLOSED[claim.status]}.`,
    candidate,
  };
}

function checkInvoice(candidate: ClaimCandidate): Found {
  const { invoice_status: status, invoice_number: number } = candidate;
  if (candidate.balance_cents === 0)
    return mismatch(
      'already_paid',
      `Invoice ${number} is paid already by another payment. Ask the club, then ignore this line.`,
      candidate,
    );
  if (canBePaid(status)) return { candidate };
  const reason = `Invoice ${number} has the status ${status} and takes no payment. Set it right, then apply again.`;
  return mismatch('not_open', reason, candidate);
}

/** A line that takes back a part of what another line pays for the same claim needs a decision. */
function waitForDecision(candidate: ClaimCandidate, less: LineRow): Mismatch {
  const reason = `Line ${less.position} takes ${formatDollars(-less.amount_cents)} of this claim back. Decide on that line first: ignore it with a reason if this one is right.`;
  return { outcome: 'over_paid', reason, candidate };
}

function compareAmounts(candidate: ClaimCandidate, parts: readonly LineRow[]): Mismatch {
  const { invoice_number: number, balance_cents: balance, claim } = candidate;
  const expected = remainingCents(claim);
  const amount = sumCents(parts);
  const subject = parts.length > 1 ? `With lines ${listPositions(parts)}, the club pays` : 'The club pays';
  const ask = 'Ask the club, record what is yours on the claim, then ignore this line.';
  if (amount > expected)
    return {
      outcome: 'over_paid',
      reason: `${subject} ${formatDollars(amount)}, but the claim of invoice ${number} expects ${formatDollars(expected)}. ${ask}`,
      candidate,
    };
  if (amount > balance)
    return {
      outcome: 'over_paid',
      reason: `${subject} ${formatDollars(amount)}, but invoice ${number} owes only ${formatDollars(balance)}. ${ask}`,
      candidate,
    };
  if (amount < expected && claim.paid_cents > 0 && !parts.every((line) => line.is_claim_named))
    return {
      outcome: 'already_paid',
      reason: `The club has paid ${formatDollars(claim.paid_cents)} of the claim of invoice ${number} before. If ${formatDollars(amount)} is another part and not the same one, name the claim.`,
      candidate,
    };
  if (amount < expected)
    return {
      outcome: 'short_paid',
      reason: `${subject} ${formatDollars(amount)} of ${formatDollars(expected)} for invoice ${number}; ${formatDollars(expected - amount)} are missing.`,
      candidate,
    };
  return { outcome: 'matched', reason: `${subject} what the claim of invoice ${number} expects.`, candidate };
}

export const sumCents = (lines: readonly Pick<LineRow, 'amount_cents'>[]) =>
  lines.reduce((sum, { amount_cents }) => sum + amount_cents, 0);

function listPositions(lines: readonly LineRow[]): string {
  const positions = lines.map(({ position }) => position).sort((a, b) => a - b);
  return `${positions.slice(0, -1).join(', ')} and ${positions.at(-1)}`;
}
