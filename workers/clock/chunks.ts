import type { Transaction } from '../../shared/platform/postgres.js';
import type { Runtime } from '../../shared/platform/runtime.js';

/** Tenants looked at in one transaction. */
export const TENANTS_PER_PASS = 500;

/** Runs a sweep over all tenants, some hundred at a time, each chunk in a transaction that sees only these. */
export async function forEachChunk(
  { db }: Pick<Runtime, 'db'>,
  work: (tx: Transaction) => Promise<void>,
): Promise<void> {
  const tenants = await db.tenantIds();
  for (let start = 0; start < tenants.length; start += TENANTS_PER_PASS) {
    await db.transaction(tenants.slice(start, start + TENANTS_PER_PASS), work);
  }
}
