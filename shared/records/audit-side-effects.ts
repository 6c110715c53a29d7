import type { Change, Command } from '../contracts/command.js';
import { newId } from '../platform/ids.js';
import type { Transaction } from '../platform/postgres/database.js';
import { recordsetSql } from './record-refs.js';

/** A change that a command made to a record other than its own. */
export interface AuditedSideEffect {
  command: Command;
  entityType: string;
  entityId: string;
  /** For example `invoice.updated`. */
  action: string;
  changes: Change[];
}

/**
 * Records changes to other records in the command's transaction, so that each record's history is
 * complete. These entries share the command's request id.
 */
export async function auditSideEffects(
  tx: Transaction,
  entries: readonly AuditedSideEffect[],
): Promise<void> {
  if (entries.length === 0) return;
  const rows = entries.map(({ command, entityType, entityId, action, changes }) => ({
    tenant_id: command.tenantId,
    id: newId(),
    actor_type: command.actor.type,
    actor_id: command.actor.id,
    actor_name: command.actor.name,
    action,
    entity_type: entityType,
    entity_id: entityId,
    source: command.source,
    tool: command.tool,
    changes,
    request_id: command.requestId,
    ip: command.ip,
    user_agent: command.userAgent,
  }));
  await tx.query({
    name: 'record-audit-also',
    text: `insert into audit_entries (tenant_id, id, actor_type, actor_id, actor_name, action, entity_type, entity_id, outcome, source, tool, changes,
             response_status, request_id, ip, user_agent)
           select tenant_id, id, actor_type, actor_id, actor_name, action, entity_type, entity_id, 'ok', source, tool, changes, 200, request_id, ip,
             user_agent
           from ${recordsetSql(
             `tenant_id uuid, id uuid, actor_type text, actor_id uuid, actor_name text, action text, entity_type text, entity_id uuid, source text,
              tool text, changes jsonb, request_id text, ip text, user_agent text`,
           )}`,
    values: [JSON.stringify(rows)],
  });
}
