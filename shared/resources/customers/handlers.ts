import type { Change, Command, Outcome } from '../../contracts/command.js';
import type { CustomerCreate, CustomerPatch } from '../../contracts/generated.js';
import type { Row, Transaction } from '../../platform/postgres.js';
import { changesOf, changesOfNew } from '../changes.js';
import { lockRecords, missing, nextUpdatedAt, recordset, refKey, refOf } from '../sets.js';

const EDITABLE = `company_name text, company_type text, billing_email text, primary_phone text, address text, city text, state text, zip text,
  is_active boolean, terms_days integer, tax_exempt boolean, tax_rate_bps integer`;
const NAMES = EDITABLE.split(',').map((column) => column.trim().split(' ')[0] as string);

/** Creates customers; without a company_type they are `other` (decisions 2). */
export async function createCustomers(
  tx: Transaction,
  commands: Command<CustomerCreate>[],
): Promise<Outcome[]> {
  const rows = commands.map((command) => ({
    company_type: 'other',
    tax_exempt: false,
    ...command.input,
    is_active: true,
    ...refOf(command),
  }));
  await tx.query({
    name: 'insert-customers',
    text: `insert into customers (tenant_id, id, ${NAMES.join(', ')})
           select tenant_id, id, ${NAMES.join(', ')} from ${recordset(`tenant_id uuid, id uuid, ${EDITABLE}`)}`,
    values: [JSON.stringify(rows)],
  });
  return commands.map((command) => ({
    ok: true,
    changes: changesOfNew(command.input as unknown as Record<string, unknown>),
    events: [],
  }));
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
  const rows = await lockRecords<Row>(tx, 'customers', commands.map(refOf));
  const plans = commands.flatMap((command): Plan[] => {
    const row = rows.get(refKey(refOf(command)));
    return row ? [{ command, row, changes: changesOf(row, command.input as Record<string, unknown>) }] : [];
  });
  await applyPlans(tx, plans);
  return commands.map((command) => {
    const plan = plans.find((candidate) => candidate.command === command);
    return plan ? { ok: true, changes: plan.changes, events: [] } : missing('customer');
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
