import type { Transaction } from '../../platform/postgres/database.js';
import type { RecordRef } from '../../records/record-refs.js';

export interface Books {
  id: string;
  connectedAt: Date;
}

/** What a transaction has found so far, by account. Undefined if an account has no books. */
const found = new WeakMap<Transaction, Map<string, Books | undefined>>();

/**
 * Finds the connection to the books of each account, once in a transaction. It is the oldest
 * accounting connection that is not revoked and whose sign-in has worked.
 */
export async function findBooks(tx: Transaction, tenantIds: readonly string[]): Promise<Map<string, Books>> {
  const known = found.get(tx) ?? new Map<string, Books | undefined>();
  found.set(tx, known);
  const missing = [...new Set(tenantIds)].filter((id) => !known.has(id));
  if (missing.length > 0) {
    const rows = await tx.query<RecordRef & { created_at: Date }>({
      name: 'find-books',
      text: `select distinct on (c.tenant_id) c.tenant_id, c.id, c.created_at from connections c
             where c.tenant_id = any($1::uuid[]) and c.kind = 'accounting' and c.status <> 'revoked' and c.external_account is not null
             order by c.tenant_id, c.created_at, c.id`,
      values: [missing],
    });
    const byTenant = new Map(rows.map((row) => [row.tenant_id, { id: row.id, connectedAt: row.created_at }]));
    for (const id of missing) known.set(id, byTenant.get(id));
  }
  return new Map(
    tenantIds.flatMap((id) => {
      const books = known.get(id);
      return books ? [[id, books] as const] : [];
    }),
  );
}

/** Lets the transaction look again, because it has changed connections. */
export function forgetBooks(tx: Transaction): void {
  found.delete(tx);
}
