import type { Change } from '../contracts/command.js';
import type { ErrorDetail } from '../platform/errors.js';
import type { Transaction } from '../platform/postgres/database.js';

interface ChangeRow {
  changes: Change[] | null;
  actor_type: string;
  actor_name: string | null;
  occurred_at: string;
}

/**
 * Finds what has changed in a record since a version. Reads the record's audit entries, and returns
 * each change with its actor and time.
 */
export async function findChangesSince(
  tx: Transaction,
  { tenantId, entityType, entityId, version }: ChangedRecord,
): Promise<ErrorDetail[]> {
  const rows = await tx.query<ChangeRow>({
    name: 'changes-since',
    text: `select changes, actor_type, actor_name, to_json(occurred_at)#>>'{}' as occurred_at from audit_entries
           where tenant_id = $1 and entity_type = $2 and entity_id = $3 and outcome = 'ok'
             and date_trunc('milliseconds', occurred_at) > $4::timestamptz
           order by id`,
    values: [tenantId, entityType, entityId, version],
  });
  return rows.flatMap((row) =>
    (row.changes ?? []).map((change) => ({
      ...change,
      changed_by: row.actor_name ?? row.actor_type,
      changed_at: new Date(row.occurred_at).toISOString(),
    })),
  );
}

interface ChangedRecord {
  tenantId: string;
  entityType: string;
  entityId: string;
  /** The updated_at that the client last read. */
  version: string;
}
