import type { Change } from '../../shared/contracts/command.js';
import { newId } from '../../shared/platform/ids.js';
import type { Transaction } from '../../shared/platform/postgres/database.js';

/** An operator's action at the command line. */
export interface OperatorAction {
  tenantId: string;
  /** For example `api_key.revoked`. */
  action: string;
  entityType: string;
  entityId: string;
  changes?: Change[];
}

/**
 * Records the audit entry of a command-line action when the transaction commits. Actor is `system`,
 * source is `job` (docs/decisions.md §9).
 */
export function recordOperatorAction(
  tx: Transaction,
  { tenantId, action, entityType, entityId, changes }: OperatorAction,
): void {
  tx.queryAtCommit({
    text: `insert into audit_entries (tenant_id, id, actor_type, actor_name, action, entity_type, entity_id, outcome, source, changes)
           values ($1, $2, 'system', 'tow', $3, $4, $5, 'ok', 'job', $6)`,
    values: [tenantId, newId(), action, entityType, entityId, changes ? JSON.stringify(changes) : null],
  });
}
