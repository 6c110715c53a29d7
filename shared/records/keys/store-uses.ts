import { runWithoutFrozen } from '../../platform/frozen/frozen-accounts.js';
import type { Database, SqlQuery } from '../../platform/postgres/database.js';

/** When a credential was used. */
export interface CredentialUse {
  tenant_id: string;
  id: string;
  /** ISO 8601. */
  at: string;
}

/**
 * Stores when credentials of several accounts were used, without those of frozen accounts. No
 * client requested this write, so it has no audit entry.
 * @param query gets the uses as JSON in $1
 */
export function storeUses(
  db: Database,
  uses: CredentialUse[],
  query: Omit<SqlQuery, 'values'>,
): Promise<void> {
  return runWithoutFrozen(
    uses,
    ({ tenant_id }) => tenant_id,
    async (rest) => {
      if (rest.length === 0) return;
      const tenants = [...new Set(rest.map(({ tenant_id }) => tenant_id))];
      await db.transaction(tenants, async (tx) =>
        tx.queryAtCommit({ ...query, values: [JSON.stringify(rest)] }),
      );
    },
  );
}
