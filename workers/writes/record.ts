import type { Command, Outcome } from '../../shared/contracts/command.js';
import { ERROR_STATUS } from '../../shared/platform/errors.js';
import type { Statement } from '../../shared/platform/postgres.js';
import { type AuditRecord, insertAuditEntries } from '../../shared/resources/audit-log/insert.js';
import { commandOfType } from '../../shared/resources/index.js';
import { collectionOf } from '../../shared/resources/tables.js';

/** A command that has run, with its outcome. */
export interface Settled {
  command: Command;
  outcome: Outcome;
}

/**
 * Returns the HTTP status of an outcome: 201 when the record was created, 200 when it was changed,
 * or the status of the error. It is 202 when the write awaits approval, or when the record is
 * processed later.
 */
export function statusOf({ command, outcome }: Settled): number {
  if (!outcome.ok) return ERROR_STATUS[outcome.error.code];
  if (outcome.held) return 202;
  const { creates, isAccepted } = commandOfType(command.type);
  if (!creates) return 200;
  return isAccepted ? 202 : 201;
}

/** Builds the Location header of the response; null when the command created no record. */
export function locationOf({ command, outcome }: Settled): string | null {
  const definition = commandOfType(command.type);
  if (outcome.ok && outcome.held) return `${collectionOf('approval')}/${command.id}`;
  return outcome.ok && definition.creates
    ? `${collectionOf(definition.entityType)}/${command.entityId}`
    : null;
}

/** Returns the name of an outcome in the audit log. */
function getOutcomeName(outcome: Outcome): AuditRecord['outcome'] {
  if (!outcome.ok) return ERROR_STATUS[outcome.error.code] === 403 ? 'denied' : 'failed';
  return outcome.held ? 'held' : 'ok';
}

/** Returns the command, and the command that it ran in its place if there is one. */
function addInnerCommand(one: Settled): Settled[] {
  const ran = one.outcome.ok ? one.outcome.ran : undefined;
  if (!ran) return [one];
  return [one, { command: ran.command, outcome: { ok: true, changes: ran.changes, events: [] } }];
}

/**
 * Builds the query that inserts one audit entry per command. The table is append-only
 * (docs/decisions.md §9). Its primary key is the inbox: if another worker runs the same command
 * concurrently, this insert fails, and with it the whole transaction.
 */
export function auditStatement(completed: Settled[], outcomeName: 'dry_run' | undefined): Statement {
  return insertAuditEntries(
    completed.flatMap(addInnerCommand).map((one) => buildAuditRecord(one, outcomeName)),
  );
}

function buildAuditRecord(one: Settled, outcomeName: 'dry_run' | undefined): AuditRecord {
  const { command, outcome } = one;
  const definition = commandOfType(command.type);
  return {
    tenantId: command.tenantId,
    id: command.id,
    actor: command.actor,
    action: definition.action,
    entityType: definition.entityType,
    entityId: command.entityId,
    outcome: outcomeName ?? getOutcomeName(outcome),
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
