import type { ClubClaimState, ClubStatus } from '../../../shared/integrations/contract/motor-club.js';
import type { Transaction } from '../../../shared/platform/postgres/database.js';
import { findOurClaims, type OurClaim } from '../../../shared/resources/claims/partner-queries.js';
import { type ClaimStatus, INVOICE_STEPS_ON_SUBMIT } from '../../../shared/resources/claims/transitions.js';
import { INVOICE_MOVES } from '../../../shared/resources/invoices/transitions.js';
import { CLAIM_KIND } from '../../../shared/resources/open-claims/store.js';
import { closeSyncDifference } from '../../../shared/resources/sync-issues/commands.js';
import { findDifferencesOfRecords } from '../../../shared/sync/difference-rows.js';
import { buildDifferences, type ComparedRecord } from '../books/differences.js';
import type { Compared } from '../differences/difference-issues.js';
import type { Step, StepCommand } from '../vendor/step.js';

interface ShownClaim {
  externalId: string;
  id: string;
  state: ClubClaimState;
  /** The amount of an attempt that was sent now. The command that records it runs later. */
  sentCents?: number | undefined;
}

const ENDED: readonly ClaimStatus[] = ['withdrawn', 'expired'];
const ANNULLED: readonly string[] = ['void', 'cancelled'];
/** A claim in one of these statuses waits for a person or for its next attempt. */
const ANSWERED: readonly ClaimStatus[] = ['denied', 'rebilling'];
/** A claim in one of these statuses waits for the club. */
const AT_CLUB: readonly ClaimStatus[] = ['submitted', 'accepted'];
/** With these statuses, the partner asks the club to pay. */
const ASKING: readonly ClubStatus[] = ['sending', 'sent', 'accepted'];

/**
 * Compares amounts, purchase orders and statuses, and finds payments that the invoice cannot take.
 * What differs is for a person to decide.
 */
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
    if (!our) return [];
    return compare(claim, { ...our, expected_cents: claim.sentCents ?? our.expected_cents }) ?? [];
  });
  const { commands, left } = await buildDifferences(tx, step, { kind: CLAIM_KIND, records });
  return { commands: [...commands, ...(await closeReplaced(tx, step, claims))], left };
}

/**
 * Builds the commands that close the differences of earlier attempts. The partner has voided these
 * attempts, and nothing reads them any more.
 */
async function closeReplaced(
  tx: Transaction,
  { connection }: Step,
  claims: readonly { externalId: string; id: string }[],
): Promise<StepCommand[]> {
  const present = new Map(claims.map(({ id, externalId }) => [id, externalId]));
  const localIds = [...present.keys()];
  const open = await findDifferencesOfRecords(tx, connection, { kind: CLAIM_KIND, localIds });
  return open
    .filter(({ record_id, external_id }) => external_id !== present.get(record_id))
    .map(({ id }) => buildClosing(id, 'A later attempt has replaced this one.'));
}

/** Closes all differences of a claim that was withdrawn at the partner. */
export async function closeWithdrawn(
  tx: Transaction,
  { connection }: Step,
  claimId: string,
): Promise<Compared> {
  const open = await findDifferencesOfRecords(tx, connection, { kind: CLAIM_KIND, localIds: [claimId] });
  return { commands: open.map(({ id }) => buildClosing(id, 'The claim was withdrawn.')), left: [] };
}

const buildClosing = (entityId: string, note: string): StepCommand => ({
  type: closeSyncDifference.type,
  entityId,
  input: { note },
});

function compare({ externalId, id, state }: ShownClaim, our: OurClaim): ComparedRecord | undefined {
  // An earlier attempt says nothing about the present one.
  if (state.attempt !== null && state.attempt < our.attempt) return undefined;
  const record = { kind: CLAIM_KIND, id, externalId, name: `The claim of invoice ${our.invoice_number}` };
  if (ENDED.includes(our.status)) return { ...record, ...compareEnded(our, state) };
  const status = toOurStatus(our, state.status);
  const theirs = toTheirStatus(state.status, status);
  if (status !== 'open' || theirs !== 'open')
    return { ...record, ours: { status }, theirs: { status: theirs } };
  if (isPaidByOthers(our, state)) return { ...record, ours: { status: 'paid' }, theirs: { status } };
  if (state.status === 'paid' && !canTakePayment(our, state))
    return {
      ...record,
      ours: { invoice_status: our.invoice_status, paid_cents: our.paid_cents },
      theirs: { invoice_status: 'paid', paid_cents: state.amountCents },
    };
  // A club may pay less. The claim is then short paid, which is no difference.
  const { amountCents } = state;
  const isLess = state.status === 'paid' && amountCents !== null && amountCents <= our.expected_cents;
  const amount = isLess ? our.expected_cents : amountCents;
  return {
    ...record,
    ours: { status, amount_cents: our.expected_cents, po_number: our.po_number },
    theirs: { status, amount_cents: amount, po_number: state.poNumber },
  };
}

/**
 * Compares a claim that was withdrawn or has expired. Only money that the club paid all the same is
 * a difference: the operation that withdraws the claim opens an issue by itself if it fails.
 */
function compareEnded(
  { status, paid_cents }: OurClaim,
  { status: theirs, amountCents }: ClubClaimState,
): Pick<ComparedRecord, 'ours' | 'theirs'> {
  const isPaid = theirs === 'paid' && (amountCents === null || amountCents > paid_cents);
  if (!isPaid) return { ours: {}, theirs: {} };
  return { ours: { status, paid_cents }, theirs: { status: theirs, paid_cents: amountCents } };
}

/** True if the invoice is paid, but the partner still asks the club to pay. */
function isPaidByOthers({ status, invoice_status }: OurClaim, state: ClubClaimState): boolean {
  return invoice_status === 'paid' && AT_CLUB.includes(status) && ASKING.includes(state.status);
}

/**
 * False if the partner shows money that is not recorded, but the invoice cannot take it: because of
 * its status, or because it owes less. Somebody may then have recorded the same money by hand. Of
 * more money than was claimed, the amounts differ.
 */
function canTakePayment(our: OurClaim, { amountCents, attempt }: ClubClaimState): boolean {
  if (amountCents === null || amountCents > our.expected_cents) return true;
  const addedCents = amountCents - our.paid_cents;
  if (addedCents <= 0) return true;
  if (addedCents > our.balance_cents) return false;
  // The report that the partner has taken this attempt also moves the invoice.
  const isNext = attempt !== null && attempt > our.attempt;
  if (isNext && Object.hasOwn(INVOICE_STEPS_ON_SUBMIT, our.invoice_status)) return true;
  return INVOICE_MOVES[our.invoice_status].some(({ to, by }) => to === 'paid' && by.includes('P'));
}

/** A denial that is answered here agrees with a denial there, but not with a payment. */
function toOurStatus({ status, invoice_status }: OurClaim, theirs: ClubStatus): string {
  if (ANNULLED.includes(invoice_status)) return 'void';
  return ANSWERED.includes(status) && theirs === 'paid' ? status : 'open';
}

function toTheirStatus(status: ClubStatus, ours: string): string {
  if (status === 'paid' && ours !== 'open') return 'paid';
  return status === 'void' || status === 'missing' ? status : 'open';
}
