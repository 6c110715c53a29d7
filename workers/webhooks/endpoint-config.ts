import { parseSecret, type SigningSecret } from '../../shared/events/signing.js';
import { unseal } from '../../shared/platform/crypto.js';
import type { Runtime } from '../../shared/platform/runtime.js';
import { type LaneRef, tenantsOf } from '../../shared/queues/webhooks.js';
import { recordset } from '../../shared/resources/sets.js';
import { openHeaders, webhookHeadersKey } from '../../shared/resources/webhook-endpoints/headers.js';
import { webhookSecretsKey } from '../../shared/resources/webhook-endpoints/secret.js';

/** What sending to an endpoint takes. Holds secrets in clear: it stays in memory. */
export interface EndpointConfig {
  /** The updated_at that was read. */
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

export type ConfigLoader = (lanes: LaneRef[]) => Promise<(LaneRef & { config: EndpointConfig })[]>;

/** Reads the settings and secrets of endpoints. Those that cannot be read are missing from the answer: one must not hold up the others. */
export function createConfigLoader({
  db,
  logger,
  config: { secretKey },
}: Pick<Runtime, 'db' | 'logger' | 'config'>): ConfigLoader {
  const keys = {
    secrets: webhookSecretsKey(secretKey),
    headers: webhookHeadersKey(secretKey),
  };
  return async (lanes) => {
    const rows = await db.transaction(tenantsOf(lanes), (tx) =>
      tx.query<ConfigRow>({
        name: 'load-endpoints',
        // The newest secret signs first: a receiver that looks at the first signature alone follows a rotation at once.
        text: `select p.tenant_id, p.id as endpoint_id, p.updated_at::text as version, p.url, p.headers_sealed, p.rate_limit_per_second,
                 p.max_in_flight,
                 (select json_agg(json_build_object('secret_sealed', s.secret_sealed,
                           'expires_at_ms', extract(epoch from s.expires_at) * 1000) order by s.expires_at desc nulls first, s.created_at desc)
                  from webhook_secrets s where s.tenant_id = p.tenant_id and s.endpoint_id = p.id
                    and (s.expires_at is null or s.expires_at > now())) as secrets
               from ${recordset('tenant_id uuid, endpoint_id uuid')}
               join webhook_endpoints p on p.tenant_id = r.tenant_id and p.id = r.endpoint_id`,
        values: [
          JSON.stringify(
            lanes.map(({ tenantId, endpointId }) => ({ tenant_id: tenantId, endpoint_id: endpointId })),
          ),
        ],
      }),
    );
    return rows.flatMap((row) => {
      const { tenant_id: tenantId, endpoint_id: endpointId } = row;
      try {
        return [{ tenantId, endpointId, config: configOf(row, keys) }];
      } catch (error) {
        logger.error({ err: error, tenantId, endpointId }, 'settings of a webhook endpoint cannot be read');
        return [];
      }
    });
  };
}

function configOf(row: ConfigRow, keys: { secrets: Buffer; headers: Buffer }): EndpointConfig {
  return {
    version: row.version,
    url: row.url,
    headers: openHeaders(keys.headers, row.headers_sealed),
    secrets: (row.secrets ?? []).map(({ secret_sealed, expires_at_ms }) => ({
      secret: parseSecret(unseal(keys.secrets, secret_sealed)),
      expiresAtMs: expires_at_ms,
    })),
    rateLimitPerSecond: row.rate_limit_per_second,
    maxInFlight: row.max_in_flight,
  };
}
