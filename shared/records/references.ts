import type { Command, CommandOutcome } from '../contracts/command.js';
import type { ErrorDetail } from '../platform/errors.js';
import type { Transaction } from '../platform/postgres/database.js';
import { failedOutcome } from './outcomes.js';
import { type RecordRef, recordsetSql, refKey } from './record-refs.js';
import type { ResourceTable } from './resource-table.js';

/** Builds a 400 error for unknown ids inside a body (docs/decisions.md §5). */
export function invalidReferencesOutcome(details: ErrorDetail[]): CommandOutcome {
  return failedOutcome({
    code: 'validation_error',
    message: `${details[0]?.message ?? 'An id is unknown'}.`,
    details,
  });
}

export function unknownReferenceOutcome(field: string, entityType: string): CommandOutcome {
  return invalidReferencesOutcome([describeUnknown(field, entityType)]);
}

export type ReferencedTable = Pick<ResourceTable, 'entityType' | 'table'>;

/**
 * The members of a body that contain ids of other records. Each member is mapped to the table of
 * its record.
 */
export type References = Readonly<Record<string, ReferencedTable>>;

/**
 * Returns an error outcome for each command whose body names an unknown record. Runs one query per
 * table.
 */
export async function refuseUnknownReferences<Input>(
  tx: Transaction,
  commands: Command<Input>[],
  references: References,
): Promise<Map<Command<Input>, CommandOutcome>> {
  const used = commands.flatMap((command) => listReferences(command, references));
  const tables = [...new Set(used.map(({ table }) => table))];
  const existing = new Map(
    await Promise.all(
      tables.map(async (table) => {
        const refs = used.filter((one) => one.table === table).map(({ ref }) => ref);
        return [table, await findExistingRecords(tx, table, refs)] as const;
      }),
    ),
  );
  const refused = new Map<Command<Input>, CommandOutcome>();
  for (const command of commands) {
    const details = listReferences(command, references)
      .filter(({ table, ref }) => !existing.get(table)?.has(refKey(ref)))
      .map(({ field, entityType }) => describeUnknown(field, entityType));
    if (details.length > 0) refused.set(command, invalidReferencesOutcome(details));
  }
  return refused;
}

function listReferences({ tenantId, input }: Command, references: References) {
  const body = input as Record<string, string | null | undefined>;
  return Object.entries(references).flatMap(([field, target]) => {
    const id = body[field];
    return id ? [{ field, ...target, ref: { tenant_id: tenantId, id } }] : [];
  });
}

function describeUnknown(field: string, entityType: string): ErrorDetail {
  const kind = entityType.replaceAll('_', ' ');
  const article = /^[aeiou]/.test(kind) ? 'an' : 'a';
  return { field, code: 'unknown', message: `${field} is not ${article} ${kind} of this account` };
}

/** Returns the keys ({@link refKey}) of the records that exist in their tenant. */
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
