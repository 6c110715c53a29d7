import type { CommandOutcome } from '../../contracts/command.js';
import { insertEndpointQueues } from '../../deliveries/insert-endpoint-queues.js';
import type { Row, Transaction } from '../../platform/postgres/database.js';
import { lockRecords } from '../../records/lock-records.js';
import { type PlannedMerge, storeMerges } from '../../records/merge-records.js';
import { failedOutcome } from '../../records/outcomes.js';
import { parseColumnNames, type RecordRef, recordsetSql, refKey } from '../../records/record-refs.js';
import { webhookEndpointFields } from './fields.js';

export interface EndpointRow extends Row, RecordRef {
  url: string;
  header_names: string[];
  headers_sealed: string | null;
  enabled: boolean;
  disabled_reason: string | null;
  disabled_at: string | null;
  deleted_at: string | null;
  club_id: string | null;
}

export const ENDPOINT_LABEL = 'webhook endpoint';

const EDITABLE_COLUMNS = `${webhookEndpointFields.settable}, disabled_reason text, disabled_at timestamptz, deleted_at timestamptz`;
const EDITABLE_NAMES = parseColumnNames(EDITABLE_COLUMNS).join(', ');

/**
 * Locks the endpoints, and returns those that are not deleted. To avoid deadlocks, every
 * transaction locks the endpoint first, and only then its secrets or its row in webhook_lanes.
 */
export async function lockEndpoints(tx: Transaction, refs: RecordRef[]): Promise<Map<string, EndpointRow>> {
  const rows = await lockRecords<EndpointRow>(tx, 'webhook_endpoints', refs);
  return new Map([...rows].filter(([, row]) => row.deleted_at === null));
}

/** Inserts endpoints, each with its endpoint queue. */
export async function insertEndpoints(tx: Transaction, rows: (RecordRef & object)[]): Promise<void> {
  if (rows.length === 0) return;
  await Promise.all([
    tx.query({
      name: 'insert-webhook-endpoints',
      text: `insert into webhook_endpoints (tenant_id, id, ${EDITABLE_NAMES})
             select tenant_id, id, ${EDITABLE_NAMES} from ${recordsetSql(`tenant_id uuid, id uuid, ${EDITABLE_COLUMNS}`)}`,
      values: [JSON.stringify(rows)],
    }),
    insertEndpointQueues(tx, rows),
  ]);
}

export function storeEndpoints(tx: Transaction, merges: PlannedMerge[]): Promise<void> {
  return storeMerges(tx, { table: 'webhook_endpoints', columns: EDITABLE_COLUMNS }, merges);
}

/**
 * Returns the keys of the endpoints whose endpoint queue has failures, a pause, or a request from
 * the receiver to stop deliveries.
 */
export async function findEndpointsWithFailures(tx: Transaction, refs: RecordRef[]): Promise<Set<string>> {
  const rows = await tx.query<RecordRef>({
    name: 'find-troubled-lanes',
    text: `select t.tenant_id, t.endpoint_id as id from ${recordsetSql('tenant_id uuid, id uuid')}
           join webhook_lanes t on t.tenant_id = r.tenant_id and t.endpoint_id = r.id
           where coalesce(t.failing_since, t.open_until, t.throttled_until) is not null or t.stop_reason is not null`,
    values: [JSON.stringify(refs)],
  });
  return new Set(rows.map(refKey));
}

/**
 * Refuses other event types for an endpoint of a motor club. The club of the event decides anyway;
 * a worker of an older release, which runs beside this one during a deployment, knows only types.
 */
export function refuseOtherTypes(
  clubId: string | null | undefined,
  eventTypes: readonly string[] = [],
): CommandOutcome | undefined {
  if (!clubId || eventTypes.every((type) => type.startsWith('club_offer.'))) return undefined;
  const message = "event_types of a motor club's endpoint must be club_offer.* or begin with club_offer";
  return failedOutcome({
    code: 'validation_error',
    message: `${message}.`,
    details: [{ field: 'event_types', code: 'other_types', message }],
  });
}
