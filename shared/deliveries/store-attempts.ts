import { runWithoutFrozen } from '../platform/frozen/frozen-accounts.js';
import type { Database, SqlQuery } from '../platform/postgres/database.js';
import { type EndpointQueueRef, listQueueTenants } from '../queues/webhooks.js';
import { recordsetSql } from '../records/record-refs.js';
import type { Attempt, AttemptDecision } from './attempt.js';
import { buildHealthUpdate, type EndpointQueueState } from './store-queue-health.js';

export interface AttemptRecord extends EndpointQueueRef {
  deliveryId: string;
  /** The attempt's number within its delivery, from 1. */
  number: number;
  /** Undefined if the delivery ended without an attempt. */
  attempt: Attempt | undefined;
  decision: AttemptDecision;
}

/**
 * Stores attempts, the new status of their deliveries, and the health of queues, all in one
 * transaction. A repeated call changes nothing, so a worker that lost the connection during the
 * commit can call again. Omits frozen accounts, as if the worker had died: the deployment that
 * receives such an account repeats the attempt.
 */
export async function storeAttempts(
  db: Database,
  records: AttemptRecord[],
  states: EndpointQueueState[],
): Promise<void> {
  const tenants = listQueueTenants([...records, ...states]);
  await runWithoutFrozen(
    tenants,
    (tenantId) => tenantId,
    (writable) => {
      const isWritable = ({ tenantId }: EndpointQueueRef) => writable.includes(tenantId);
      return storeWritableAttempts(db, records.filter(isWritable), states.filter(isWritable));
    },
  );
}

async function storeWritableAttempts(
  db: Database,
  records: AttemptRecord[],
  states: EndpointQueueState[],
): Promise<void> {
  await db.transaction(listQueueTenants([...records, ...states]), async (tx) => {
    if (records.length > 0) {
      tx.queryAtCommit(insertAttempts(records));
      tx.queryAtCommit(updateDeliveries(records));
    }
    if (states.length > 0) tx.queryAtCommit(buildHealthUpdate(states));
  });
}

const ATTEMPT_COLUMNS = `tenant_id uuid, id uuid, delivery_id uuid, endpoint_id uuid, attempt smallint, started_at timestamptz, url text,
  request_headers json, response_status smallint, response_headers json, response_body text, response_truncated boolean, error_class text,
  error_message text, remote_address text, connect_ms integer, first_byte_ms integer, total_ms integer`;

function insertAttempts(records: AttemptRecord[]): SqlQuery {
  const names = ATTEMPT_COLUMNS.replace(/ (uuid|smallint|timestamptz|text|json|boolean|integer)\b/g, '');
  return {
    name: 'insert-attempts',
    text: `insert into webhook_attempts (${names}) select ${names} from json_to_recordset($1::json) as r(${ATTEMPT_COLUMNS})
           on conflict do nothing`,
    values: [
      JSON.stringify(
        records.flatMap(({ attempt, ...rest }) => (attempt ? [buildAttemptRow(rest, attempt)] : [])),
      ),
    ],
  };
}

function buildAttemptRow(
  { tenantId, endpointId, deliveryId, number }: Omit<AttemptRecord, 'attempt'>,
  attempt: Attempt,
) {
  return {
    tenant_id: tenantId,
    id: attempt.id,
    delivery_id: deliveryId,
    endpoint_id: endpointId,
    attempt: number,
    started_at: attempt.startedAt.toISOString(),
    url: attempt.url,
    request_headers: attempt.requestHeaders,
    response_status: attempt.status ?? null,
    response_headers: attempt.responseHeaders,
    response_body: attempt.responseBody,
    response_truncated: attempt.isTruncated,
    error_class: attempt.errorClass ?? null,
    error_message: attempt.errorMessage,
    remote_address: attempt.remoteAddress,
    connect_ms: roundMs(attempt.connectMs),
    first_byte_ms: roundMs(attempt.firstByteMs),
    total_ms: roundMs(attempt.totalMs),
  };
}

function roundMs(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms);
}

/**
 * Stores how attempts ended. A delivery that was cancelled during its request becomes `succeeded`
 * if the receiver accepted it. Otherwise it stays `cancelled`. If this worker stalls until its
 * lease ends, another worker may repeat the attempt and store its result first. This query then
 * replaces that result only if this worker's attempt succeeded and the other did not.
 */
function updateDeliveries(records: AttemptRecord[]): SqlQuery {
  return {
    name: 'update-deliveries',
    text: `update webhook_deliveries d set
             attempts = greatest(d.attempts, r.attempts), last_attempt_at = coalesce(r.at, d.last_attempt_at),
             last_response_status = r.response_status, last_error = r.error,
             status = case when d.status = 'cancelled' and r.status <> 'succeeded' then d.status else r.status end,
             next_attempt_at = case when d.status <> 'cancelled' then now() + r.retry_in_ms * interval '1 ms' end,
             completed_at = case when d.status = 'cancelled' then d.completed_at when r.retry_in_ms is null then now() end
           from ${recordsetSql(
             'tenant_id uuid, id uuid, attempts smallint, at timestamptz, response_status smallint, error text, status text, retry_in_ms bigint',
           )}
           where d.tenant_id = r.tenant_id and d.id = r.id
             and case when r.status = 'succeeded' then d.status <> 'succeeded'
                      else d.attempts < r.attempts or (r.at is null and d.next_attempt_at is not null) end`,
    values: [
      JSON.stringify(
        records.map(({ tenantId, deliveryId, number, attempt, decision }) => ({
          tenant_id: tenantId,
          id: deliveryId,
          attempts: number,
          at: attempt?.startedAt.toISOString(),
          response_status: attempt?.status ?? null,
          error: decision.errorClass,
          status: decision.status,
          retry_in_ms: decision.retryInMs,
        })),
      ),
    ],
  };
}

/**
 * Marks deliveries as `delivering`, so that the delivery log shows requests that take long. A
 * delivery whose attempt is already stored is not marked.
 */
export async function markDelivering(
  db: Database,
  deliveries: { tenantId: string; id: string; attempts: number }[],
): Promise<void> {
  await runWithoutFrozen(
    deliveries,
    ({ tenantId }) => tenantId,
    (rest) =>
      db.transaction(listQueueTenants(rest), async (tx) =>
        tx.queryAtCommit({
          name: 'mark-delivering',
          text: `update webhook_deliveries d set status = 'delivering' from ${recordsetSql('tenant_id uuid, id uuid, attempts smallint')}
                 where d.tenant_id = r.tenant_id and d.id = r.id and d.attempts = r.attempts and d.status in ('pending', 'failed')`,
          values: [
            JSON.stringify(rest.map(({ tenantId, id, attempts }) => ({ tenant_id: tenantId, id, attempts }))),
          ],
        }),
      ),
  );
}
