import type { Transaction } from '../platform/postgres/database.js';
import { type RecordRef, recordsetSql } from '../records/record-refs.js';

/**
 * SQL condition: connection `c` leads to the same account at the vendor as connection `me`. An
 * account that disconnects a vendor and connects it again has several such connections, of which at
 * most one is not revoked.
 */
export const IS_SAME_ACCOUNT_SQL = `c.tenant_id = me.tenant_id and c.vendor = me.vendor
  and (c.id = me.id or c.external_account = me.external_account)`;

/**
 * Finds the connections that have replaced revoked ones to the same account at the vendor.
 * @returns id of the revoked connection → id of the connection that replaced it
 */
export async function findSuccessors(
  tx: Transaction,
  connections: readonly RecordRef[],
): Promise<Map<string, string>> {
  if (connections.length === 0) return new Map();
  const rows = await tx.query<{ id: string; successor_id: string }>({
    name: 'find-successors-of-connections',
    text: `select me.id, c.id as successor_id from ${recordsetSql('tenant_id uuid, id uuid')}
           join connections me on me.tenant_id = r.tenant_id and me.id = r.id and me.status = 'revoked'
           join connections c on ${IS_SAME_ACCOUNT_SQL} and c.status <> 'revoked'`,
    values: [JSON.stringify(connections.map(({ tenant_id, id }) => ({ tenant_id, id })))],
  });
  return new Map(rows.map(({ id, successor_id }) => [id, successor_id]));
}
