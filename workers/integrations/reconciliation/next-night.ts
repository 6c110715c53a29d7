import type { Transaction } from '../../../shared/platform/postgres/database.js';

/**
 * Returns the milliseconds until tomorrow's small hours where the account is: some time between
 * 1:00 and 5:00. The time is random, so that the connections of a time zone do not start together.
 */
export async function findNextNightMs(tx: Transaction, tenantId: string): Promise<number> {
  const [row] = await tx.query<{ ms: number }>({
    name: 'find-next-night',
    text: `select (extract(epoch from (date_trunc('day', now() at time zone t.time_zone) + interval '25 hours'
               + random() * interval '4 hours') at time zone t.time_zone - now()) * 1000)::float8 as ms
           from tenants t where t.tenant_id = $1`,
    values: [tenantId],
  });
  if (!row) throw new Error('the account of a connection does not exist');
  return row.ms;
}
