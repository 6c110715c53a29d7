import type { SqlQuery } from '../../shared/platform/postgres/database.js';
import type { Runtime } from '../../shared/platform/process/runtime.js';
import { findKnownObjects } from '../../shared/resources/exports/queries.js';
import {
  clearObjectKey,
  type DiscardedObject,
  findDiscardedObjects,
} from '../../shared/resources/exports/run-store.js';
import { findKnownPhotos } from '../../shared/resources/work-order-photos/queries.js';
import type { Storage } from '../../shared/storage/storage.js';
import type { SweepWork } from '../sweeps/isolate-tenants.js';
import { sweepTenantSet, sweepTenants } from '../sweeps/sweep-tenants.js';

const DISCARD_EVERY_MS = 60_000;
const SWEEP_EVERY_MS = 3_600_000;
/**
 * The delay between the start of the process and the first pass. It is short, so that a process
 * that restarts every hour still runs the hourly pass.
 */
const FIRST_AFTER_MS = 60_000;
/**
 * Minimum age at which an object without an export is deleted. A younger object may belong to a
 * running export. No export takes this long.
 */
const LEFT_BEHIND_MS = 24 * 3_600_000;
/** Maximum number of objects that one transaction finds, over all its tenants. */
const OBJECTS_PER_PASS = 500;

/**
 * Starts two timers that delete unneeded objects in storage. The first runs every minute and
 * deletes files of ended exports. The second runs every hour and deletes objects that crashed
 * workers left. Several processes may run these timers at once, because deleting a missing object
 * is not an error.
 */
export function startStorageCleaner(runtime: Runtime, storage: Storage): void {
  const { lifecycle, logger } = runtime;
  const runEvery = (ms: number, task: string, deleteFiles: () => Promise<number>) => {
    const pass = async () => {
      try {
        const deleted = await deleteFiles();
        if (deleted > 0) logger.info({ deleted }, `deleted ${task}`);
      } catch (error) {
        logger.warn({ err: error }, `could not delete ${task}; will retry`);
      }
      if (!lifecycle.isClosing) timer = setTimeout(pass, ms);
    };
    let timer = setTimeout(pass, FIRST_AFTER_MS);
    lifecycle.onClose(task, () => clearTimeout(timer));
  };
  runEvery(DISCARD_EVERY_MS, 'files of ended exports', () => deleteDiscardedFiles(runtime, storage));
  const deleteOrphans = () => deleteOrphanedObjects(runtime, storage, new Date(Date.now() - LEFT_BEHIND_MS));
  runEvery(SWEEP_EVERY_MS, 'unfinished uploads and orphaned objects', deleteOrphans);
}

/**
 * Deletes files that ended exports no longer offer for download. The next pass retries failed
 * deletions.
 * @returns the number of deleted files
 */
export async function deleteDiscardedFiles(runtime: Runtime, storage: Storage): Promise<number> {
  const discarded: DiscardedObject[] = [];
  await sweepTenants(runtime, 'delete-export-files', async (tx) => {
    discarded.push(...(await findDiscardedObjects(tx, OBJECTS_PER_PASS)));
  });
  let deleted = 0;
  // Delete outside of any transaction. A transaction would hold row locks until slow storage
  // responds.
  for (const object of discarded) {
    try {
      await storage.delete(object.object_key);
      await runtime.db.transaction([object.tenant_id], (tx) => clearObjectKey(tx, object));
      deleted += 1;
    } catch (error) {
      runtime.logger.warn({ err: error, exportId: object.id }, 'the file of an ended export was not deleted');
    }
  }
  return deleted;
}

/**
 * Keys of the objects that this service stores, with the query that finds their record. A bucket
 * may contain objects that do not belong to this service.
 */
const OBJECT_KEYS: { pattern: RegExp; findKnown: (tenantId: string, id: string, key: string) => SqlQuery }[] =
  [
    { pattern: /^([0-9a-f-]{36})\/([0-9a-f-]{36})\/\d+$/, findKnown: findKnownObjects },
    {
      pattern: /^([0-9a-f-]{36})\/photos\/([0-9a-f-]{36})[.]jpg$/,
      findKnown: (tenantId, _id, key) => findKnownPhotos(tenantId, key),
    },
  ];

/** Returns the tenant in an object's key and the query for its record, or undefined. */
function parseObjectKey(key: string): { tenantId: string; known: SqlQuery } | undefined {
  for (const { pattern, findKnown } of OBJECT_KEYS) {
    const [, tenantId, id] = pattern.exec(key) ?? [];
    if (tenantId && id) return { tenantId, known: findKnown(tenantId, id, key) };
  }
  return undefined;
}

/**
 * Deletes unfinished uploads, and objects to which no export and no photo refers. A run leaves such
 * an object if it loses its lease before its result is recorded, and a photo leaves its picture
 * when it is deleted. Keeps the objects of unknown tenants.
 * @param olderThan uploads and objects from this time or later are kept
 * @returns the number of deleted uploads and objects
 */
export async function deleteOrphanedObjects(
  runtime: Runtime,
  storage: Storage,
  olderThan: Date,
): Promise<number> {
  let deleted = await storage.discardStaleUploads(olderThan);
  const tenants = new Set(await runtime.db.listTenantIds());
  for await (const { key, modifiedAt } of storage.list('')) {
    const { tenantId, known } = parseObjectKey(key) ?? {};
    if (!tenantId || !known || !tenants.has(tenantId) || modifiedAt >= olderThan) continue;
    // Stays true if the sweep skips this tenant, so that the object is kept.
    let isKnown = true;
    const work: SweepWork = async (tx) => {
      isKnown = (await tx.query(known)).length > 0;
    };
    await sweepTenantSet(runtime, { task: 'delete-left-behind', tenantIds: [tenantId], work });
    if (isKnown) continue;
    await storage.delete(key);
    deleted += 1;
  }
  return deleted;
}
