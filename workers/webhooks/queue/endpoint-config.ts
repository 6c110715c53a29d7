import { parseSigningSecret, type SigningSecret } from '../../../shared/events/signing.js';
import { unseal } from '../../../shared/platform/crypto.js';
import type { Runtime } from '../../../shared/platform/process/runtime.js';
import { type EndpointQueueRef, listQueueTenants } from '../../../shared/queues/webhooks.js';
import { recordsetSql } from '../../../shared/records/record-refs.js';
import {
  deriveWebhookHeadersKey,
  unsealHeaders,
} from '../../../shared/resources/webhook-endpoints/headers.js';
import { deriveWebhookSecretsKey } from '../../../shared/resources/webhook-endpoints/secret.js';

/**
 * The settings and secrets of an endpoint. The secrets are not encrypted, so keep them only in
 * memory.
 */
export interface EndpointConfig {
  /** The value of the endpoint's `updated_at` when the settings were read. */
  version: string;
  url: string;
  headers: Record<string, string>;
  secrets: { secret: SigningSecret; expiresAtMs: number | null }[];
  rateLimitPerSecond: number | null;
  maxInFlight: number;
}

interface ConfigRow {
  tenant_id: string;
  endpoint_id: string;
  version: string;
  url: string;
  headers_sealed: string | null;
  rate_limit_per_second: number | null;
  max_in_flight: number;
  secrets: { secret_sealed: string; expires_at_ms: number | null }[] | null;
}

export type ConfigLoader = (
  refs: EndpointQueueRef[],
) => Promise<(EndpointQueueRef & { config: EndpointConfig })[]>;

/**
 * Creates a function that reads the settings and secrets of endpoints. The result omits an endpoint
 * whose settings cannot be read, so that this endpoint does not delay the others.
 */
export function createConfigLoader({
  db,
  logger,
  config: { secretKey },
}: Pick<Runtime, 'db' | 'logger' | 'config'>): ConfigLoader {
  const keys = {
    secrets: deriveWebhookSecretsKey(secretKey),
    headers: deriveWebhookHeadersKey(secretKey),
  };
  return async (refs) => {
    const rows = await db.runAndRollBack(listQueueTenants(refs), (tx) =>
      tx.query<ConfigRow>({
        name: 'load-endpoints',
        // Sort the newest secret first, so that its signature comes first in the header. A receiver
        // that checks only the first signature then follows a rotation immediately.
        text: `select p.tenant_id, p.id as endpoint_id, p.updated_at::text as version, p.url, p.headers_sealed, p.rate_limit_per_second,
                 p.max_in_flight,
                 (select json_agg(json_build_object('secret_sealed', s.secret_sealed,
                           'expires_at_ms', extract(epoch from s.expires_at) * 1000) order by s.expires_at desc nulls first, s.created_at desc)
                  from webhook_secrets s where s.tenant_id = p.tenant_id and s.endpoint_id = p.id
                    and (s.expires_at is null or s.expires_at > now())) as secrets
               from ${recordsetSql('tenant_id uuid, endpoint_id uuid')}
               join webhook_endpoints p on p.tenant_id = r.tenant_id and p.id = r.endpoint_id`,
        values: [
          JSON.stringify(
            refs.map(({ tenantId, endpointId }) => ({ tenant_id: tenantId, endpoint_id: endpointId })),
          ),
        ],
      }),
    );
    return rows.flatMap((row) => {
      const { tenant_id: tenantId, endpoint_id: endpointId } = row;
      try {
        return [{ tenantId, endpointId, config: buildConfig(row, keys) }];
      } catch (error) {
        logger.error({ err: error, tenantId, endpointId }, 'cannot read the settings of a webhook endpoint');
        return [];
      }
    });
  };
}

function buildConfig(row: ConfigRow, keys: { secrets: Buffer; headers: Buffer }): EndpointConfig {
  return {
    version: row.version,
    url: row.url,
    headers: unsealHeaders(keys.headers, row.headers_sealed),
    secrets: (row.secrets ?? []).map(({ secret_sealed, expires_at_ms }) => ({
      secret: parseSigningSecret(unseal(keys.secrets, secret_sealed)),
      expiresAtMs: expires_at_ms,
    })),
    rateLimitPerSecond: row.rate_limit_per_second,
    maxInFlight: row.max_in_flight,
  };
}
