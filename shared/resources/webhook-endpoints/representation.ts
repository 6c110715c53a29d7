import { jsonObject, jsonTime } from '../../contracts/resource.js';
import { HEALTH_RULES } from './health/rules.js';

/**
 * Returns SQL for the health state of an endpoint. The query must join the endpoint's row of
 * webhook_lanes as `l`. Every endpoint has such a row.
 */
const renderState = (endpoint: string) => `case
  when not ${endpoint}.enabled then 'disabled'
  when l.open_until > now() then 'paused'
  when l.throttled_until > now() then 'throttled'
  when l.failing_since is not null then 'failing'
  when l.is_slow then 'slow'
  when l.last_success_at is null then 'unknown'
  else 'healthy' end`;

/**
 * Returns SQL for the health of an endpoint as JSON. `alias` is the alias of the endpoint's row.
 */
export function renderHealth(alias: string): string {
  const members = jsonObject('h', [
    'state',
    'consecutive_failures',
    jsonTime('h', 'failing_since'),
    jsonTime('h', 'last_success_at'),
    jsonTime('h', 'last_failure_at'),
    'last_error',
    jsonTime('h', 'paused_until'),
    jsonTime('h', 'disables_at'),
  ]);
  return `(select ${members} from (
    select l.*, ${renderState(alias)} as state, nullif(greatest(l.open_until, l.throttled_until, now()), now()) as paused_until,
      case when ${alias}.enabled then l.failing_since + interval '${HEALTH_RULES.disableAfterHours} hours' end as disables_at
    from webhook_lanes l where l.tenant_id = ${alias}.tenant_id and l.endpoint_id = ${alias}.id) h)`;
}

/**
 * Returns SQL for an array that contains `expression` for each secret `s` that signs deliveries
 * now. Secrets without an expiry come first.
 */
function renderSecretArray(alias: string, expression: string, scheme?: 'v1a'): string {
  return `array(select ${expression} from webhook_secrets s where s.tenant_id = ${alias}.tenant_id and s.endpoint_id = ${alias}.id
    and coalesce(s.expires_at, 'infinity') > now()${scheme ? ` and s.scheme = '${scheme}'` : ''}
    order by s.expires_at desc nulls first, s.scheme, s.id desc)`;
}

/** Returns SQL for the endpoint's secrets that sign deliveries now, without their values. */
export function renderSecrets(alias: string): string {
  const secret = jsonObject('s', ['id', 'scheme', jsonTime('s', 'created_at'), jsonTime('s', 'expires_at')]);
  return renderSecretArray(alias, secret);
}

/** Returns SQL for the public keys of the endpoint's ed25519 secrets that sign deliveries now. */
export function renderPublicKeys(alias: string): string {
  return renderSecretArray(alias, 's.public_key', 'v1a');
}
