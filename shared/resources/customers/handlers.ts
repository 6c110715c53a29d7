import type { Command, Outcome } from '../../contracts/command.js';
import type { CustomerCreate, CustomerPatch } from '../../contracts/generated.js';
import type { Row, Transaction } from '../../platform/postgres.js';
import { changesOfNew } from '../changes.js';
import { mergeOf, mergeRecords } from '../merge-records.js';
import {
  findExisting,
  invalidReferences,
  lockRecords,
  missing,
  namesOf,
  recordset,
  refKey,
  refOf,
} from '../sets.js';

const EDITABLE = `company_name text, company_type text, billing_email text, primary_phone text, address text, city text, state text, zip text,
  is_active boolean, terms_days integer, tax_exempt boolean, tax_rate_bps integer,
  rate_card_id uuid`;
const NAMES = namesOf(EDITABLE);

/** Finds commands whose rate_card_id does not exist in this account. */
async function findUnknownRateCards(
  tx: Transaction,
  commands: Command<CustomerCreate | CustomerPatch>[],
): Promise<Set<Command>> {
  const rateCardRefs = ({ tenantId, input }: Command<CustomerCreate | CustomerPatch>) =>
    input.rate_card_id ? [{ tenant_id: tenantId, id: input.rate_card_id }] : [];
  const existing = await findExisting(tx, 'rate_cards', commands.flatMap(rateCardRefs));
  return new Set(
    commands.filter((command) => rateCardRefs(command).some((ref) => !existing.has(refKey(ref)))),
  );
}

function unknownRateCardOutcome(): Outcome {
  const message = 'rate_card_id is not a rate card of this account';
  return invalidReferences([{ field: 'rate_card_id', code: 'unknown', message }]);
}

/** Creates customers. The default company_type is `other` (docs/decisions.md §2). */
export async function createCustomers(
  tx: Transaction,
  commands: Command<CustomerCreate>[],
): Promise<Outcome[]> {
  const unknownRateCards = await findUnknownRateCards(tx, commands);
  const rows = commands
    .filter((command) => !unknownRateCards.has(command))
    .map((command) => ({
      company_type: 'other',
      tax_exempt: false,
      ...command.input,
      is_active: true,
      ...refOf(command),
    }));
  if (rows.length > 0)
    await tx.query({
      name: 'insert-customers',
      text: `insert into customers (tenant_id, id, ${NAMES.join(', ')})
           select tenant_id, id, ${NAMES.join(', ')} from ${recordset(`tenant_id uuid, id uuid, ${EDITABLE}`)}`,
      values: [JSON.stringify(rows)],
    });
  return commands.map((command) => {
    if (unknownRateCards.has(command)) return unknownRateCardOutcome();
    const changes = changesOfNew(command.input as unknown as Record<string, unknown>);
    return { ok: true, changes, events: [] };
  });
}

/** Applies a JSON merge to customers. */
export async function updateCustomers(
  tx: Transaction,
  commands: Command<CustomerPatch>[],
): Promise<Outcome[]> {
  const [rows, unknownRateCards] = await Promise.all([
    lockRecords<Row>(tx, 'customers', commands.map(refOf)),
    findUnknownRateCards(tx, commands),
  ]);
  return mergeRecords(tx, commands, {
    table: 'customers',
    columns: EDITABLE,
    plan: (command) => {
      const row = rows.get(refKey(refOf(command)));
      if (!row) return missing('customer');
      return unknownRateCards.has(command) ? unknownRateCardOutcome() : mergeOf(row, command.input);
    },
  });
}
