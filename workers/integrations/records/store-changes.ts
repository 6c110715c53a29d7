import type { Change } from '../../../shared/integrations/contract/connection.js';
import { newId } from '../../../shared/platform/ids.js';
import type { Transaction } from '../../../shared/platform/postgres/database.js';
import { type ExternalId, findExternalIds, storeExternalIds } from '../../../shared/sync/external-ids.js';
import { insertRun, type SyncRun } from '../../../shared/sync/stream-rows.js';
import type { Step, StepCommand } from '../vendor/step.js';
import type { KnownChange, RecordKind } from './record-kind.js';

interface StoredChanges {
  commands: StepCommand[];
  changes: number;
  /** The number of changes that were known already, or that concern none of our records. */
  dropped: number;
  /** The changes that the commands apply, by the vendor's ids. */
  fresh: ReadonlySet<string>;
  /** The changes that cannot be applied yet. They were not stored, so a later read finds them. */
  early: readonly Change<unknown>[];
}

/**
 * Stores the versions of a vendor's changed records, and returns the commands that apply the
 * changes to our records. Keeps only changes that are newer than what is stored. A change that we
 * wrote ourselves has the stored version.
 */
export async function storeChanges(
  tx: Transaction,
  { connection }: Step,
  { kind, changes }: { kind: RecordKind; changes: readonly Change<unknown>[] },
): Promise<StoredChanges> {
  const early = (await kind.findEarly?.(tx, connection, changes)) ?? [];
  const known = await findExternalIds(tx, connection, changes);
  const byExternalId = new Map(known.map((id) => [`${id.kind}/${id.external_id}`, id]));
  const fresh = listNewest(changes.filter((change) => !early.includes(change))).flatMap(
    (change): KnownChange<unknown>[] => {
      const id = byExternalId.get(`${change.kind}/${change.externalId}`) ?? adopt(kind, change, connection);
      return id && isNew(kind, change, id) ? [{ change, id }] : [];
    },
  );
  await storeExternalIds(
    tx,
    fresh.map(({ change, id }) => ({ ...id, version: change.version })),
  );
  return {
    commands: kind.buildChanges(fresh),
    changes: fresh.length,
    fresh: new Set(fresh.map(({ change }) => change.externalId)),
    dropped: changes.length - early.length - fresh.length,
    early,
  };
}

function isNew(kind: RecordKind, { version }: Change<unknown>, { version: stored }: ExternalId): boolean {
  if (stored === null) return true;
  return kind.adopt ? version !== stored : version > stored;
}

function adopt(
  kind: RecordKind,
  change: Change<unknown>,
  { tenantId: tenant_id, connectionId: connection_id }: Step['connection'],
): ExternalId | undefined {
  const local_id = kind.adopt?.(change);
  if (local_id === undefined) return undefined;
  const { kind: kindName, externalId: external_id } = change;
  return { tenant_id, connection_id, kind: kindName, local_id, external_id, version: null, url: null };
}

/**
 * Returns one change of each record. A vendor's page may list a record several times. Of versions
 * without a sequence, the last one read stays.
 */
function listNewest(changes: readonly Change<unknown>[]): Change<unknown>[] {
  const newest = new Map<string, Change<unknown>>();
  for (const change of changes) {
    const key = `${change.kind}/${change.externalId}`;
    const other = newest.get(key);
    if (!other || change.version > other.version) newest.set(key, change);
  }
  return [...newest.values()];
}

/** Stores a sync run. By default, it succeeded and changed nothing. */
export function recordRun(
  tx: Transaction,
  { connection }: Step,
  { startedAt, ...run }: Partial<SyncRun> & { stream: string; startedAt: Date },
): void {
  insertRun(tx, {
    tenant_id: connection.tenantId,
    id: newId(),
    connection_id: connection.connectionId,
    state: 'succeeded',
    changes: 0,
    dropped: 0,
    error: null,
    started_at: startedAt.toISOString(),
    ...run,
  });
}

/** Stores a sync run if it changed something. */
export function recordChanges(
  tx: Transaction,
  step: Step,
  {
    stream,
    startedAt,
    changes,
    dropped,
  }: Pick<StoredChanges, 'changes' | 'dropped'> & { stream: string; startedAt: Date },
): void {
  if (changes > 0) recordRun(tx, step, { stream, startedAt, changes, dropped });
}
