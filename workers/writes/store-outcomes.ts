import type { Command, EventDraft } from '../../shared/contracts/command.js';
import { INSERT_EVENT_DELIVERIES } from '../../shared/deliveries/insert-event-deliveries.js';
import { buildEventRows, RECORD_EVENTS } from '../../shared/events/record-events.js';
import { INSERT_IDEMPOTENCY_RECORDS } from '../../shared/operations/idempotency-records.js';
import type { SqlQuery, Transaction } from '../../shared/platform/postgres/database.js';
import type { EndpointQueueRef } from '../../shared/queues/webhooks.js';
import { type RecordRef, recordsetSql, refKey, toRecordRef } from '../../shared/records/record-refs.js';
import { jsonText } from '../../shared/records/stored-json/stored-json.js';
import { getCommandDefinition } from '../../shared/registry/resources.js';
import { getResourceTable } from '../../shared/registry/tables.js';
import { HELD_RESPONSE_FRAME } from '../../shared/resources/approvals/held-response.js';
import {
  buildCommandAuditInsert,
  buildLocation,
  type CompletedCommand,
  getHttpStatus,
} from './completed-command.js';

/**
 * The response bodies by command id, and the endpoint queues to wake. Both are complete only after
 * the queries have run.
 */
export interface RenderedResponses {
  bodies: Map<string, string>;
  /** The queues of endpoints with new deliveries. May contain duplicates. */
  endpointQueues: EndpointQueueRef[];
}

/**
 * Stores the events, deliveries, idempotency records and, last, the audit entries of these
 * commands.
 * @param send runs one query and passes its rows to the callback
 */
export function storeOutcomes(completed: CompletedCommand[], send: QuerySender): RenderedResponses {
  const rendered: RenderedResponses = { bodies: new Map(), endpointQueues: [] };
  if (completed.length === 0) return rendered;
  const succeeded = completed.filter(({ outcome }) => outcome.ok);
  for (const [entityType, records] of groupRecords(succeeded)) {
    send(buildStoreQuery(entityType, records), (rows) => collectRows(rendered, records, rows));
  }
  send(buildCommandAuditInsert(completed, undefined));
  return rendered;
}

/** Runs a query now or at the commit, and passes its rows to `onRows`. */
export type QuerySender = (query: SqlQuery, onRows?: (rows: RenderedRow[]) => void) => void;

/**
 * Renders the responses of dry runs. The query also stores idempotency records, and would fail for
 * a key that is already stored. So it gets the commands without their Idempotency-Keys.
 */
export async function renderResponses(
  tx: Transaction,
  completed: CompletedCommand[],
): Promise<RenderedResponses> {
  const rendered: RenderedResponses = { bodies: new Map(), endpointQueues: [] };
  const succeeded = completed
    .filter(({ outcome }) => outcome.ok)
    .map((one) => ({ ...one, command: { ...one.command, idempotency: null } }));
  for (const [entityType, records] of groupRecords(succeeded)) {
    collectRows(rendered, records, await tx.query<RenderedRow>(buildStoreQuery(entityType, records)));
  }
  return rendered;
}

interface TouchedRecord {
  ref: RecordRef;
  command: Command;
  events: EventDraft[];
  /**
   * The command whose response contains this record. Undefined if only an event contains the
   * record.
   */
  respondsTo: CompletedCommand | undefined;
}

/** A rendered record, or an endpoint that receives an event of the batch. */
type RenderedRow =
  | (RecordRef & { body: string; endpoint_id: null })
  | { tenant_id: string; id: null; body: null; endpoint_id: string };

function collectRows(
  { bodies, endpointQueues }: RenderedResponses,
  records: TouchedRecord[],
  rows: RenderedRow[],
): void {
  const byRef = new Map<string, string>();
  for (const row of rows) {
    if (row.endpoint_id === null) byRef.set(refKey(row), row.body);
    else endpointQueues.push({ tenantId: row.tenant_id, endpointId: row.endpoint_id });
  }
  for (const { ref, command, respondsTo } of records) {
    const body = byRef.get(refKey(ref));
    if (body === undefined) throw new Error(`a record of command ${command.id} was not found`);
    if (!respondsTo) continue;
    const frame = buildResponseFrame(respondsTo);
    bodies.set(command.id, frame ? frame.head + body.slice(0, -1) + frame.tail : body);
  }
}

/**
 * Returns the text before and after the record in the response. Returns undefined if the response
 * is the record alone.
 */
function buildResponseFrame({ outcome }: CompletedCommand): { head: string; tail: string } | undefined {
  if (!outcome.ok) return undefined;
  if (outcome.held) return HELD_RESPONSE_FRAME;
  return outcome.responseExtra && { head: '', tail: `,${JSON.stringify(outcome.responseExtra).slice(1)}` };
}

/**
 * Groups the records to render by entity type. Each event belongs to the record that it shows,
 * which is the command's own record or the record in `event.entity`.
 */
function groupRecords(completed: CompletedCommand[]): Map<string, TouchedRecord[]> {
  const groups = new Map<string, TouchedRecord[]>();
  const add = (entityType: string, record: TouchedRecord) => {
    const group = groups.get(entityType);
    if (group) group.push(record);
    else groups.set(entityType, [record]);
  };
  for (const one of completed) {
    const { command, outcome } = one;
    const events = outcome.ok ? outcome.events : [];
    const own = events.filter((event) => !event.entity);
    const isHeld = outcome.ok && outcome.held === true;
    // The response to a held write is the approval, whose id is the command's id.
    const ref = isHeld ? { tenant_id: command.tenantId, id: command.id } : toRecordRef(command);
    const entityType = isHeld ? 'approval' : getCommandDefinition(command.type).entityType;
    add(entityType, { ref, command, events: own, respondsTo: one });
    for (const event of events) {
      if (!event.entity) continue;
      const ref = { tenant_id: command.tenantId, id: event.entity.id };
      add(event.entity.type, { ref, command, events: [event], respondsTo: undefined });
    }
  }
  return groups;
}

/**
 * Builds one query that renders records, stores their events, deliveries and idempotency records,
 * and returns the rendered texts. So a 2xx response, its event and the replayed response contain
 * the same text. The query also returns the endpoints with new deliveries.
 */
function buildStoreQuery(entityType: string, records: TouchedRecord[]): SqlQuery {
  const resource = getResourceTable(entityType);
  const now = new Date();
  return {
    name: `settle-${entityType}`,
    text: `with rendered as materialized (
             select r.*, ${jsonText(resource, 't')} as body
             from ${recordsetSql(RESPONSE_COLUMNS)} join ${resource.table} t on t.tenant_id = r.tenant_id and t.id = r.id
           ), ${RECORD_EVENTS}, ${INSERT_EVENT_DELIVERIES}, kept as (${INSERT_IDEMPOTENCY_RECORDS})
           select tenant_id, id, body, null::uuid as endpoint_id from rendered
           union all select distinct tenant_id, null::uuid, null::text, endpoint_id from delivered`,
    values: [JSON.stringify(records.map((record) => buildResponseRow(record, now)))],
  };
}

const RESPONSE_COLUMNS = `tenant_id uuid, id uuid, events jsonb, key uuid, command_id uuid, method text, path text, body_hash text,
  status smallint, location text, head text, tail text`;

function buildResponseRow({ ref, command, events, respondsTo }: TouchedRecord, now: Date) {
  const row = { ...ref, events: buildEventRows(command, events, now) };
  if (!respondsTo || !command.idempotency) return row;
  const { key, method, path, bodyHash: body_hash } = command.idempotency;
  return {
    ...row,
    key,
    command_id: command.id,
    method,
    path,
    body_hash,
    status: getHttpStatus(respondsTo),
    location: buildLocation(respondsTo),
    ...buildResponseFrame(respondsTo),
  };
}
