import type { Transaction } from '../../platform/postgres/database.js';

/** Counts the work orders that trucks are on, up to `max`. */
export async function countOpenWorkOrders(
  tx: Pick<Transaction, 'query'>,
  tenantId: string,
  max: number,
): Promise<number> {
  const [row] = await tx.query<{ count: number }>({
    name: 'count-open-work-orders',
    text: `select count(*)::int as count from (select from work_orders w
           where w.tenant_id = $1 and w.status in ('dispatched', 'in_progress') limit $2) o`,
    values: [tenantId, max],
  });
  return row?.count ?? 0;
}
