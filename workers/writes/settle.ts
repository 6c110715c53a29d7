import { eventRows, INSERT_EVENTS } from '../../shared/events/record-events.js';
import type { Statement, Transaction } from '../../shared/platform/postgres.js';
import { commandOfType } from '../../shared/resources/index.js';
import { type RecordRef, recordset, refKey, refOf } from '../../shared/resources/sets.js';
import { resourceTable } from '../../shared/resources/tables.js';
import { auditStatement, locationOf, type Settled, statusOf } from './record.js';

/** Bodies of the answers by command id, filled when the statements have run. */
export type Bodies = Map<string, string>;

/**
 * What a set of settled commands leaves behind beside its effects, and what it is answered with: the records rendered, events, idempotent answers
 * and, last, the audit entries. `send` issues one statement and gives its rows to the callback.
 */
export function settle(settled: Settled[], send: Send): Bodies {
  const bodies: Bodies = new Map();
  if (settled.length === 0) return bodies;
  const succeeded = settled.filter(({ outcome }) => outcome.ok);
  for (const [entityType, group] of groupByEntity(succeeded)) {
    send(answerStatement(entityType, group), (rows) => collect(bodies, group, rows));
  }
  send(auditStatement(settled, undefined));
  return bodies;
}

export type Send = (statement: Statement, onRows?: (rows: RenderedRow[]) => void) => void;

/** Renders the answers of commands whose effects are about to be rolled back. */
export async function renderAnswers(tx: Transaction, settled: Settled[]): Promise<Bodies> {
  const bodies: Bodies = new Map();
  const succeeded = settled.filter(({ outcome }) => outcome.ok);
  for (const [entityType, group] of groupByEntity(succeeded)) {
    collect(bodies, group, await tx.query<RenderedRow>(answerStatement(entityType, group)));
  }
  return bodies;
}

interface RenderedRow extends RecordRef {
  body: string;
}

function collect(bodies: Bodies, group: Settled[], rows: RenderedRow[]): void {
  const byRef = new Map(rows.map((row) => [refKey(row), row.body]));
  for (const one of group) {
    const body = byRef.get(refKey(refOf(one.command)));
    if (body === undefined) throw new Error(`the record of command ${one.command.id} is gone`);
    const tail = answerTail(one);
    bodies.set(one.command.id, tail === null ? body : body.slice(0, -1) + tail);
  }
}

/** What follows the record's own members in an answer that carries more; null in all others. */
function answerTail({ outcome }: Settled): string | null {
  return outcome.ok && outcome.answerExtra ? `,${JSON.stringify(outcome.answerExtra).slice(1)}` : null;
}

function groupByEntity(settled: Settled[]): Map<string, Settled[]> {
  const groups = new Map<string, Settled[]>();
  for (const one of settled) {
    const { entityType } = commandOfType(one.command.type);
    const group = groups.get(entityType);
    if (group) group.push(one);
    else groups.set(entityType, [one]);
  }
  return groups;
}

/**
 * One statement renders the records of a set, stores them as events and idempotent answers, and returns them. So a 2xx, its event and its replay
 * are the same text, committed with the effect.
 */
function answerStatement(entityType: string, settled: Settled[]): Statement {
  const { table, representation } = resourceTable(entityType);
  const now = new Date();
  return {
    name: `settle-${entityType}`,
    text: `with rendered as materialized (
             select r.*, (${representation('t')})::text as body
             from ${recordset(ANSWER_COLUMNS)} join ${table} t on t.tenant_id = r.tenant_id and t.id = r.id
           ), recorded as (${INSERT_EVENTS}), kept as (${KEEP_ANSWERS})
           select tenant_id, id, body from rendered`,
    values: [JSON.stringify(settled.map((one) => answerRow(one, now)))],
  };
}

const ANSWER_COLUMNS = `tenant_id uuid, id uuid, events jsonb, key uuid, command_id uuid, method text, path text, body_hash text,
  status smallint, location text, tail text`;

const KEEP_ANSWERS = `
  insert into idempotency_keys (tenant_id, key, command_id, method, path, body_hash, status, location, body)
  select tenant_id, key, command_id, method, path, body_hash, status, location,
    case when tail is null then body else left(body, -1) || tail end
  from rendered where key is not null order by tenant_id, key`;

function answerRow(one: Settled, now: Date) {
  const { command, outcome } = one;
  const events = outcome.ok ? eventRows(command, outcome.events, now) : [];
  const row = { ...refOf(command), events };
  if (!command.idempotency) return row;
  const { key, method, path, bodyHash: body_hash } = command.idempotency;
  return {
    ...row,
    key,
    command_id: command.id,
    method,
    path,
    body_hash,
    status: statusOf(one),
    location: locationOf(one),
    tail: answerTail(one),
  };
}
