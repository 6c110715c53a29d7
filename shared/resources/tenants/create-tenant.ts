import type { Tier } from '../../config/config.js';
import { newId } from '../../platform/ids.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { buildOperatorAuditInsert } from '../audit-log/insert.js';

export interface NewTenant {
  name: string;
  tier?: Tier;
  timeZone?: string;
  taxRateBps?: number;
  /**
   * The approval threshold for agents' drafts. With null, the default, no draft waits for approval.
   */
  agentGateCents?: number | null;
}

/**
 * The ids of a tenant and of its sandbox, which sign-up creates together (docs/decisions.md §6).
 */
export interface TenantPair {
  live: string;
  sandbox: string;
}

/**
 * Returns the ids for {@link createTenantPair}. The transaction that creates the tenants must name
 * both ids.
 */
export function createTenantPairIds(): TenantPair {
  return { live: newId(), sandbox: newId() };
}

/** Creates a tenant and its sandbox. The transaction must name exactly these two tenants. */
export async function createTenantPair(tx: Transaction, pair: TenantPair, tenant: NewTenant): Promise<void> {
  const {
    name,
    tier = 'standard',
    timeZone = 'America/New_York',
    taxRateBps = 0,
    agentGateCents = null,
  } = tenant;
  await tx.query({
    text: `insert into tenants (tenant_id, name, environment, live_tenant_id, sandbox_tenant_id, tier, time_zone, tax_rate_bps, agent_gate_cents)
           values ($1, $3, 'live', null, $2, $4, $5, $6, $7), ($2, $3, 'sandbox', $1, null, $4, $5, $6, $7)`,
    values: [pair.live, pair.sandbox, name, tier, timeZone, taxRateBps, agentGateCents],
  });
  await tx.query(
    buildOperatorAuditInsert(
      [pair.live, pair.sandbox].map((id) => ({
        tenantId: id,
        action: 'tenant.created',
        entityType: 'tenant',
        entityId: id,
      })),
    ),
  );
}
