import type { Command, CommandOutcome } from '../../../contracts/command.js';
import type { RemittanceLinePatch } from '../../../contracts/generated.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import { diffPatch } from '../../../records/changes.js';
import { failedOutcome, notFoundOutcome } from '../../../records/outcomes.js';
import { toRecordRef } from '../../../records/record-refs.js';
import { refuseUnknownReferences } from '../../../records/references.js';
import { claimTable } from '../../claims/table.js';
import { type LineRow, readLines, storeLines } from '../../remittance-lines/line-rows.js';
import { lockRemittance, type RemittanceRow, rematch, storeSums } from './remittance-rows.js';

type LineCommand = Command<RemittanceLinePatch>;

/**
 * Names the claims of lines, or ignores lines. The open lines of the remittance are compared again,
 * because the amounts of lines that pay one claim are added.
 */
export async function updateRemittanceLines(
  tx: Transaction,
  commands: LineCommand[],
): Promise<CommandOutcome[]> {
  const refused = await refuseUnknownReferences(tx, commands, { claim_id: claimTable });
  const outcomes: CommandOutcome[] = [];
  for (const command of commands) outcomes.push(await updateOne(tx, command, refused.get(command)));
  return outcomes;
}

async function updateOne(
  tx: Transaction,
  command: LineCommand,
  refusal: CommandOutcome | undefined,
): Promise<CommandOutcome> {
  const remittance = await lockRemittanceOfLine(tx, command);
  if (!remittance) return notFoundOutcome('remittance line');
  if (refusal) return refusal;
  const before = await readLines(tx, remittance);
  const current = before.find(({ id }) => id === command.entityId) as LineRow;
  const patched = patchLine(current, command.input);
  const isChanged = diffPatch(current, patched).length > 0;
  if (!isChanged) return { ok: true, changes: [], events: [] };
  if (current.status === 'applied')
    return failedOutcome({
      code: 'conflict',
      message: `The payment of this line is recorded, as ${current.payment_id}. Refund that payment instead.`,
    });
  const lines = await rematch(
    tx,
    remittance,
    before.map((line) => (line === current ? patched : line)),
  );
  await storeLines(tx, lines, before);
  await storeSums(tx, remittance, lines);
  const after = lines.find(({ id }) => id === command.entityId) as LineRow;
  const { claim_id, is_claim_named, ignored_reason, status, outcome } = after;
  const changes = diffPatch(current, { claim_id, is_claim_named, ignored_reason, status, outcome });
  return { ok: true, changes, events: [] };
}

function patchLine(
  line: LineRow,
  { claim_id: claimId, ignored_reason: reason }: RemittanceLinePatch,
): LineRow {
  const ignoredReason = reason === undefined ? line.ignored_reason : reason;
  const status = ignoredReason === null ? 'open' : 'ignored';
  return {
    ...line,
    ...(claimId === undefined ? {} : { claim_id: claimId, is_claim_named: claimId !== null }),
    ignored_reason: ignoredReason,
    status: line.status === 'applied' ? 'applied' : status,
  };
}

async function lockRemittanceOfLine(
  tx: Transaction,
  command: LineCommand,
): Promise<RemittanceRow | undefined> {
  const { tenant_id, id } = toRecordRef(command);
  const [row] = await tx.query<{ remittance_id: string }>({
    name: 'find-remittance-of-line',
    text: 'select t.remittance_id from remittance_lines t where t.tenant_id = $1 and t.id = $2',
    values: [tenant_id, id],
  });
  return row && lockRemittance(tx, { tenant_id, id: row.remittance_id });
}
