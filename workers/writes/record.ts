import type { Command, Outcome } from '../../shared/contracts/command.js';
import { ERROR_STATUS } from '../../shared/platform/errors.js';
import type { Statement } from '../../shared/platform/postgres.js';
import { commandOfType } from '../../shared/resources/index.js';
import { recordset } from '../../shared/resources/sets.js';
import { collectionOf } from '../../shared/resources/tables.js';

export interface Settled {
  command: Command;
  outcome: Outcome;
}

/** HTTP status of an outcome: 201 for what was made, 200 for what was changed, 202 for what waits for a human, else the error's own. */
export function statusOf({ command, outcome }: Settled): number {
  if (!outcome.ok) return ERROR_STATUS[outcome.error.code];
  if (outcome.held) return 202;
  return commandOfType(command.type).creates ? 201 : 200;
}

export function locationOf({ command, outcome }: Settled): string | null {
  const definition = commandOfType(command.type);
  if (outcome.ok && outcome.held) return `${collectionOf('approval')}/${command.id}`;
  return outcome.ok && definition.creates
    ? `${collectionOf(definition.entityType)}/${command.entityId}`
    : null;
}

/** The name of an outcome in the audit log. */
function outcomeNameOf(outcome: Outcome): string {
  if (!outcome.ok) return 'failed';
  return outcome.held ? 'held' : 'ok';
}

/** A command with the one that it ran in its place, if it did. */
function withRan(one: Settled): Settled[] {
  const ran = one.outcome.ok ? one.outcome.ran : undefined;
  if (!ran) return [one];
  return [one, { command: ran.command, outcome: { ok: true, changes: ran.changes, events: [] } }];
}

/**
 * One audit entry per command, append-only (decisions 9). Its primary key is the inbox: should another worker have run the same command at the
 * same moment, this insert fails and with it the whole transaction.
 */
export function auditStatement(settled: Settled[], outcomeName: 'dry_run' | undefined): Statement {
  const rows = settled.flatMap(withRan).map((one) => auditRow(one, outcomeName));
  return {
    name: 'record-audit',
    text: `insert into audit_entries (tenant_id, id, actor_type, actor_id, actor_name, action, entity_type, entity_id, outcome, source, tool,
             changes, error, response_status, request_id, idempotency_key, ip, user_agent)
           select tenant_id, id, actor_type, actor_id, actor_name, action, entity_type, entity_id, outcome, source, tool, changes, error,
             response_status, request_id, idempotency_key, ip, user_agent
           from ${recordset(
             `tenant_id uuid, id uuid, actor_type text, actor_id uuid, actor_name text, action text, entity_type text, entity_id uuid,
              outcome text, source text, tool text, changes jsonb, error jsonb, response_status smallint, request_id text,
              idempotency_key uuid, ip text, user_agent text`,
           )}`,
    values: [JSON.stringify(rows)],
  };
}

function auditRow(one: Settled, outcomeName: 'dry_run' | undefined) {
  const { command, outcome } = one;
  const definition = commandOfType(command.type);
  return {
    tenant_id: command.tenantId,
    id: command.id,
    actor_type: command.actor.type,
    actor_id: command.actor.id,
    actor_name: command.actor.name,
    action: definition.action,
    entity_type: definition.entityType,
    entity_id: command.entityId,
    outcome: outcomeName ?? outcomeNameOf(outcome),
    source: command.source,
    tool: command.tool,
    changes: outcome.ok ? outcome.changes : null,
    error: outcome.ok ? null : outcome.error,
    response_status: statusOf(one),
    request_id: command.requestId,
    idempotency_key: command.idempotency?.key ?? null,
    ip: command.ip,
    user_agent: command.userAgent,
  };
}
