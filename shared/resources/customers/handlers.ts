import type { Command, CommandOutcome } from '../../contracts/command.js';
import type { CustomerCreate, CustomerPatch } from '../../contracts/generated.js';
import type { Row, Transaction } from '../../platform/postgres/database.js';
import { diffNewRecord } from '../../records/changes.js';
import { lockRecords } from '../../records/lock-records.js';
import { mergeRecords, planMerge } from '../../records/merge-records.js';
import { notFoundOutcome } from '../../records/outcomes.js';
import { parseColumnNames, recordsetSql, refKey, toRecordRef } from '../../records/record-refs.js';
import { findExistingRecords, invalidReferencesOutcome } from '../../records/references.js';

const EDITABLE = `company_name text, company_type text, billing_email text, primary_phone text, address text, city text, state text, zip text,
  is_active boolean, terms_days integer, tax_exempt boolean, tax_rate_bps integer,
  rate_card_id uuid`;
const NAMES = parseColumnNames(EDITABLE);

/** Finds commands whose rate_card_id does not exist in this account. */
async function findUnknownRateCards(
  tx: Transaction,
  commands: Command<CustomerCreate | CustomerPatch>[],
): Promise<Set<Command>> {
  const rateCardRefs = ({ tenantId, input }: Command<CustomerCreate | CustomerPatch>) =>
    input.rate_card_id ? [{ tenant_id: tenantId, id: input.rate_card_id }] : [];
  const existing = await findExistingRecords(tx, 'rate_cards', commands.flatMap(rateCardRefs));
  return new Set(
    commands.filter((command) => rateCardRefs(command).some((ref) => !existing.has(refKey(ref)))),
  );
}

function unknownRateCardOutcome(): CommandOutcome {
  const message = 'rate_card_id is not a rate card of this account';
  return invalidReferencesOutcome([{ field: 'rate_card_id', code: 'unknown', message }]);
}

/** Creates customers. The default company_type is `other` (docs/decisions.md §2). */
export async function createCustomers(
  tx: Transaction,
  commands: Command<CustomerCreate>[],
): Promise<CommandOutcome[]> {
  const unknownRateCards = await findUnknownRateCards(tx, commands);
  const rows = commands
    .filter((command) => !unknownRateCards.has(command))
    .map((command) => ({
      company_type: 'other',
      tax_exempt: false,
      ...command.input,
      is_active: true,
      ...toRecordRef(command),
    }));
  if (rows.length > 0)
    await tx.query({
      name: 'insert-customers',
      text: `insert into customers (tenant_id, id, ${NAMES.join(', ')})
           select tenant_id, id, ${NAMES.join(', ')} from ${recordsetSql(`tenant_id uuid, id uuid, ${EDITABLE}`)}`,
      values: [JSON.stringify(rows)],
    });
  return commands.map((command) => {
    if (unknownRateCards.has(command)) return unknownRateCardOutcome();
    const changes = diffNewRecord(command.input as unknown as Record<string, unknown>);
    return { ok: true, changes, events: [] };
  });
}

/** Applies a JSON merge to customers. */
export async function updateCustomers(
  tx: Transaction,
  commands: Command<CustomerPatch>[],
): Promise<CommandOutcome[]> {
  const [rows, unknownRateCards] = await Promise.all([
    lockRecords<Row>(tx, 'customers', commands.map(toRecordRef)),
    findUnknownRateCards(tx, commands),
  ]);
  return mergeRecords(tx, commands, {
    table: 'customers',
    columns: EDITABLE,
    plan: (command) => {
      const row = rows.get(refKey(toRecordRef(command)));
      if (!row) return notFoundOutcome('customer');
      return unknownRateCards.has(command) ? unknownRateCardOutcome() : planMerge(row, command.input);
    },
  });
}
