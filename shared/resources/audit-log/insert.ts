import type { Actor, Change } from '../../contracts/command.js';
import type { AUDIT_OUTCOMES, AUDIT_SOURCES } from '../../contracts/vocabulary.js';
import type { ErrorBody } from '../../platform/errors.js';
import { newId } from '../../platform/ids.js';
import type { SqlQuery } from '../../platform/postgres/database.js';
import { parseColumnNames, recordsetSql } from '../../records/record-refs.js';
import { compactChanges } from './compact-changes.js';

const COLUMNS = `tenant_id uuid, id uuid, actor_type text, actor_id uuid, actor_name text, action text, entity_type text, entity_id uuid, outcome text,
  source text, tool text, changes jsonb, error jsonb, response_status smallint, request_id text, idempotency_key uuid, ip text, user_agent text`;
const NAMES = parseColumnNames(COLUMNS).join(', ');

/** The content of an audit entry (docs/decisions.md §9). */
export interface AuditRecord {
  tenantId: string;
  /** UUIDv7. The entry of a command has the command's id, so a command cannot be recorded twice. */
  id: string;
  actor: Actor;
  action: string;
  entityType: string | null;
  entityId: string | null;
  outcome: (typeof AUDIT_OUTCOMES)[number];
  source: (typeof AUDIT_SOURCES)[number];
  tool: string | null;
  changes: readonly Change[] | null;
  error: ErrorBody | null;
  /** HTTP status of the response; null if no client sent a request. */
  responseStatus: number | null;
  requestId: string | null;
  idempotencyKey: string | null;
  ip: string | null;
  userAgent: string | null;
}

/**
 * Builds a query that inserts audit entries, with a summary in place of each list of records. The
 * query fails if an id already exists.
 */
export function buildAuditInsert(records: AuditRecord[]): SqlQuery {
  return buildWholeAuditInsert(
    records.map((record) => ({ ...record, changes: record.changes && compactChanges(record.changes) })),
  );
}

/** Like {@link buildAuditInsert}, but stores lists of records in full. */
export function buildWholeAuditInsert(records: AuditRecord[]): SqlQuery {
  const rows = records.map(({ actor, ...record }) => ({
    tenant_id: record.tenantId,
    id: record.id,
    actor_type: actor.type,
    actor_id: actor.id,
    actor_name: actor.name,
    action: record.action,
    entity_type: record.entityType,
    entity_id: record.entityId,
    outcome: record.outcome,
    source: record.source,
    tool: record.tool,
    changes: record.changes,
    error: record.error,
    response_status: record.responseStatus,
    request_id: record.requestId,
    idempotency_key: record.idempotencyKey,
    ip: record.ip,
    user_agent: record.userAgent,
  }));
  return {
    name: 'record-audit',
    text: `insert into audit_entries (${NAMES}) select ${NAMES} from ${recordsetSql(COLUMNS)}`,
    values: [JSON.stringify(rows)],
  };
}

/** An action of the service's operator, for example at the command line. */
export interface OperatorAction {
  tenantId: string;
  /** The audit action, such as `api_key.revoked`. */
  action: string;
  entityType: string;
  entityId: string;
  changes?: Change[];
}

/**
 * Builds a query that inserts audit entries with the actor `system` and the source `job`
 * (docs/decisions.md §9).
 */
export function buildOperatorAuditInsert(actions: OperatorAction[]): SqlQuery {
  return buildWholeAuditInsert(
    actions.map(({ changes = null, ...action }) => ({
      ...action,
      id: newId(),
      actor: { type: 'system', id: null, name: 'tow' },
      outcome: 'ok',
      source: 'job',
      tool: null,
      changes,
      error: null,
      responseStatus: null,
      requestId: null,
      idempotencyKey: null,
      ip: null,
      userAgent: null,
    })),
  );
}
