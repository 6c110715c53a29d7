import type { Transaction } from '../../shared/platform/postgres/database.js';
import { buildOperatorAuditInsert, type OperatorAction } from '../../shared/resources/audit-log/insert.js';

/** Writes an audit entry for the action when the transaction commits. */
export function recordOperatorAction(tx: Transaction, action: OperatorAction): void {
  tx.queryAtCommit(buildOperatorAuditInsert([action]));
}
