import type { CommandResult } from '../contracts/command.js';
import type { ErrorBody } from '../platform/errors.js';
import type { SqlQuery } from '../platform/postgres/database.js';
import { buildRenderQuery } from '../records/render-records.js';
import { getCollectionPath, getResourceTable } from '../registry/tables.js';
import { buildHeldBody } from '../resources/approvals/held-response.js';

export interface AuditedResultRow {
  tenant_id: string;
  id: string;
  outcome: string;
  entity_type: string;
  entity_id: string;
  error: ErrorBody | null;
  response_status: number;
  has_changes: boolean;
}

/** SQL for a column that is true if the audit entry `a` lists any changes. */
export const HAS_CHANGES_COLUMN = 'coalesce(jsonb_array_length(a.changes), 0) > 0 as has_changes';

/**
 * Rebuilds a command's result from its audit entry: the stored error, or the record as it is now.
 * @param query runs an SQL query in a transaction that names the tenant
 * @throws {Error} if the record no longer exists
 */
export async function rebuildResult(
  row: AuditedResultRow,
  query: (sqlQuery: SqlQuery) => Promise<{ body?: string }[]>,
): Promise<CommandResult> {
  if (row.error) return { id: row.id, ok: false, error: row.error };
  const isHeld = row.outcome === 'held';
  // A held write returns its approval, whose id is the command's id.
  const [entityType, id] = isHeld ? ['approval', row.id] : [row.entity_type, row.entity_id];
  // The query also finds deleted records, because a delete command returns the record that it
  // deleted.
  const [found] = await query(
    buildRenderQuery(getResourceTable(entityType), [{ tenant_id: row.tenant_id, id }]),
  );
  if (found?.body === undefined) throw new Error(`the ${entityType} of command ${row.id} is gone`);
  const isCreated = isHeld || [201, 202].includes(row.response_status);
  return {
    id: row.id,
    ok: true,
    status: row.response_status,
    body: isHeld ? buildHeldBody(found.body) : found.body,
    location: isCreated ? `${getCollectionPath(entityType)}/${id}` : null,
    replayed: false,
    isOwnChange: isCreated || row.has_changes,
  };
}
