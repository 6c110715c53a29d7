import type { Runtime } from '../../shared/platform/runtime.js';
import type { Storage } from '../../shared/platform/storage/storage.js';
import { findKnownObjects } from '../../shared/resources/exports/queries.js';
import {
  type DiscardedObject,
  findDiscardedObjects,
  forgetObject,
} from '../../shared/resources/exports/run-store.js';
import type { SweepWork } from '../clock/isolate-tenants.js';
import { sweepSome, sweepTenants } from '../clock/sweep-tenants.js';

const DISCARD_EVERY_MS = 60_000;
const SWEEP_EVERY_MS = 3_600_000;
/** Processes that are restarted more often than every hour have to sweep too. */
const FIRST_AFTER_MS = 60_000;
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
    const pass = async () => {
      try {
        const deleted = await act();
        if (deleted > 0) logger.info({ deleted }, what);
      } catch (error) {
        logger.warn({ err: error }, `${what}: not done; trying again later`);
      }
      if (!lifecycle.isClosing) timer = setTimeout(pass, ms);
    };
    let timer = setTimeout(pass, FIRST_AFTER_MS);
    lifecycle.onClose(what, () => clearTimeout(timer));
  };
  every(DISCARD_EVERY_MS, 'files of ended exports', () => deleteDiscarded(runtime, storage));
  const sweep = () => deleteLeftBehind(runtime, storage, new Date(Date.now() - LEFT_BEHIND_MS));
  every(SWEEP_EVERY_MS, 'what nobody finished in storage', sweep);
}

/** Deletes the files of exports that do not show them any more. What cannot be deleted now is tried again the next time. @returns how many */
export async function deleteDiscarded(runtime: Runtime, storage: Storage): Promise<number> {
  const discarded: DiscardedObject[] = [];
  await sweepTenants(runtime, 'delete-export-files', async (tx) => {
    discarded.push(...(await findDiscardedObjects(tx, OBJECTS_PER_PASS)));
  });
  let deleted = 0;
  // Apart from any transaction: a storage that is slow must hold no row.
  for (const object of discarded) {
    try {
      await storage.delete(object.object_key);
      await runtime.db.transaction([object.tenant_id], (tx) => forgetObject(tx, object));
      deleted += 1;
    } catch (error) {
      runtime.logger.warn({ err: error, exportId: object.id }, 'the file of an ended export was not deleted');
    }
  }
  return deleted;
}

/** What a run of an export calls its object; whatever else lies there is somebody else's. */
const OBJECT_KEY = /^([0-9a-f-]{36})\/([0-9a-f-]{36})\/\d+$/;

/** Deletes uploads that nobody ended, and objects that no export of our accounts knows: of runs whose result came too late. @returns how many */
export async function deleteLeftBehind(runtime: Runtime, storage: Storage, olderThan: Date): Promise<number> {
  let deleted = await storage.sweep(olderThan);
  const tenants = new Set(await runtime.db.tenantIds());
  for await (const { key, modifiedAt } of storage.list('')) {
    const [, tenantId, exportId] = OBJECT_KEY.exec(key) ?? [];
    if (!tenantId || !exportId || !tenants.has(tenantId) || modifiedAt >= olderThan) continue;
    // Stays true when the account is left out: what nobody could ask about is kept.
    let isKnown = true;
    const work: SweepWork = async (tx) => {
      isKnown = (await tx.query(findKnownObjects(tenantId, exportId, key))).length > 0;
    };
    await sweepSome(runtime, { task: 'delete-left-behind', tenantIds: [tenantId], work });
    if (isKnown) continue;
    await storage.delete(key);
    deleted += 1;
  }
  return deleted;
}
