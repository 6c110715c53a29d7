import type { Transaction } from '../../platform/postgres/database.js';

/** The connection through which customers of an account pay online. */
export interface PaymentsConnection {
  tenant_id: string;
  id: string;
  vendor: string;
  allows_partial_payments: boolean;
}

/**
 * Finds the connection through which customers of each account pay. It is the oldest connection
 * that is not revoked and whose credentials have worked.
 */
export async function findPaymentsConnections(
  tx: Transaction,
  tenantIds: readonly string[],
): Promise<Map<string, PaymentsConnection>> {
  const rows = await tx.query<PaymentsConnection>({
    name: 'find-payments-connections',
    text: `select distinct on (c.tenant_id) c.tenant_id, c.id, c.vendor,
             coalesce((c.settings->>'partial_payments')::boolean, false) as allows_partial_payments
           from connections c
           where c.tenant_id = any($1::uuid[]) and c.kind = 'payments' and c.status <> 'revoked' and c.external_account is not null
           order by c.tenant_id, c.created_at, c.id`,
    values: [[...new Set(tenantIds)]],
  });
  return new Map(rows.map((row) => [row.tenant_id, row]));
}
