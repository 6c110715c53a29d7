import type { CommandResult } from '../../contracts/command.js';
import type { ErrorBody } from '../../platform/errors.js';
import type { Statement } from '../../platform/postgres.js';
import { heldBody } from '../approvals/held.js';
import { renderStatement } from '../sets.js';
import { collectionOf } from '../tables.js';

/** What an audit entry says about its command. */
export interface DoneRow {
  tenant_id: string;
  id: string;
  outcome: string;
  entity_type: string;
  entity_id: string;
  error: ErrorBody | null;
  response_status: number;
  has_changes: boolean;
}

/** Over audit entries `a`: whether the command changed something. */
export const HAS_CHANGES = 'coalesce(jsonb_array_length(a.changes), 0) > 0 as has_changes';

/**
 * The result of a command that ran earlier, rebuilt from its audit entry: its error as it was, or the record as it is now. `query` runs in a
 * transaction of the tenant.
 */
export async function doneResult(
  row: DoneRow,
  query: (statement: Statement) => Promise<{ body?: string }[]>,
): Promise<CommandResult> {
  if (row.error) return { id: row.id, ok: false, error: row.error };
  const isHeld = row.outcome === 'held';
  // A held write is answered with its approval, whose id is the command's.
  const [entityType, id] = isHeld ? ['approval', row.id] : [row.entity_type, row.entity_id];
  // Whatever became of it: who deleted it is answered with it.
  const [found] = await query(renderStatement(entityType, [{ tenant_id: row.tenant_id, id }]));
  if (found?.body === undefined) throw new Error(`the ${entityType} of command ${row.id} is gone`);
  const isMade = isHeld || [201, 202].includes(row.response_status);
  return {
    id: row.id,
    ok: true,
    status: row.response_status,
    body: isHeld ? heldBody(found.body) : found.body,
    location: isMade ? `${collectionOf(entityType)}/${id}` : null,
    replayed: false,
    isOwnChange: isMade || row.has_changes,
  };
}
