import type { Change } from '../../../shared/integrations/contract/connection.js';
import { newId } from '../../../shared/platform/ids.js';
import type { Transaction } from '../../../shared/platform/postgres/database.js';
import {
  type ExternalId,
  findEarlierIds,
  findExternalIds,
  storeExternalIds,
} from '../../../shared/sync/external-ids.js';
import { insertRun, type SyncRun } from '../../../shared/sync/stream-rows.js';
import type { Step, StepCommand } from '../vendor/step.js';
import type { KnownChange, RecordKind } from './record-kind.js';

/** The wait until a worker looks again whether there is room for the issue about a difference. */
export const LEFT_WAIT_MS = 15 * 60_000;

interface StoredChanges {
  commands: StepCommand[];
  changes: number;
  /** The number of changes that were already known, or that concern no stored record. */
  dropped: number;
  /** The vendor's ids of the records that the commands change. */
  fresh: ReadonlySet<string>;
  /** The changes that cannot be applied yet. They were not stored, so a later read finds them. */
  early: readonly Change<unknown>[];
  /** The hints of the records that are not known here. */
  unknown: readonly string[];
  /** The hints of the records that differ, but for which no further issue may be open yet. */
  left: readonly string[];
}

/**
 * Stores the versions of records that changed at the vendor. Returns the commands that apply these
 * changes to the stored records. Skips changes that are not newer than the stored version. So it
 * also skips changes that this service wrote itself.
 */
export async function storeChanges(
  tx: Transaction,
  step: Step,
  { kind, changes }: { kind: RecordKind; changes: readonly Change<unknown>[] },
): Promise<StoredChanges> {
  const { connection } = step;
  const early = (await kind.findEarly?.(tx, connection, changes)) ?? [];
  const byExternalId = await findKnownIds(tx, connection, changes);
  const unknown: string[] = [];
  const found = listNewest(changes.filter((change) => !early.includes(change))).flatMap(
    (change): KnownChange<unknown>[] => {
      const id = byExternalId.get(`${change.kind}/${change.externalId}`) ?? adopt(kind, change, connection);
      if (!id) unknown.push(toHint(kind, change));
      return id && isNew(kind, change, id) ? [{ change, id }] : [];
    },
  );
  const fresh = keepFirstOfEach(found);
  await storeExternalIds(
    tx,
    fresh.map(({ change, id }) => ({ ...id, version: change.version })),
  );
  if (kind.storeAtCommit?.(tx, fresh)) step.hasChangedRecords = true;
  const compared = await kind.compare?.(tx, step, fresh);
  const left = fresh.filter(({ change }) => compared?.left.includes(change.externalId));
  // Without a version, the next read of the record compares it again.
  await storeExternalIds(
    tx,
    left.map(({ id }) => ({ ...id, version: null })),
  );
  return {
    commands: [...kind.buildChanges(fresh, step), ...(compared?.commands ?? [])],
    changes: fresh.length,
    fresh: new Set(fresh.map(({ change }) => change.externalId)),
    dropped: changes.length - early.length - fresh.length,
    early,
    unknown,
    left: left.map(({ change }) => toHint(kind, change)),
  };
}

/** Returns the hint with which a worker reads the changed record again. */
export function toHint(kind: RecordKind, { externalId }: Change<unknown>): string {
  return kind.toHint?.(externalId) ?? externalId;
}

/**
 * Finds the stored records that belong to these records of the vendor. Returns a map from
 * `{kind}/{vendor's id}` to their ids. Includes records that an earlier connection to the same
 * vendor account has stored.
 */
async function findKnownIds(
  tx: Transaction,
  connection: Step['connection'],
  changes: readonly Change<unknown>[],
): Promise<Map<string, ExternalId>> {
  const toKey = (kind: string, externalId: string) => `${kind}/${externalId}`;
  const own = await findExternalIds(tx, connection, changes);
  const known = new Map(own.map((id) => [toKey(id.kind, id.external_id), id]));
  const unknown = changes.filter(({ kind, externalId }) => !known.has(toKey(kind, externalId)));
  for (const id of await findEarlierIds(tx, connection, unknown))
    known.set(toKey(id.kind, id.external_id), id);
  return known;
}

/** Two records of the vendor may name the same record of ours. Only one of them can be linked. */
function keepFirstOfEach<State>(found: readonly KnownChange<State>[]): KnownChange<State>[] {
  const taken = new Set<string>();
  return found.filter(({ id: { kind, local_id } }) => {
    const key = `${kind}/${local_id}`;
    const isFirst = !taken.has(key);
    taken.add(key);
    return isFirst;
  });
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
 * Returns one change per record, because a vendor's page may list a record several times. If the
 * versions have no sequence, keeps the last change on the page.
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

/** Stores a sync run, by default one that succeeded and changed nothing. */
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

/** Stores a sync run only if the run made changes. */
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
