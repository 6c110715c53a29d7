import type { Command, CommandOutcome } from '../../shared/contracts/command.js';
import { ERROR_STATUS } from '../../shared/platform/errors.js';
import type { SqlQuery } from '../../shared/platform/postgres/database.js';
import { getCommandDefinition } from '../../shared/registry/resources.js';
import { getCollectionPath } from '../../shared/registry/tables.js';
import { type AuditRecord, buildAuditInsert } from '../../shared/resources/audit-log/insert.js';

export interface CompletedCommand {
  command: Command;
  outcome: CommandOutcome;
}

/**
 * Returns the status of the HTTP response to the command. 202 means that the write awaits approval,
 * or that a worker processes the created record later.
 */
export function getHttpStatus({ command, outcome }: CompletedCommand): number {
  if (!outcome.ok) return ERROR_STATUS[outcome.error.code];
  if (outcome.held) return 202;
  const { creates, isAccepted } = getCommandDefinition(command.type);
  if (!creates) return 200;
  return isAccepted ? 202 : 201;
}

/**
 * Returns the path for the Location header. A held write gets the path of the approval, any other
 * write the path of the created record. Returns null if the command created no record.
 */
export function buildLocation({ command, outcome }: CompletedCommand): string | null {
  const definition = getCommandDefinition(command.type);
  if (outcome.ok && outcome.held) return `${getCollectionPath('approval')}/${command.id}`;
  return outcome.ok && definition.creates
    ? `${getCollectionPath(definition.entityType)}/${command.entityId}`
    : null;
}

function getOutcomeName(outcome: CommandOutcome): AuditRecord['outcome'] {
  if (!outcome.ok) return ERROR_STATUS[outcome.error.code] === 403 ? 'denied' : 'failed';
  return outcome.held ? 'held' : 'ok';
}

/**
 * Returns the command, and the commands that its handler ran. For example, approving a held write
 * runs the held command.
 */
function addInnerCommands(one: CompletedCommand): CompletedCommand[] {
  const ran = one.outcome.ok ? (one.outcome.ranCommands ?? []) : [];
  return [
    one,
    ...ran.map(
      ({ command, changes }): CompletedCommand => ({ command, outcome: { ok: true, changes, events: [] } }),
    ),
  ];
}

/**
 * Builds the query that inserts one audit entry per command into an append-only table
 * (docs/decisions.md §9). The primary key ensures that a command is committed only once. If another
 * worker has run the command, this insert fails, and the whole transaction is rolled back.
 */
export function buildCommandAuditInsert(
  completed: CompletedCommand[],
  outcomeName: 'dry_run' | undefined,
): SqlQuery {
  return buildAuditInsert(
    completed.flatMap(addInnerCommands).map((one) => buildAuditRecord(one, outcomeName)),
  );
}

function buildAuditRecord(one: CompletedCommand, outcomeName: 'dry_run' | undefined): AuditRecord {
  const { command, outcome } = one;
  const definition = getCommandDefinition(command.type);
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
    responseStatus: getHttpStatus(one),
    requestId: command.requestId,
    idempotencyKey: command.idempotency?.key ?? null,
    ip: command.ip,
    userAgent: command.userAgent,
  };
}

/** True if the command succeeded without a change, an event or anything else to show. */
export function hasNoEffect({
  held,
  changes,
  events,
  ranCommands,
  responseExtra,
}: Extract<CommandOutcome, { ok: true }>): boolean {
  return !held && !ranCommands && !responseExtra && changes.length + events.length === 0;
}
