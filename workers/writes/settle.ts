import type { Command, EventDraft } from '../../shared/contracts/command.js';
import { eventRows, RECORD_EVENTS } from '../../shared/events/record-events.js';
import type { Statement, Transaction } from '../../shared/platform/postgres.js';
import type { LaneRef } from '../../shared/queues/webhooks.js';
import { HELD_FRAME } from '../../shared/resources/approvals/held.js';
import { commandOfType } from '../../shared/resources/index.js';
import { type RecordRef, recordset, refKey, refOf } from '../../shared/resources/sets.js';
import { resourceTable } from '../../shared/resources/tables.js';
import { auditStatement, locationOf, type Settled, statusOf } from './record.js';

/** What settling comes to, filled when the statements have run. */
export interface Rendered {
  /** Bodies of the answers by command id. */
  bodies: Map<string, string>;
  /** Endpoints that have something to receive; one may be named more than once. */
  lanes: LaneRef[];
}

/**
 * What a set of settled commands leaves behind beside its effects, and what it is answered with: the records rendered, events, idempotent answers
 * and, last, the audit entries. `send` issues one statement and gives its rows to the callback.
 */
export function settle(settled: Settled[], send: Send): Rendered {
  const rendered: Rendered = { bodies: new Map(), lanes: [] };
  if (settled.length === 0) return rendered;
  const succeeded = settled.filter(({ outcome }) => outcome.ok);
  for (const [entityType, records] of recordsOf(succeeded)) {
    send(renderStatement(entityType, records), (rows) => collect(rendered, records, rows));
  }
  send(auditStatement(settled, undefined));
  return rendered;
}

export type Send = (statement: Statement, onRows?: (rows: RenderedRow[]) => void) => void;

/** Renders the answers of commands whose effects are about to be rolled back. A rehearsal neither looks at its Idempotency-Key nor keeps it. */
export async function renderAnswers(tx: Transaction, settled: Settled[]): Promise<Rendered> {
  const rendered: Rendered = { bodies: new Map(), lanes: [] };
  const succeeded = settled
    .filter(({ outcome }) => outcome.ok)
    .map((one) => ({ ...one, command: { ...one.command, idempotency: null } }));
  for (const [entityType, records] of recordsOf(succeeded)) {
    collect(rendered, records, await tx.query<RenderedRow>(renderStatement(entityType, records)));
  }
  return rendered;
}

/** A record to render once the effects are made. */
interface TouchedRecord {
  ref: RecordRef;
  command: Command;
  events: EventDraft[];
  /** The command whose answer it is; undefined for a record that only an event shows. */
  answerTo: Settled | undefined;
}

/** A record, or an endpoint that one of the events is delivered to. */
type RenderedRow =
  | (RecordRef & { body: string; endpoint_id: null })
  | { tenant_id: string; id: null; body: null; endpoint_id: string };

function collect({ bodies, lanes }: Rendered, records: TouchedRecord[], rows: RenderedRow[]): void {
  const byRef = new Map<string, string>();
  for (const row of rows) {
    if (row.endpoint_id === null) byRef.set(refKey(row), row.body);
    else lanes.push({ tenantId: row.tenant_id, endpointId: row.endpoint_id });
  }
  for (const { ref, command, answerTo } of records) {
    const body = byRef.get(refKey(ref));
    if (body === undefined) throw new Error(`a record of command ${command.id} is gone`);
    if (!answerTo) continue;
    const frame = answerFrame(answerTo);
    bodies.set(command.id, frame ? frame.head + body.slice(0, -1) + frame.tail : body);
  }
}

/** What stands before the record and follows its own members in an answer that carries more; undefined in all others. */
function answerFrame({ outcome }: Settled): { head: string; tail: string } | undefined {
  if (!outcome.ok) return undefined;
  if (outcome.held) return HELD_FRAME;
  return outcome.answerExtra && { head: '', tail: `,${JSON.stringify(outcome.answerExtra).slice(1)}` };
}

/** By entity type: each command's own record with its events, and the other records that its events show. */
function recordsOf(settled: Settled[]): Map<string, TouchedRecord[]> {
  const groups = new Map<string, TouchedRecord[]>();
  const add = (entityType: string, record: TouchedRecord) => {
    const group = groups.get(entityType);
    if (group) group.push(record);
    else groups.set(entityType, [record]);
  };
  for (const one of settled) {
    const { command, outcome } = one;
    const events = outcome.ok ? outcome.events : [];
    const own = events.filter((event) => !event.entity);
    const isHeld = outcome.ok && outcome.held === true;
    // A held write is answered with its approval, whose id is the command's.
    const ref = isHeld ? { tenant_id: command.tenantId, id: command.id } : refOf(command);
    const entityType = isHeld ? 'approval' : commandOfType(command.type).entityType;
    add(entityType, { ref, command, events: own, answerTo: one });
    for (const event of events) {
      if (!event.entity) continue;
      const ref = { tenant_id: command.tenantId, id: event.entity.id };
      add(event.entity.type, { ref, command, events: [event], answerTo: undefined });
    }
  }
  return groups;
}

/**
 * One statement renders the records of a set, stores them as events and idempotent answers, and returns them. So a 2xx, its event and its replay
 * are the same text, committed with the effect.
 */
function renderStatement(entityType: string, records: TouchedRecord[]): Statement {
  const { table, representation } = resourceTable(entityType);
  const now = new Date();
  return {
    name: `settle-${entityType}`,
    text: `with rendered as materialized (
             select r.*, (${representation('t')})::text as body
             from ${recordset(ANSWER_COLUMNS)} join ${table} t on t.tenant_id = r.tenant_id and t.id = r.id
           ), ${RECORD_EVENTS}, kept as (${KEEP_ANSWERS})
           select tenant_id, id, body, null::uuid as endpoint_id from rendered
           union all select distinct tenant_id, null::uuid, null::text, endpoint_id from delivered`,
    values: [JSON.stringify(records.map((record) => answerRow(record, now)))],
  };
}

const ANSWER_COLUMNS = `tenant_id uuid, id uuid, events jsonb, key uuid, command_id uuid, method text, path text, body_hash text,
  status smallint, location text, head text, tail text`;

const KEEP_ANSWERS = `
  insert into idempotency_keys (tenant_id, key, command_id, method, path, body_hash, status, location, body)
  select tenant_id, key, command_id, method, path, body_hash, status, location,
    case when tail is null then body else head || left(body, -1) || tail end
  from rendered where key is not null order by tenant_id, key`;

function answerRow({ ref, command, events, answerTo }: TouchedRecord, now: Date) {
  const row = { ...ref, events: eventRows(command, events, now) };
  if (!answerTo || !command.idempotency) return row;
  const { key, method, path, bodyHash: body_hash } = command.idempotency;
  return {
    ...row,
    key,
    command_id: command.id,
    method,
    path,
    body_hash,
    status: statusOf(answerTo),
    location: locationOf(answerTo),
    ...answerFrame(answerTo),
  };
}
