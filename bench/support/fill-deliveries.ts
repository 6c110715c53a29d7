import { maintainPartitions } from '../../migrations/partitions.js';
import { newId } from '../../shared/platform/ids.js';
import { withPgClient } from '../../test/support/writes/rows.js';
import type { BenchStores } from './stores.js';

const DAY_MS = 24 * 3600 * 1000;
/**
 * The deliveries are spread over this many days: the whole retention time, in five or six weekly
 * partitions.
 */
const DAYS = 30;
/**
 * The number of endpoints. It has no common divisor with the other moduli in the insert query, so
 * that every endpoint gets every status and event type.
 */
const ENDPOINTS = 53;
const ATTEMPTS_EACH = 2;
const DELIVERIES_PER_INSERT = 250_000;

/**
 * Inserts the deliveries with the numbers $4 to $5, and their attempts, oldest first. Every tenth
 * delivery belongs to another tenant.
 */
const INSERT = `
  with made as (
    insert into webhook_deliveries (tenant_id, id, endpoint_id, event_id, event_type, status, attempts, next_attempt_at, last_attempt_at,
      last_response_status, last_error, completed_at, created_at)
    select case when i % 10 = 0 then t.others[1 + i / 10 % 9] else t.busy end, d.id, t.endpoints[1 + i % ${ENDPOINTS}], d.id,
      (array['invoice.created', 'invoice.sent', 'invoice.paid', 'invoice.overdue', 'dispatch.assigned', 'dispatch.completed'])[1 + i / 7 % 6],
      d.status, ${ATTEMPTS_EACH}, null, d.at, case when d.status = 'succeeded' then 200 else 503 end,
      case when d.status <> 'succeeded' then 'http_status' end, d.at, d.at
    from (select $1::uuid as busy, $2::uuid[] as others, $3::uuid[] as endpoints) t, generate_series($4::bigint, $5::bigint) i
    cross join lateral (
      select $6::bigint + i * $7::bigint / $8::bigint as ms,
        case when i % 101 = 0 then 'cancelled' when i % 47 = 0 then 'exhausted' else 'succeeded' end as status
    ) m
    cross join lateral (select m.*, lpad(to_hex(ms), 12, '0') as hex, to_timestamp(ms / 1000.0) as at) x
    cross join lateral (select x.*, (left(hex, 8) || '-' || right(hex, 4) || '-7' || substr(gen_random_uuid()::text, 16))::uuid as id) d
    returning tenant_id, id, endpoint_id, status, created_at
  )
  insert into webhook_attempts (tenant_id, id, delivery_id, endpoint_id, attempt, started_at, url, request_headers, response_status, response_headers,
    response_body, error_class, remote_address, connect_ms, first_byte_ms, total_ms)
  select tenant_id, (left(id::text, 14) || '7' || substr(gen_random_uuid()::text, 16))::uuid, id, endpoint_id, n, created_at,
    'https://hooks.example.com/tow', '{"content-type":"application/json"}', case when status = 'succeeded' and n = ${ATTEMPTS_EACH} then 200 else 503 end,
    '{"server":"nginx"}', 'ok', case when status <> 'succeeded' or n < ${ATTEMPTS_EACH} then 'http_status' end, '203.0.113.7', 20, 80, 95
  from made, generate_series(1, ${ATTEMPTS_EACH}) n`;

export interface FilledDeliveries {
  endpointId: string;
  eventType: string;
}

/**
 * Fills the delivery log with SQL, as the superuser, who bypasses row-level security. Inserts
 * `attempts` attempts, two per delivery, spread evenly over 30 days. Nine tenths belong to the
 * tenant `tenantId`, for 53 endpoints. All deliveries have ended, so that no worker sends them.
 */
export async function fillDeliveries(
  stores: BenchStores,
  tenantId: string,
  attempts: number,
): Promise<FilledDeliveries> {
  const now = Date.now();
  // Create the partitions of the past weeks. `maintainPartitions` creates those from the week
  // before `now` to four weeks ahead, so pass a `now` of 30 days ago. The migrations have created
  // the partitions of the previous week and later.
  await maintainPartitions(stores.databaseUrl, { now: now - DAYS * DAY_MS });
  const endpoints = Array.from({ length: ENDPOINTS }, newId);
  const others = Array.from({ length: 9 }, newId);
  const { href } = Object.assign(new URL(stores.superuserUrl), { pathname: '/tow' });
  await withPgClient(href, async (client) => {
    await client.query(
      `with made as (
       insert into webhook_endpoints (tenant_id, id, url, event_types, max_in_flight)
       select $1, unnest($2::uuid[]), 'https://hooks.example.com/tow', '{*}', 10 returning tenant_id, id)
     insert into webhook_lanes (tenant_id, endpoint_id) select * from made`,
      [tenantId, endpoints],
    );
    const total = attempts / ATTEMPTS_EACH;
    for (let from = 1; from <= total; from += DELIVERIES_PER_INSERT) {
      const to = Math.min(from + DELIVERIES_PER_INSERT - 1, total);
      const span = [now - DAYS * DAY_MS, DAYS * DAY_MS, total];
      await client.query(INSERT, [tenantId, others, endpoints, from, to, ...span]);
    }
    await client.query('vacuum analyze webhook_deliveries, webhook_attempts');
    await client.query('checkpoint');
  });
  return { endpointId: endpoints[3] as string, eventType: 'invoice.paid' };
}
