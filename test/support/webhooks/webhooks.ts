import { deriveKey, seal } from '../../../shared/platform/crypto.js';
import { newId } from '../../../shared/platform/ids.js';
import type { Runtime } from '../../../shared/platform/process/runtime.js';
import { generateSecret } from '../../../shared/resources/webhook-endpoints/secret.js';

interface EndpointOptions {
  url: string;
  eventTypes?: string[];
  maxInFlight?: number;
  /** Default: a new secret. */
  secret?: string;
}

/**
 * Inserts an endpoint and its secret as POST /webhook-endpoints would store them, but without the
 * API's limits.
 */
export async function insertSignedEndpoint(
  { db, config }: Pick<Runtime, 'db'> & { config: { secretKey: string } },
  tenantId: string,
  { url, secret = generateSecret(), eventTypes = ['*'], maxInFlight = 20 }: EndpointOptions,
): Promise<{ id: string; secret: string }> {
  const id = newId();
  const sealed = seal(deriveKey(config.secretKey, 'webhook-secrets'), secret);
  await db.transaction([tenantId], async (tx) => {
    await tx.query({
      text: `insert into webhook_endpoints (tenant_id, id, url, event_types, max_in_flight) values ($1, $2, $3, $4, $5)`,
      values: [tenantId, id, url, eventTypes, maxInFlight],
    });
    await tx.query({
      text: `insert into webhook_secrets (tenant_id, id, endpoint_id, scheme, secret_sealed) values ($1, $2, $3, 'v1', $4)`,
      values: [tenantId, newId(), id, sealed],
    });
    await tx.query({
      text: 'insert into webhook_lanes (tenant_id, endpoint_id) values ($1, $2)',
      values: [tenantId, id],
    });
  });
  return { id, secret };
}
