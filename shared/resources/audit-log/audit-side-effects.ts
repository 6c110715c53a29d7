import type { Change, Command } from '../../contracts/command.js';
import { newId } from '../../platform/ids.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { buildWholeAuditInsert } from './insert.js';

/** A change that a command made to a record that the command does not name. */
export interface AuditedSideEffect {
  command: Command;
  entityType: string;
  entityId: string;
  /** The audit action, such as `invoice.updated`. */
  action: string;
  changes: Change[];
}

/**
 * Writes an audit entry for each further record that a command changed, besides the record that the
 * command names. Each entry has the request id of the command.
 */
export async function auditSideEffects(
  tx: Transaction,
  entries: readonly AuditedSideEffect[],
): Promise<void> {
  if (entries.length === 0) return;
  await tx.query(
    buildWholeAuditInsert(
      entries.map(({ command, changes, ...entry }) => ({
        ...entry,
        tenantId: command.tenantId,
        id: newId(),
        actor: command.actor,
        outcome: 'ok',
        source: command.source,
        tool: command.tool,
        changes,
        error: null,
        responseStatus: 200,
        requestId: command.requestId,
        idempotencyKey: null,
        ip: command.ip,
        userAgent: command.userAgent,
      })),
    ),
  );
}
