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

/** SQL over audit entries `a`: whether the command changed something. */
export const HAS_CHANGES_COLUMN = 'coalesce(jsonb_array_length(a.changes), 0) > 0 as has_changes';

/**
 * Returns the stored error, or the record as it is now. `query` runs in a
 * transaction of the tenant.
 */
export async function rebuildResult(
  row: AuditedResultRow,
  query: (sqlQuery: SqlQuery) => Promise<{ body?: string }[]>,
): Promise<CommandResult> {
  if (row.error) return { id: row.id, ok: false, error: row.error };
  const isHeld = row.outcome === 'held';
  // The result of a held write is its approval, which has the id of the command.
  const [entityType, id] = isHeld ? ['approval', row.id] : [row.entity_type, row.entity_id];
  // The result of a delete command is the deleted record, so deleted records are included.
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
