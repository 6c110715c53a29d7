import type { Change } from '../../shared/contracts/command.js';
import { newId } from '../../shared/platform/ids.js';
import type { Transaction } from '../../shared/platform/postgres.js';

/** What an operator did at the command line. */
export interface OperatorAction {
  tenantId: string;
  /** `api_key.revoked` */
  action: string;
  entityType: string;
  entityId: string;
  changes?: Change[];
}

/** Writes the audit entry of a command-line action, in its own transaction's commit: actor `system`, source `job` (decisions 9). */
export function recordAction(
  tx: Transaction,
  { tenantId, action, entityType, entityId, changes }: OperatorAction,
): void {
  tx.queryAtCommit({
    text: `insert into audit_entries (tenant_id, id, actor_type, actor_name, action, entity_type, entity_id, outcome, source, changes)
           values ($1, $2, 'system', 'tow', $3, $4, $5, 'ok', 'job', $6)`,
    values: [tenantId, newId(), action, entityType, entityId, changes ? JSON.stringify(changes) : null],
  });
}
