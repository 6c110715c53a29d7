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

/** The commands that name a rate card of nobody. */
async function findStrays(
  tx: Transaction,
  commands: Command<CustomerCreate | CustomerPatch>[],
): Promise<Set<Command>> {
  const cardOf = ({ tenantId, input }: Command<CustomerCreate | CustomerPatch>) =>
    input.rate_card_id ? [{ tenant_id: tenantId, id: input.rate_card_id }] : [];
  const known = await findExisting(tx, 'rate_cards', commands.flatMap(cardOf));
  return new Set(commands.filter((command) => cardOf(command).some((ref) => !known.has(refKey(ref)))));
}

function unknownCard(): Outcome {
  const message = 'rate_card_id is not a rate card of this account';
  return invalidReferences([{ field: 'rate_card_id', code: 'unknown', message }]);
}

/** Creates customers; without a company_type they are `other` (decisions 2). */
export async function createCustomers(
  tx: Transaction,
  commands: Command<CustomerCreate>[],
): Promise<Outcome[]> {
  const strays = await findStrays(tx, commands);
  const rows = commands
    .filter((command) => !strays.has(command))
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
    if (strays.has(command)) return unknownCard();
    const changes = changesOfNew(command.input as unknown as Record<string, unknown>);
    return { ok: true, changes, events: [] };
  });
}

/** JSON merge of a customer's fields. */
export async function updateCustomers(
  tx: Transaction,
  commands: Command<CustomerPatch>[],
): Promise<Outcome[]> {
  const [rows, strays] = await Promise.all([
    lockRecords<Row>(tx, 'customers', commands.map(refOf)),
    findStrays(tx, commands),
  ]);
  return mergeRecords(tx, commands, {
    table: 'customers',
    columns: EDITABLE,
    plan: (command) => {
      const row = rows.get(refKey(refOf(command)));
      if (!row) return missing('customer');
      return strays.has(command) ? unknownCard() : mergeOf(row, command.input);
    },
  });
}
