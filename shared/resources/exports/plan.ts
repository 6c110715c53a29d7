import type { Database, Transaction } from '../../platform/postgres.js';
import { Conditions } from '../keyset-list.js';
import { conditionsOf } from './conditions.js';
import { ALL_TABLES, type ExportFormat, type ExportInclude, type ExportResource } from './order.js';

/** What decides how many rows an export has. */
export interface CountedOrder {
  tenantId: string;
  timeZone: string;
  resource: ExportResource;
  filters: Readonly<Record<string, unknown>>;
  include: readonly ExportInclude[];
  format: ExportFormat;
}

const TABLES = {
  invoices: 'invoices',
  customers: 'customers',
  work_orders: 'work_orders',
  inspections: 'inspections',
  line_items: 'invoice_line_items',
  payments: 'payments',
} as const;

/** What a dump has beside them and what may be larger than all of them. */
const BESIDE_IN_DUMPS = ['audit_entries', 'events', 'webhook_deliveries', 'webhook_attempts'];

/**
 * How many rows an export will have, as PostgreSQL's planner takes it from its statistics: no row is read, whatever the size of the account. It may be far out.
 */
export function planExport(db: Database, order: CountedOrder): Promise<number> {
  const { tenantId, resource, include, format } = order;
  const ofTenant = () => new Conditions().add('t.tenant_id = ?', tenantId);
  return db.transaction([tenantId], async (tx) => {
    if (resource === 'all') {
      let everything = 0;
      const tables = [...ALL_TABLES, TABLES.line_items, ...(format === 'dump' ? BESIDE_IN_DUMPS : [])];
      for (const table of tables) everything += await estimate(tx, table, ofTenant());
      return everything;
    }
    const records = await estimate(tx, TABLES[resource], conditionsOf(order, resource));
    if (include.length === 0) return records;
    // Of invoices alone: as many on each as on all of them together.
    const all = await estimate(tx, TABLES[resource], ofTenant());
    const share = Math.min(1, records / Math.max(1, all));
    let rows = records;
    for (const one of include) rows += Math.round((await estimate(tx, TABLES[one], ofTenant())) * share);
    return rows;
  });
}

interface Explained {
  'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }];
}

/**
 * The planner multiplies in how many rows the policy of tenants leaves, once more beside our own condition on the tenant: of a table of many tenants it
 * counts on far too few. So it is asked for a share only, of what it counts on without conditions; of that share of all rows.
 */
async function estimate(tx: Transaction, table: string, conditions: Conditions): Promise<number> {
  // One after the other: of several at once that fail it is not sure which one says why.
  const wanted = await explain(tx, { table, conditions });
  const visible = await explain(tx, { table, conditions: new Conditions().add('true') });
  const [all] = await tx.query<{ rows: number }>({
    name: 'table-rows',
    text: 'select reltuples::bigint as rows from pg_class where oid = $1::regclass',
    values: [table],
  });
  // -1: nobody has looked at the table yet.
  if (!all || all.rows <= 0) return wanted;
  return Math.round(Math.min(1, wanted / Math.max(1, visible)) * all.rows);
}

async function explain(
  tx: Transaction,
  { table, conditions }: { table: string; conditions: Conditions },
): Promise<number> {
  const [row] = await tx.query<Explained>({
    text: `explain (format json) select from ${table} t where ${conditions.text}`,
    values: conditions.values,
  });
  return row?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? 0;
}
