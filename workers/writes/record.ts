import type { Command, Outcome } from '../../shared/contracts/command.js';
import { ERROR_STATUS } from '../../shared/platform/errors.js';
import type { Statement } from '../../shared/platform/postgres.js';
import { type AuditRecord, insertAuditEntries } from '../../shared/resources/audit-log/insert.js';
import { commandOfType } from '../../shared/resources/index.js';
import { collectionOf } from '../../shared/resources/tables.js';

export interface Settled {
  command: Command;
  outcome: Outcome;
}

/** HTTP status of an outcome: 201 for what was made, 200 for what was changed, 202 for what waits for a human or for its work, else the error's own. */
export function statusOf({ command, outcome }: Settled): number {
  if (!outcome.ok) return ERROR_STATUS[outcome.error.code];
  if (outcome.held) return 202;
  const { creates, isAccepted } = commandOfType(command.type);
  if (!creates) return 200;
  return isAccepted ? 202 : 201;
}

export function locationOf({ command, outcome }: Settled): string | null {
  const definition = commandOfType(command.type);
  if (outcome.ok && outcome.held) return `${collectionOf('approval')}/${command.id}`;
  return outcome.ok && definition.creates
    ? `${collectionOf(definition.entityType)}/${command.entityId}`
    : null;
}

/** The name of an outcome in the audit log. */
function outcomeNameOf(outcome: Outcome): AuditRecord['outcome'] {
  if (!outcome.ok) return ERROR_STATUS[outcome.error.code] === 403 ? 'denied' : 'failed';
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
  return insertAuditEntries(settled.flatMap(withRan).map((one) => auditRecord(one, outcomeName)));
}

function auditRecord(one: Settled, outcomeName: 'dry_run' | undefined): AuditRecord {
  const { command, outcome } = one;
  const definition = commandOfType(command.type);
  return {
    tenantId: command.tenantId,
    id: command.id,
    actor: command.actor,
    action: definition.action,
    entityType: definition.entityType,
    entityId: command.entityId,
    outcome: outcomeName ?? outcomeNameOf(outcome),
    source: command.source,
    tool: command.tool,
    changes: outcome.ok ? outcome.changes : null,
    error: outcome.ok ? null : outcome.error,
    responseStatus: statusOf(one),
    requestId: command.requestId,
    idempotencyKey: command.idempotency?.key ?? null,
    ip: command.ip,
    userAgent: command.userAgent,
  };
}
