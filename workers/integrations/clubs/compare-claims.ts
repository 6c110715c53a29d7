import type { ClubClaimState, ClubStatus } from '../../../shared/integrations/contract/motor-club.js';
import type { Transaction } from '../../../shared/platform/postgres/database.js';
import { findOurClaims, type OurClaim } from '../../../shared/resources/claims/partner-queries.js';
import type { ClaimStatus } from '../../../shared/resources/claims/transitions.js';
import { CLAIM_KIND } from '../../../shared/resources/open-claims/store.js';
import { buildDifferences, type ComparedRecord } from '../books/differences.js';
import type { Compared } from '../differences/difference-issues.js';
import type { Step } from '../vendor/step.js';

interface ShownClaim {
  externalId: string;
  id: string;
  state: ClubClaimState;
}

const ENDED: readonly ClaimStatus[] = ['withdrawn', 'expired'];
const ANNULLED: readonly string[] = ['void', 'cancelled'];
/** A claim in one of these statuses waits for a person or for its next attempt. */
const ANSWERED: readonly ClaimStatus[] = ['denied', 'rebilling'];

/** Compares amounts, purchase orders and statuses. What differs is for a person to decide. */
export async function compareClaims(
  tx: Transaction,
  step: Step,
  claims: readonly ShownClaim[],
): Promise<Compared> {
  const ours = await findOurClaims(
    tx,
    step.connection,
    claims.map(({ id }) => id),
  );
  const records = claims.flatMap((claim) => {
    const our = ours.get(claim.id);
    return our ? (compare(claim, our) ?? []) : [];
  });
  return buildDifferences(tx, step, { kind: CLAIM_KIND, records });
}

function compare({ externalId, id, state }: ShownClaim, our: OurClaim): ComparedRecord | undefined {
  // An earlier attempt says nothing about the present one.
  if (state.attempt !== null && state.attempt < our.attempt) return undefined;
  const status = toOurStatus(our, state.status);
  const record = { kind: CLAIM_KIND, id, externalId, name: `The claim of invoice ${our.invoice_number}` };
  const theirs = toTheirStatus(state.status, status);
  if (status !== 'open' || theirs !== 'open')
    return { ...record, ours: { status }, theirs: { status: theirs } };
  // A club may pay less. The claim is then short paid, which is no difference.
  const isLess = state.status === 'paid' && (state.amountCents ?? 0) <= our.expected_cents;
  const amount = isLess ? our.expected_cents : state.amountCents;
  return {
    ...record,
    ours: { status, amount_cents: our.expected_cents, po_number: our.po_number },
    theirs: { status, amount_cents: amount, po_number: state.poNumber },
  };
}

/** A denial that is answered here agrees with a denial there, but not with a payment. */
function toOurStatus({ status, invoice_status }: OurClaim, theirs: ClubStatus): string {
  if (ENDED.includes(status) || ANNULLED.includes(invoice_status)) return 'void';
  return ANSWERED.includes(status) && theirs === 'paid' ? status : 'open';
}

function toTheirStatus(status: ClubStatus, ours: string): string {
  if (status === 'paid' && ours !== 'open') return 'paid';
  return status === 'void' || status === 'missing' ? status : 'open';
}
