import type { Database, Transaction } from '../../../platform/postgres/database.js';
import { Conditions } from '../../../records/lists/keyset-list.js';
import { buildExportConditions } from './conditions.js';
import { ALL_TABLES, type ExportFormat, type ExportInclude, type ExportResource } from './export-request.js';

export interface RowEstimateInput {
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

/** The tables that only a dump contains. They may be larger than all other tables. */
const DUMP_ONLY_TABLES = ['audit_entries', 'events', 'webhook_deliveries', 'webhook_attempts'];

/**
 * Estimates how many rows an export has. The estimate uses the statistics of PostgreSQL's planner
 * and reads no rows. So it is fast for any account, but may be far off.
 */
export function estimateExportRows(db: Database, request: RowEstimateInput): Promise<number> {
  const { tenantId, resource, include, format } = request;
  const tenantCondition = () => new Conditions().add('t.tenant_id = ?', tenantId);
  return db.transaction([tenantId], async (tx) => {
    if (resource === 'all') {
      let total = 0;
      const tables = [...ALL_TABLES, TABLES.line_items, ...(format === 'dump' ? DUMP_ONLY_TABLES : [])];
      for (const table of tables) total += await estimateTableRows(tx, table, tenantCondition());
      return total;
    }
    const records = await estimateTableRows(tx, TABLES[resource], buildExportConditions(request, resource));
    if (include.length === 0) return records;
    // The estimate assumes that every invoice has the average number of line items or payments.
    const all = await estimateTableRows(tx, TABLES[resource], tenantCondition());
    const share = Math.min(1, records / Math.max(1, all));
    let rows = records;
    for (const included of include)
      rows += Math.round((await estimateTableRows(tx, TABLES[included], tenantCondition())) * share);
    return rows;
  });
}

interface ExplainResult {
  'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }];
}

/**
 * Estimates how many rows of a table meet the conditions. In a table with many tenants, the
 * planner's own estimate is far too low. It counts the tenant's share of the rows twice: for the
 * row-level security policy, and for our condition on tenant_id.
 * This function therefore gets two estimates: with our conditions and without them. Both include
 * the policy, so their ratio counts the share once. The result is the table's size multiplied by
 * this ratio.
 */
async function estimateTableRows(tx: Transaction, table: string, conditions: Conditions): Promise<number> {
  // Run these queries in sequence. If concurrent queries failed together, the reported error could
  // come from any of them.
  const matching = await explainRows(tx, { table, conditions });
  const visible = await explainRows(tx, { table, conditions: new Conditions().add('true') });
  const [all] = await tx.query<{ rows: number }>({
    name: 'table-rows',
    text: 'select reltuples::bigint as rows from pg_class where oid = $1::regclass',
    values: [table],
  });
  // -1 means that PostgreSQL has not analyzed the table yet.
  if (!all || all.rows <= 0) return matching;
  return Math.round(Math.min(1, matching / Math.max(1, visible)) * all.rows);
}

async function explainRows(
  tx: Transaction,
  { table, conditions }: { table: string; conditions: Conditions },
): Promise<number> {
  const [row] = await tx.query<ExplainResult>({
    text: `explain (format json) select from ${table} t where ${conditions.text}`,
    values: conditions.values,
  });
  return row?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? 0;
}
