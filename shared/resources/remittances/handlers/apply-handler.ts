import { formatDollars } from '../../../billing/phrases.js';
import type { Change, Command, CommandOutcome } from '../../../contracts/command.js';
import { newId } from '../../../platform/ids.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import { diffPatch } from '../../../records/changes.js';
import { failedOutcome, notFoundOutcome } from '../../../records/outcomes.js';
import { type RecordRef, toRecordRef } from '../../../records/record-refs.js';
import { lockClaims } from '../../claims/claim-row.js';
import { recordClaimOutcome } from '../../claims/commands.js';
import type { ClubResponse } from '../../claims/handlers/club-payments.js';
import { recordClaimOutcomes } from '../../claims/handlers/outcome-handler.js';
import { lockInvoices } from '../../invoices/handlers/lifecycle.js';
import { PAYING_OUTCOMES } from '../../remittance-lines/enums.js';
import { type LineRow, readLines, storeLines } from '../../remittance-lines/line-rows.js';
import { sumCents } from '../../remittance-lines/match.js';
import { lockRemittance, type RemittanceRow, rematch, storeSums, sumLines } from './remittance-rows.js';

/**
 * Records the payments of the lines that match, each as the club's response to its claim. Lines
 * that do not match stay open. The lock on the remittance and the status of its lines prevent a
 * second payment, also if two requests come at once.
 */
export async function applyRemittances(tx: Transaction, commands: Command[]): Promise<CommandOutcome[]> {
  const outcomes: CommandOutcome[] = [];
  for (const command of commands) outcomes.push(await applyOne(tx, command));
  return outcomes;
}

/**
 * More would be recorded than arrived, for instance if the total was entered in dollars. Lines that
 * take something back count even if they are ignored.
 */
function findExcess(
  { total_cents: total }: RemittanceRow,
  lines: readonly LineRow[],
): CommandOutcome | undefined {
  const counted = lines.filter(({ status, amount_cents }) => status !== 'ignored' || amount_cents < 0);
  const sum = sumCents(counted);
  if (sum <= total || counted.every(({ status }) => status !== 'open')) return undefined;
  return failedOutcome({
    code: 'conflict',
    message: `The lines add up to ${formatDollars(sum)}, but only ${formatDollars(total)} arrived. Ignore the lines that were not paid, or import the list again with the right total.`,
  });
}

/** The payment of one claim, with the lines that make it up. */
interface Paying {
  command: Command<ClubResponse>;
  paymentId: string;
  lines: LineRow[];
}

async function applyOne(tx: Transaction, command: Command): Promise<CommandOutcome> {
  const remittance = await lockRemittance(tx, toRecordRef(command));
  if (!remittance) return notFoundOutcome('remittance');
  const before = await readLines(tx, remittance);
  const refusal = findExcess(remittance, before);
  if (refusal) return refusal;
  const locked = await lockPayable(tx, await rematch(tx, remittance, before));
  // Compare again, because another command may have changed a claim before the lock.
  const matched = await rematch(tx, remittance, before);
  const receivedAt = await findStartOfDay(tx, remittance);
  const paying = planPayments(command, { remittance, lines: matched, receivedAt, locked });
  const responses = await recordClaimOutcomes(
    tx,
    paying.map((one) => one.command),
  );
  const results = new Map<string, Partial<LineRow>>();
  for (const [index, { lines, paymentId }] of paying.entries())
    for (const { id } of lines) results.set(id, toResult(responses[index] as CommandOutcome, paymentId));
  const after = matched.map((line): LineRow => ({ ...line, ...results.get(line.id) }));
  await storeLines(tx, after, before);
  const changes: Change[] = diffPatch(sumLines(before), sumLines(after));
  if (changes.length > 0) await storeSums(tx, remittance, after);
  const done = responses.flatMap((outcome, index) =>
    outcome.ok ? [{ command: (paying[index] as Paying).command, outcome }] : [],
  );
  return {
    ok: true,
    changes,
    events: done.flatMap(({ outcome }) => outcome.events),
    ranCommands: done.map((one) => ({ command: one.command, changes: one.outcome.changes })),
    prompts: done.flatMap(({ outcome }) => outcome.prompts ?? []),
  };
}

/** Locks the claims that would be paid, then their invoices, as all commands on claims do. */
async function lockPayable(tx: Transaction, lines: readonly LineRow[]): Promise<ReadonlySet<string>> {
  const ids = [...new Set(lines.filter(isReady).map(({ claim_id }) => claim_id as string))];
  const refs = ids.map((id): RecordRef => ({ tenant_id: (lines[0] as LineRow).tenant_id, id }));
  const claims = [...(await lockClaims(tx, refs)).values()];
  await lockInvoices(
    tx,
    claims.map(({ tenant_id, invoice_id }) => ({ tenant_id, id: invoice_id })),
  );
  return new Set(ids);
}

const isReady = ({ status, outcome }: LineRow) => status === 'open' && PAYING_OUTCOMES.includes(outcome);

function planPayments(
  command: Command,
  {
    remittance,
    lines,
    receivedAt,
    locked,
  }: {
    remittance: RemittanceRow;
    lines: readonly LineRow[];
    receivedAt: string;
    locked: ReadonlySet<string>;
  },
): Paying[] {
  const byClaim = new Map<string, LineRow[]>();
  for (const line of lines.filter(isReady)) {
    const claimId = line.claim_id as string;
    if (locked.has(claimId)) byClaim.set(claimId, [...(byClaim.get(claimId) ?? []), line]);
  }
  return [...byClaim].map(([entityId, parts]) => {
    const paymentId = newId();
    const notes = [...new Set(parts.flatMap(({ note }) => (note === null ? [] : [note])))];
    const input: ClubResponse = {
      outcome: 'paid',
      amount_cents: sumCents(parts),
      reference: remittance.reference,
      reason: notes.length > 0 ? notes.join('; ').slice(0, 2000) : null,
      payment: { id: paymentId, received_at: receivedAt },
    };
    const { type } = recordClaimOutcome;
    const paying = { ...command, id: newId(), type, entityId, input, idempotency: null, ifMatch: null };
    return { command: paying, paymentId, lines: parts };
  });
}

function toResult(outcome: CommandOutcome, paymentId: string): Partial<LineRow> {
  if (outcome.ok) return { status: 'applied', payment_id: paymentId };
  return { outcome: 'not_open', reason: outcome.error.message };
}

/** Returns the start of the day on which the club paid, in the account's time zone. */
async function findStartOfDay(tx: Transaction, { tenant_id, paid_on }: RemittanceRow): Promise<string> {
  const [row] = await tx.query<{ at: string }>({
    name: 'start-of-remittance-day',
    text: `select to_jsonb($2::date::timestamp at time zone t.time_zone) #>> '{}' as at from tenants t where t.tenant_id = $1`,
    values: [tenant_id, paid_on],
  });
  return (row as { at: string }).at;
}
