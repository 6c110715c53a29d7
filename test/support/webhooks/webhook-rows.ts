import { v7 } from 'uuid';
import { newId } from '../../../shared/platform/ids.js';
import { recordsetSql } from '../../../shared/records/record-refs.js';
import type { TestStack } from '../stack.js';

/** The tenant for which this file inserts rows by SQL, without the API. */
export interface TenantRows {
  stack: TestStack;
  tenantId: string;
}

async function insert({ stack, tenantId }: TenantRows, table: string, columns: string, rows: object[]) {
  const names = columns.split(',').map((column) => column.trim().split(' ')[0]);
  await stack.rows(
    tenantId,
    `insert into ${table} (tenant_id, ${names.join(', ')}) select $2, ${names.join(', ')} from ${recordsetSql(columns)}`,
    [JSON.stringify(rows), tenantId],
  );
}

/** Inserts an endpoint without a secret. By default, its address does not exist. */
export async function insertEndpoint(
  target: TenantRows,
  {
    eventTypes = ['*'],
    ...settings
  }: { url?: string; eventTypes?: string[]; enabled?: boolean; deleted_at?: string } = {},
): Promise<string> {
  const id = newId();
  const row = {
    id,
    url: 'https://receiver.invalid/hooks',
    event_types: eventTypes,
    max_in_flight: 10,
    enabled: true,
  };
  const columns =
    'id uuid, url text, event_types text[], max_in_flight integer, enabled boolean, deleted_at timestamptz';
  await insert(target, 'webhook_endpoints', columns, [{ ...row, ...settings }]);
  await insert(target, 'webhook_lanes', 'endpoint_id uuid', [{ endpoint_id: id }]);
  return id;
}

/**
 * Inserts events of these types and returns their ids. The first event is at `startMs`, and each
 * later one a second after the one before.
 */
export async function insertEvents(
  target: TenantRows,
  types: (string | { type: string; data: object })[],
  startMs = Date.now() - 3_600_000,
): Promise<string[]> {
  const rows = types.map((given, index) => {
    const { type, ...body } = typeof given === 'string' ? { type: given } : given;
    const msecs = startMs + index * 1000;
    return {
      id: v7({ msecs }),
      type,
      occurred_at: new Date(msecs).toISOString(),
      body: JSON.stringify(body),
    };
  });
  await insert(target, 'events', 'id uuid, type text, occurred_at timestamptz, body text', rows);
  return rows.map(({ id }) => id);
}

export interface DeliveryInput {
  endpoint_id: string;
  event_id?: string;
  event_type?: string;
  trigger?: string;
  replay_id?: string;
  status?: string;
  priority?: number;
  body?: string;
  last_error?: string;
  created_at?: string;
}

const ENDED = ['succeeded', 'exhausted', 'cancelled'];
const COLUMNS = `id uuid, endpoint_id uuid, event_id uuid, event_type text, trigger text, replay_id uuid, body text, priority smallint, status text,
  next_attempt_at timestamptz, completed_at timestamptz, last_error text, created_at timestamptz`;

/**
 * Inserts deliveries, `pending` by default, and returns their ids. Each id contains the time at
 * which the delivery was created.
 */
export async function insertDeliveries(target: TenantRows, inputs: DeliveryInput[]): Promise<string[]> {
  const rows = inputs.map((input) => {
    const created_at = input.created_at ?? new Date().toISOString();
    const isEnded = ENDED.includes(input.status ?? '');
    return {
      event_id: newId(),
      event_type: 'invoice.created',
      trigger: 'event',
      priority: 0,
      status: 'pending',
      ...input,
      id: v7({ msecs: Date.parse(created_at) }),
      created_at,
      next_attempt_at: isEnded ? null : created_at,
      completed_at: isEnded ? created_at : null,
    };
  });
  await insert(target, 'webhook_deliveries', COLUMNS, rows);
  return rows.map(({ id }) => id);
}

/** Inserts one attempt with a response, and returns the attempt's id. */
export async function insertAttempt(
  target: TenantRows,
  {
    deliveryId,
    endpointId,
    ...members
  }: { deliveryId: string; endpointId: string; attempt: number; url?: string; total_ms?: number },
): Promise<string> {
  const id = newId();
  const row = {
    id,
    delivery_id: deliveryId,
    endpoint_id: endpointId,
    started_at: new Date().toISOString(),
    url: 'https://receiver.invalid/hooks',
    request_headers: { 'webhook-id': 'x' },
    response_status: 500,
    response_headers: { 'content-type': 'text/plain' },
    response_body: 'no',
    total_ms: 12,
    ...members,
  };
  const columns = `id uuid, delivery_id uuid, endpoint_id uuid, attempt smallint, started_at timestamptz, url text, request_headers json,
    response_status smallint, response_headers json, response_body text, total_ms integer`;
  await insert(target, 'webhook_attempts', columns, [row]);
  return id;
}

/**
 * Inserts an endpoint, a delivery that is due again tomorrow, two attempts of this delivery, and a
 * replay. All except the endpoint contain the text `canary`. Returns one id of each kind.
 */
export async function makeWebhookRecords(
  target: TenantRows,
  { eventId, canary = 'canary' }: { eventId: string; canary?: string },
): Promise<Record<string, string>> {
  const endpoint = await insertEndpoint(target);
  const [delivery] = (await insertDeliveries(target, [
    { endpoint_id: endpoint, event_id: eventId, status: 'failed', last_error: canary },
  ])) as [string];
  await target.stack.rows(
    target.tenantId,
    "update webhook_deliveries set next_attempt_at = now() + interval '1 day' where tenant_id = $1 and id = $2",
    [target.tenantId, delivery],
  );
  const attempt = { deliveryId: delivery, endpointId: endpoint, url: `https://${canary}.invalid` };
  const attempts = [
    await insertAttempt(target, { ...attempt, attempt: 1 }),
    await insertAttempt(target, { ...attempt, attempt: 2 }),
  ];
  const replay = newId();
  const filter = { event_type: canary, status: 'exhausted', since: null, until: null };
  const columns = 'id uuid, kind text, endpoint_id uuid, filter jsonb, status text, total integer';
  await insert(target, 'webhook_replays', columns, [
    { id: replay, kind: 'replay', endpoint_id: endpoint, filter, status: 'completed', total: 0 },
  ]);
  return {
    endpoint,
    webhook_delivery: delivery,
    attempt: attempts[1] as string,
    webhook_replay: replay,
  };
}
