import { randomBytes } from 'node:crypto';
import { deriveKey, seal } from '../../shared/platform/crypto.js';
import { newId } from '../../shared/platform/ids.js';
import type { Runtime } from '../../shared/platform/runtime.js';

export interface EndpointOptions {
  eventTypes?: string[];
  rateLimitPerSecond?: number;
  maxInFlight?: number;
  headers?: Record<string, string>;
  /** Made here when none is given. */
  secret?: string;
}

export interface TestEndpoint {
  id: string;
  secret: string;
}

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;

/** An endpoint as POST /webhook-endpoints stores it, made past the API: many at once, and without its limits. */
export async function insertEndpoint(
  { db, config }: Pick<Runtime, 'db'> & { config: { secretKey: string } },
  tenantId: string,
  { url, ...options }: EndpointOptions & { url: string },
): Promise<TestEndpoint> {
  const id = newId();
  const {
    secret = newSecret(),
    eventTypes = ['*'],
    rateLimitPerSecond = null,
    maxInFlight = 20,
    headers,
  } = options;
  const sealed = seal(deriveKey(config.secretKey, 'webhook-secrets'), secret);
  const headersSealed =
    headers && seal(deriveKey(config.secretKey, 'webhook-headers'), JSON.stringify(headers));
  await db.transaction([tenantId], async (tx) => {
    await tx.query({
      text: `insert into webhook_endpoints (tenant_id, id, url, event_types, headers_sealed, rate_limit_per_second, max_in_flight)
             values ($1, $2, $3, $4, $5, $6, $7)`,
      values: [tenantId, id, url, eventTypes, headersSealed ?? null, rateLimitPerSecond, maxInFlight],
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
