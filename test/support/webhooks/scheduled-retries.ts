/**
 * Inserts deliveries that failed once and wait for their next attempt, as the worker would store
 * them. Uses SQL, because a test cannot wait for so many failures.
 */
import { deliveryIdSql } from '../../../shared/deliveries/delivery-ids.js';
import { newId } from '../../../shared/platform/ids.js';
import type { Database } from '../../../shared/platform/postgres/database.js';
import { recordsetSql } from '../../../shared/records/record-refs.js';

/**
 * The number of rows that one query inserts. A query of the application may take at most five
 * seconds, and a busy machine inserts a tenth as fast as a quiet one.
 */
const ROWS_PER_QUERY = 2000;

export interface RetryEndpoints {
  tenantId: string;
  endpointIds: string[];
}

/**
 * Inserts retries that become due during the day that starts in ten minutes. The test ends within
 * those ten minutes. So no worker sends the retries, and their events need not exist.
 */
export async function insertFarRetries(
  db: Database,
  { tenantId, endpointIds }: RetryEndpoints,
  count: number,
): Promise<void> {
  for (let start = 0; start < count; start += ROWS_PER_QUERY) {
    await db.transaction([tenantId], (tx) =>
      tx.query({
        text: `insert into webhook_deliveries (tenant_id, id, endpoint_id, event_id, event_type, status, attempts, next_attempt_at,
                 last_attempt_at, last_response_status, last_error)
               select $1, ${deliveryIdSql('$2::uuid', 'gen_random_uuid()')}, ($3::uuid[])[1 + i % cardinality($3::uuid[])], gen_random_uuid(),
                 'invoice.created', 'failed', 1, now() + interval '10 min' + random() * interval '1 day', now(), 500, 'http_500'
               from generate_series(1, $4::int) i`,
        values: [tenantId, newId(), endpointIds, Math.min(ROWS_PER_QUERY, count - start)],
      }),
    );
  }
}

export interface DueRetries {
  count: number;
  /**
   * The time in ms until the first delivery becomes due. The other deliveries follow evenly during
   * `overMs`.
   */
  fromMs: number;
  overMs: number;
}

/**
 * Inserts retries that become due one after the other. Each event's timestamp is the delivery's due
 * time, so a receiver can compute how late the delivery is.
 */
export async function insertDueRetries(
  db: Database,
  { tenantId, endpointIds }: RetryEndpoints,
  { count, fromMs, overMs }: DueRetries,
): Promise<void> {
  const now = Date.now();
  const rows = Array.from({ length: count }, (_, nth) => {
    const id = newId();
    const timestamp = new Date(now + fromMs + (overMs * nth) / count).toISOString();
    return {
      event_id: id,
      endpoint_id: endpointIds[nth % endpointIds.length],
      at: timestamp,
      body: JSON.stringify({ id, type: 'invoice.created', timestamp, data: { object: { id } } }),
    };
  });
  const set = recordsetSql('event_id uuid, endpoint_id uuid, at timestamptz, body text');
  const values = [JSON.stringify(rows), tenantId];
  await db.transaction([tenantId], async (tx) => {
    await tx.query({
      text: `insert into events (tenant_id, id, type, body) select $2, event_id, 'invoice.created', body from ${set}`,
      values,
    });
    await tx.query({
      text: `insert into webhook_deliveries (tenant_id, id, endpoint_id, event_id, event_type, status, attempts, next_attempt_at, last_attempt_at,
               last_error)
             select $2, ${deliveryIdSql('event_id', 'event_id', 'endpoint_id')}, endpoint_id, event_id, 'invoice.created', 'failed', 1, at, now(),
               'http_500'
             from ${set}`,
      values,
    });
  });
}
