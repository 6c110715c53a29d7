import type { Change, Command, Outcome } from '../../contracts/command.js';
import type { CustomerCreate, CustomerPatch } from '../../contracts/generated.js';
import type { Row, Transaction } from '../../platform/postgres.js';
import { changesOf, changesOfNew } from '../changes.js';
import {
  findExisting,
  invalidReferences,
  lockRecords,
  missing,
  nextUpdatedAt,
  recordset,
  refKey,
  refOf,
} from '../sets.js';

const EDITABLE = `company_name text, company_type text, billing_email text, primary_phone text, address text, city text, state text, zip text,
  is_active boolean, terms_days integer, tax_exempt boolean, tax_rate_bps integer,
  rate_card_id uuid`;
const NAMES = EDITABLE.split(',').map((column) => column.trim().split(' ')[0] as string);

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

interface Plan {
  command: Command<CustomerPatch>;
  row: Row;
  changes: Change[];
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
  const plans = commands.flatMap((command): Plan[] => {
    const row = rows.get(refKey(refOf(command)));
    return row && !strays.has(command)
      ? [{ command, row, changes: changesOf(row, command.input as Record<string, unknown>) }]
      : [];
  });
  await applyPlans(tx, plans);
  return commands.map((command) => {
    const plan = plans.find((candidate) => candidate.command === command);
    if (plan) return { ok: true, changes: plan.changes, events: [] };
    return rows.has(refKey(refOf(command))) ? unknownCard() : missing('customer');
  });
}

async function applyPlans(tx: Transaction, plans: Plan[]): Promise<void> {
  const changed = plans.filter((plan) => plan.changes.length > 0);
  if (changed.length === 0) return;
  await tx.query({
    name: 'update-customers',
    text: `update customers t set ${NAMES.map((name) => `${name} = r.${name}`).join(', ')}, updated_at = ${nextUpdatedAt('t')}
           from ${recordset(`tenant_id uuid, id uuid, ${EDITABLE}`)} where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(changed.map(({ row, command }) => ({ ...row, ...command.input })))],
  });
}
