import type { Command, CommandOutcome } from '../../../contracts/command.js';
import type { RemittanceCreate } from '../../../contracts/generated.js';
import { newId } from '../../../platform/ids.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import { diffNewRecord } from '../../../records/changes.js';
import { failedOutcome } from '../../../records/outcomes.js';
import { parseColumnNames, recordsetSql, toRecordRef } from '../../../records/record-refs.js';
import { refuseUnknownReferences } from '../../../records/references.js';
import { insertLines, type LineRow, NEW_LINE } from '../../remittance-lines/line-rows.js';
import { remittanceFields } from '../fields.js';
import { rematch, SUM_COLUMNS, sumLines } from './remittance-rows.js';

type CreateCommand = Command<RemittanceCreate>;

/** Stores remittances with their lines, each compared with the claims. */
export async function createRemittances(
  tx: Transaction,
  commands: CreateCommand[],
): Promise<CommandOutcome[]> {
  const refused = await refuseUnknownReferences(tx, commands, remittanceFields.references);
  const outcomes: CommandOutcome[] = [];
  for (const command of commands) outcomes.push(refused.get(command) ?? (await createOne(tx, command)));
  return outcomes;
}

const COLUMNS = `tenant_id uuid, id uuid, ${remittanceFields.settable}, ${SUM_COLUMNS}`;
const NAMES = parseColumnNames(COLUMNS).join(', ');

async function createOne(tx: Transaction, command: CreateCommand): Promise<CommandOutcome> {
  const { lines: _lines, ...input } = command.input;
  const row = { customer_id: null, ...input, ...toRecordRef(command) };
  const lines = await rematch(tx, row, buildLines(command));
  const sums = sumLines(lines);
  const inserted = await tx.query({
    name: 'insert-remittance',
    text: `insert into remittances (${NAMES}) select ${NAMES} from ${recordsetSql(COLUMNS)}
           on conflict (tenant_id, identity) do nothing returning id`,
    values: [JSON.stringify([{ ...row, ...sums }])],
  });
  if (inserted.length === 0) return refuseRepeated(tx, command);
  await insertLines(tx, lines);
  return { ok: true, changes: diffNewRecord({ ...input, ...sums }), events: [] };
}

/**
 * Builds the rows of the lines. Their ids descend, so that lists, which show the greatest id first,
 * show the lines in their sequence.
 */
function buildLines(command: CreateCommand): LineRow[] {
  const lines = command.input.lines ?? [];
  const ids = lines.map(() => newId()).sort();
  return lines.map((line, index) => ({
    ...NEW_LINE,
    tenant_id: command.tenantId,
    id: ids.at(-1 - index) as string,
    remittance_id: command.entityId,
    position: index + 1,
    amount_cents: line.amount_cents,
    po_number: line.po_number || null,
    invoice_number: line.invoice_number || null,
    note: line.note || null,
    outcome: 'no_po',
    reason: '',
    invoice_id: null,
    expected_cents: null,
  }));
}

async function refuseRepeated(tx: Transaction, { tenantId, input }: CreateCommand): Promise<CommandOutcome> {
  const [first] = await tx.query<{ id: string; day: string }>({
    name: 'find-repeated-remittance',
    text: `select t.id, t.created_at::date::text as day from remittances t
           where t.tenant_id = $1 and t.identity = lower($2) || chr(10) || lower($3)`,
    values: [tenantId, input.payer, input.reference],
  });
  const message = `The remittance ${input.reference} of ${input.payer} was imported already on ${first?.day}, as ${first?.id}`;
  return failedOutcome({
    code: 'conflict',
    message: `${message}.`,
    details: [{ field: 'reference', code: 'conflict', message, remittance_id: first?.id }],
  });
}
