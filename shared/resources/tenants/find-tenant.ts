import type { Tier } from '../../config/config.js';
import type { Database, Transaction } from '../../platform/postgres/database.js';

/** The columns of a tenant that every request needs. */
export interface TenantRow {
  name: string;
  environment: 'live' | 'sandbox';
  time_zone: string;
  tier: Tier;
  /** Null if the tenant is itself a sandbox. */
  sandbox_tenant_id: string | null;
}

export async function findTenant(db: Database, tenantId: string): Promise<TenantRow | undefined> {
  const [tenant] = await db.read<TenantRow>(tenantId, {
    name: 'find-tenant',
    text: 'select name, environment, time_zone, tier, sandbox_tenant_id from tenants where tenant_id = $1',
    values: [tenantId],
  });
  return tenant;
}

/** Returns the names of this transaction's accounts, by id. */
export async function findAccountNames(
  tx: Transaction,
  tenantIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await tx.query<{ tenant_id: string; name: string }>({
    name: 'find-account-names',
    text: 'select tenant_id, name from tenants where tenant_id = any($1::uuid[])',
    values: [[...new Set(tenantIds)]],
  });
  return new Map(rows.map((row) => [row.tenant_id, row.name]));
}

/** Returns the tier whose limits apply to the tenant. A sandbox always has the starter tier. */
export function accountTier({ environment, tier }: TenantRow): Tier {
  return environment === 'sandbox' ? 'starter' : tier;
}
