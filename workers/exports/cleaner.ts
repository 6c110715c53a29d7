import type { Runtime } from '../../shared/platform/runtime.js';
import type { Storage } from '../../shared/platform/storage/storage.js';
import { findKnownObjects } from '../../shared/resources/exports/queries.js';
import { findDiscardedObjects, forgetObject } from '../../shared/resources/exports/run-store.js';
import { forEachChunk } from '../clock/chunks.js';

const DISCARD_EVERY_MS = 60_000;
const SWEEP_EVERY_MS = 3_600_000;
/** Longer than any export takes: what is younger may belong to one that runs. */
const LEFT_BEHIND_MS = 24 * 3_600_000;
/** Objects of some hundred tenants, per pass. */
const OBJECTS_PER_PASS = 500;

/**
 * Keeps storage to what exports show: every minute it deletes the files of those that have expired, every hour what workers left behind that died. Any number of processes may
 * do it: to delete what is gone is no error.
 */
export function startCleaner(runtime: Runtime, storage: Storage): void {
  const { lifecycle, logger } = runtime;
  const every = (ms: number, what: string, act: () => Promise<number>) => {
    let isBusy = false;
    const timer = setInterval(async () => {
      if (isBusy) return;
      isBusy = true;
      try {
        const deleted = await act();
        if (deleted > 0) logger.info({ deleted }, what);
      } catch (error) {
        logger.warn({ err: error }, `${what}: not done; trying again later`);
      }
      isBusy = false;
    }, ms);
    lifecycle.onClose(what, () => clearInterval(timer));
  };
  every(DISCARD_EVERY_MS, 'files of ended exports', () => deleteDiscarded(runtime, storage));
  every(SWEEP_EVERY_MS, 'what nobody finished in storage', () =>
    deleteLeftBehind(runtime, storage, new Date(Date.now() - LEFT_BEHIND_MS)),
  );
}

/** Deletes the files of exports that do not show them any more. @returns how many */
export async function deleteDiscarded(runtime: Runtime, storage: Storage): Promise<number> {
  let deleted = 0;
  await forEachChunk(runtime, async (tx) => {
    for (const object of await findDiscardedObjects(tx, OBJECTS_PER_PASS)) {
      await storage.delete(object.object_key);
      await forgetObject(tx, object);
      deleted += 1;
    }
  });
  return deleted;
}

/** Deletes uploads that nobody ended, and objects that no export knows: of runs whose result came too late. @returns how many */
export async function deleteLeftBehind({ db }: Runtime, storage: Storage, olderThan: Date): Promise<number> {
  let deleted = await storage.sweep(olderThan);
  for await (const { key, modifiedAt } of storage.list('')) {
    if (modifiedAt >= olderThan) continue;
    const [tenantId, exportId] = key.split('/') as [string, string];
    const known = await db.read(tenantId, findKnownObjects(tenantId, exportId, key));
    if (known.length > 0) continue;
    await storage.delete(key);
    deleted += 1;
  }
  return deleted;
}
