import type { CommandOutcome } from '../contracts/command.js';
import type { ErrorDetail } from '../platform/errors.js';
import type { Transaction } from '../platform/postgres/database.js';
import { failedOutcome } from './outcomes.js';
import { type RecordRef, recordsetSql, refKey } from './record-refs.js';

/**
 * The refusal of a body with unknown ids. An unknown id inside a body is a 400
 * (docs/decisions.md §5).
 */
export function invalidReferencesOutcome(details: ErrorDetail[]): CommandOutcome {
  return failedOutcome({
    code: 'validation_error',
    message: `${details[0]?.message ?? 'An id is unknown'}.`,
    details,
  });
}

/** Returns the keys of the referenced records that exist in their tenant. */
export async function findExistingRecords(
  tx: Transaction,
  table: string,
  refs: RecordRef[],
): Promise<Set<string>> {
  if (refs.length === 0) return new Set();
  const rows = await tx.query<RecordRef>({
    name: `exists-${table}`,
    text: `select t.tenant_id, t.id from ${recordsetSql('tenant_id uuid, id uuid')}
           join ${table} t on t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(refs)],
  });
  return new Set(rows.map(refKey));
}
