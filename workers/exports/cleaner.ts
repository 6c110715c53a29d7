import { isUuid } from '../../shared/platform/ids.js';
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
 * Minimum age at which an object without a record is deleted. A younger object may belong to a
 * running export, or to a photo whose command is not committed yet. No export and no command takes
 * this long.
 */
const LEFT_BEHIND_MS = 24 * 3_600_000;
/** Maximum number of objects that one transaction finds, for all its tenants together. */
const OBJECTS_PER_PASS = 500;
/** Maximum number of listed objects whose records are looked up together, for all tenants. */
const OBJECTS_PER_BATCH = 1000;

/**
 * Starts two timers that delete unneeded objects in storage. The first runs every minute and
 * deletes files of ended exports. The second runs every hour. It deletes files that crashed
 * processes left behind, and the files of deleted photos. Several processes may run these timers at
 * once, because deleting a missing object is not an error.
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

/** An object in storage that an export or a photo of the tenant may refer to. */
interface StoredObject {
  key: string;
  tenantId: string;
  /** Null if the object is a photo. */
  exportId: string | null;
}

/**
 * A bucket may also contain objects of other services. Only keys of these forms belong to this
 * service.
 */
const EXPORT_KEY = /^([^/]+)\/([^/]+)\/\d+$/;
const PHOTO_KEY = /^([^/]+)\/photos\/[0-9a-f-]{36}[.]jpg$/;

function parseObjectKey(key: string): StoredObject | undefined {
  const [, ofPhoto] = PHOTO_KEY.exec(key) ?? [];
  if (ofPhoto !== undefined) return { key, tenantId: ofPhoto, exportId: null };
  const [, tenantId, exportId] = EXPORT_KEY.exec(key) ?? [];
  return tenantId !== undefined && isUuid(exportId) ? { key, tenantId, exportId } : undefined;
}

/**
 * Deletes unfinished uploads, and objects to which no export and no photo refers. Such objects
 * remain when a run loses its lease before its result is recorded, and when a photo is deleted.
 * Keeps the objects of unknown and of frozen tenants.
 * @param olderThan only uploads and objects from before this time are deleted
 * @returns the number of deleted uploads and objects
 */
export async function deleteOrphanedObjects(
  runtime: Runtime,
  storage: Storage,
  olderThan: Date,
): Promise<number> {
  let deleted = await storage.discardStaleUploads(olderThan);
  const tenants = new Set(await runtime.db.listTenantIds());
  const deleteUnknown = async (objects: StoredObject[]) => {
    for (const key of await findOrphans(runtime, objects)) {
      await storage.delete(key);
      deleted += 1;
    }
  };
  let batch: StoredObject[] = [];
  for await (const { key, modifiedAt } of storage.list('')) {
    const object = modifiedAt < olderThan ? parseObjectKey(key) : undefined;
    if (!object || !tenants.has(object.tenantId)) continue;
    batch.push(object);
    if (batch.length < OBJECTS_PER_BATCH) continue;
    await deleteUnknown(batch);
    batch = [];
  }
  await deleteUnknown(batch);
  return deleted;
}

/** Returns the keys of the objects that have no record. Runs one query per tenant. */
async function findOrphans(runtime: Runtime, objects: readonly StoredObject[]): Promise<string[]> {
  const byTenant = new Map<string, StoredObject[]>();
  for (const object of objects) {
    const others = byTenant.get(object.tenantId);
    if (others) others.push(object);
    else byTenant.set(object.tenantId, [object]);
  }
  const orphans: string[] = [];
  for (const [tenantId, ofTenant] of byTenant) {
    // If the sweep skips this tenant, this list stays empty, so that the tenant's objects are kept.
    let unknown: string[] = [];
    const work: SweepWork = async (tx) => {
      const known = new Set<string>();
      for (const query of findRecords(tenantId, ofTenant))
        for (const { object_key } of await tx.query<{ object_key: string }>(query)) known.add(object_key);
      unknown = ofTenant.map(({ key }) => key).filter((key) => !known.has(key));
    };
    await sweepTenantSet(runtime, { task: 'delete-left-behind', tenantIds: [tenantId], work });
    orphans.push(...unknown);
  }
  return orphans;
}

/**
 * Builds the queries that find which of these objects belong to a photo or an export of the tenant.
 */
function findRecords(tenantId: string, objects: readonly StoredObject[]): SqlQuery[] {
  const photos = objects.filter(({ exportId }) => exportId === null).map(({ key }) => key);
  const files = objects.filter(({ exportId }) => exportId !== null);
  const ids = files.flatMap(({ exportId }) => exportId ?? []);
  const queries: SqlQuery[] = [];
  if (photos.length > 0) queries.push(findKnownPhotos(tenantId, photos));
  if (files.length > 0)
    queries.push(findKnownObjects(tenantId, { ids, objectKeys: files.map(({ key }) => key) }));
  return queries;
}
