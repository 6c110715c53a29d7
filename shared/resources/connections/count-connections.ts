import type { Transaction } from '../../platform/postgres/database.js';
import { isInSessionTenants } from '../../records/session-tenants.js';

export interface ConnectionCount {
  vendor: string;
  status: string;
  count: number;
}

/** Counts the connections of the transaction's tenants that are not revoked. */
export function countConnections(tx: Transaction): Promise<ConnectionCount[]> {
  return tx.query<ConnectionCount>({
    name: 'count-connections',
    text: `select c.vendor, c.status, count(*)::int as count from connections c
           where ${isInSessionTenants('c')} and c.status <> 'revoked' group by 1, 2`,
  });
}
