import type { ClubClaimState } from '../../../shared/integrations/contract/motor-club.js';
import { newId } from '../../../shared/platform/ids.js';
import { type ClaimReport, recordClaimReport } from '../../../shared/resources/claims/commands.js';
import { type PartnerClaim, readPartnerClaim } from '../../../shared/resources/claims/partner-queries.js';
import { INVOICE_STEPS_ON_SUBMIT, MAX_CLAIM_ATTEMPTS } from '../../../shared/resources/claims/transitions.js';
import { CLAIM_KIND } from '../../../shared/resources/open-claims/store.js';
import { openSyncIssue } from '../../../shared/resources/sync-issues/commands.js';
import { readExternalId } from '../../../shared/sync/external-ids.js';
import { readUnansweredMs, type StartedOperation } from '../../../shared/sync/operation-rows.js';
import type { KnownChange, RecordKind, WriteOutcome } from '../records/record-kind.js';
import type { Step, StepCommand } from '../vendor/step.js';
import { buildClubClaim } from './build-claim.js';
import { loadClaimFiles } from './claim-files.js';
import { closeWithdrawn, compareClaims } from './compare-claims.js';
import { getMotorClub } from './get-motor-club.js';

/** The code of a withdrawal of a claim that the partner never had. */
const NEVER_THERE = 'never_there';

/** A claim as the partner shows it after a write. */
interface WrittenClaim extends ClubClaimState {
  /** The amount that was sent. */
  sentCents?: number;
}

/**
 * The record kind `claim`. A write sends a claim to a billing partner, or withdraws it there. A
 * read finds what the club has answered.
 */
export const claimRecords: RecordKind<WrittenClaim> = {
  async write(step, operation) {
    const { tenant_id, local_id: id } = operation;
    const claim = await readPartnerClaim(step.db, { tenant_id, id });
    if (!claim) throw new Error('the claim of an operation does not exist');
    return operation.verb === 'withdraw' ? withdraw(step, operation, claim) : submit(step, operation, claim);
  },
  storeAcceptance: () => undefined,
  async compareWritten(tx, step, { operation: { verb, local_id: id }, accepted: { written, state } }) {
    if (verb === 'withdraw') return closeWithdrawn(tx, step, id);
    if (!state) return { commands: [], left: [] };
    return compareClaims(tx, step, [
      { externalId: written.externalId, id, state, sentCents: state.sentCents },
    ]);
  },
  buildSuccess: ({ verb, local_id }, { state }) => [
    verb === 'withdraw'
      ? build(local_id, { attempt: null, state: 'withdrawn', reason: state?.reason ?? null })
      : build(local_id, {
          attempt: state?.attempt ?? null,
          state: 'sent',
          ...(state?.sentCents === undefined ? {} : { amount_cents: state.sentCents }),
        }),
  ],
  buildFailure({ verb, local_id, connection_id }, { reason, code, mayHaveArrived }) {
    if (verb === 'submit') return [build(local_id, { attempt: null, state: 'not_sent', reason })];
    // With mayHaveArrived, an issue is open already.
    if (code === 'cancelled' && !mayHaveArrived) return [buildUnreachable(connection_id, local_id)];
    if (code !== NEVER_THERE) return [];
    return [build(local_id, { attempt: null, state: 'withdrawn', reason: 'The invoice was voided' })];
  },
  pull: () => Promise.reject(new Error('claims are polled one by one')),
  async readNamed(step, hints) {
    const connection = await step.open();
    const changes = [];
    for (const hint of hints) changes.push(await getMotorClub(step).read(connection, hint));
    return changes.flatMap((change) => change ?? []);
  },
  // The versions have no sequence. Invoices of other programs stay at the partner.
  adopt: () => undefined,
  buildChanges: (changes, { vendor }) =>
    changes.flatMap((change) => buildReport(change, vendor.manifest.label)),
  compare: (tx, step, changes) =>
    compareClaims(
      tx,
      step,
      changes.map(({ change, id }) => ({
        externalId: change.externalId,
        id: id.local_id,
        state: change.fields,
      })),
    ),
};

const build = (entityId: string, input: ClaimReport) => ({ type: recordClaimReport.type, entityId, input });

/** Asks a person to withdraw a claim at the partner, because its connection was disconnected. */
function buildUnreachable(connection_id: string, record_id: string): StepCommand {
  return {
    type: openSyncIssue.type,
    entityId: newId(),
    input: {
      connection_id,
      kind: 'exhausted',
      operation_id: null,
      record_kind: CLAIM_KIND,
      record_id,
      message:
        'The billing partner is disconnected, so the claim cannot be withdrawn there. If the partner has its invoice, void it there yourself.',
    },
  };
}

/** The statuses in which a claim waits to be sent. */
const WAITING: readonly string[] = ['queued', 'rebilling'];
const ANNULLED: readonly string[] = ['void', 'cancelled'];

/** False if a person has taken the invoice back since the claim was queued. */
function isReleased({ invoice_status: status }: PartnerClaim): boolean {
  return status === 'partially_paid' || Object.hasOwn(INVOICE_STEPS_ON_SUBMIT, status);
}

async function submit(
  step: Step,
  operation: StartedOperation,
  claim: PartnerClaim,
): Promise<WriteOutcome<WrittenClaim>> {
  const { tenant_id, connection_id, local_id, may_have_arrived: mayHaveArrived } = operation;
  // If an earlier attempt has arrived, the operation that withdraws the claim finds it.
  if (!WAITING.includes(claim.status) || ANNULLED.includes(claim.invoice_status))
    return { cancelled: 'The claim no longer waits to be sent.', mayHaveArrived: false };
  const sent = buildClubClaim(local_id, claim);
  if (sent.attempt > MAX_CLAIM_ATTEMPTS)
    return { cancelled: `The claim was sent ${MAX_CLAIM_ATTEMPTS} times.`, mayHaveArrived: false };
  if (sent.amountCents <= 0)
    return { cancelled: 'Nothing is owed on the invoice any more.', mayHaveArrived: false };
  if (!isReleased(claim))
    return {
      cancelled: `The invoice is ${claim.invoice_status}. Approve it, then release it again.`,
      mayHaveArrived,
    };
  const known = await readExternalId(step.db, { tenant_id, connection_id, kind: CLAIM_KIND, local_id });
  const lookMs = await readLookMs(step, operation);
  const accepted = await getMotorClub(step).submit(await step.open(), {
    ...sent,
    replaced: known?.externalId ?? null,
    mayCreate: lookMs === 0,
    loadFiles: () => loadClaimFiles(step, claim),
  });
  if (!accepted) return postpone(step, lookMs);
  const { written, state } = accepted;
  return { written, state: { ...state, attempt: sent.attempt, sentCents: sent.amountCents } };
}

/** How long the worker looks for a claim whose creation got no answer. */
const LOOK_MS = 10 * 60_000;
const MIN_LOOK_WAIT_MS = 10_000;

/**
 * Returns the wait until the next look, if a creation of the claim got no answer and its invoice
 * may still appear at the partner. The waits double. Returns 0 once the worker has looked for long
 * enough.
 */
async function readLookMs({ db }: Step, operation: StartedOperation): Promise<number> {
  const elapsedMs = await readUnansweredMs(db, operation, 'submit');
  if (elapsedMs === null || elapsedMs >= LOOK_MS) return 0;
  return Math.min(Math.max(elapsedMs, MIN_LOOK_WAIT_MS), LOOK_MS - elapsedMs);
}

const postpone = ({ vendor }: Step, postponedMs: number): WriteOutcome<WrittenClaim> => ({
  postponedMs,
  reason: `${vendor.manifest.label} did not answer whether it has the invoice. The worker looks for it.`,
});

async function withdraw(
  step: Step,
  operation: StartedOperation,
  claim: PartnerClaim,
): Promise<WriteOutcome<WrittenClaim>> {
  const { tenant_id, connection_id, local_id } = operation;
  const known = await readExternalId(step.db, { tenant_id, connection_id, kind: CLAIM_KIND, local_id });
  const reason = (claim.status === 'withdrawn' ? claim.status_reason : claim.invoice_reason) ?? 'Withdrawn';
  const { attempt } = claim;
  const externalId = await getMotorClub(step).withdraw(await step.open(), {
    claimId: local_id,
    // The last attempt may be there although its answer was lost.
    attempts: [attempt, attempt + 1].filter((one) => one > 0 && one <= MAX_CLAIM_ATTEMPTS),
    known: known?.externalId ?? null,
    reason,
  });
  // An invoice whose creation got no answer may appear later.
  const lookMs = externalId === known?.externalId ? await readLookMs(step, operation) : 0;
  if (lookMs > 0) return postpone(step, lookMs);
  if (externalId === undefined)
    return {
      cancelled: 'The billing partner never had the claim.',
      mayHaveArrived: false,
      code: NEVER_THERE,
    };
  return { written: { externalId, version: null }, state: { ...WITHDRAWN, reason } };
}

const WITHDRAWN: WrittenClaim = {
  status: 'void',
  attempt: null,
  amountCents: null,
  poNumber: null,
  reason: null,
  code: null,
  number: null,
};

/** Builds the report of a change. The payment's reference names the partner. */
function buildReport({ change, id }: KnownChange<WrittenClaim>, partner: string) {
  const { status, attempt, amountCents, reason, code, number } = change.fields;
  if (status === 'accepted') return [build(id.local_id, { attempt, state: status })];
  if (status === 'denied') return [build(id.local_id, { attempt, state: status, code, reason })];
  if (status !== 'paid' || amountCents === null) return [];
  return [
    build(id.local_id, {
      attempt,
      state: status,
      amount_cents: amountCents,
      reference: `${partner} ${number ?? change.externalId}`.slice(0, 200),
    }),
  ];
}
