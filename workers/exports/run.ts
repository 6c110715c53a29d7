import { systemCommand } from '../../shared/contracts/system-command.js';
import { failpoint } from '../../shared/platform/failpoints.js';
import { newId } from '../../shared/platform/ids.js';
import { openSnapshot, type Snapshot } from '../../shared/platform/postgres-snapshot.js';
import type { Runtime } from '../../shared/platform/runtime.js';
import type { Storage, Upload } from '../../shared/platform/storage/storage.js';
import { enqueueBatch, type WritesQueue } from '../../shared/queues/writes.js';
import {
  type ExportFailure,
  type ExportResult,
  recordExportCompleted,
  recordExportFailed,
} from '../../shared/resources/exports/commands.js';
import { MOST_TRIES } from '../../shared/resources/exports/limits.js';
import { type ClaimedExport, claimExport, releaseExport } from '../../shared/resources/exports/run-store.js';
import type { RecordRef } from '../../shared/resources/sets.js';
import { writeDump } from './dump/write-dump.js';
import { faultOf } from './faults.js';
import { nameOf } from './files/names.js';
import { writeExport } from './files/write-export.js';
import { holdLease, LEASE_MS, type Lease } from './lease.js';
import { chooseSource } from './source.js';

/** What exports are written with, beside the runtime. */
export interface ExportParts {
  storage: Storage;
  writes: WritesQueue;
}

export interface ExportRun extends ExportParts {
  ref: RecordRef;
  /** Aborted: this process ends, another one is to begin anew. */
  signal: AbortSignal;
}

/** A claimed export, and the hold on it. */
interface Held {
  claimed: ClaimedExport;
  lease: Lease;
  owner: string;
}

/** After a failure that may pass; longer with each try. */
const RETRY_MS = 2000;
/** A storage that is away may be so for minutes, which must not cost anybody an export. */
const STORAGE_RETRY_MS = 30_000;

/**
 * Writes one export: the snapshot's bytes go through gzip into storage, where nothing is to be seen of it before it is whole. Whoever dies in between leaves a lease that runs
 * out; the next one begins anew, with a snapshot and an object of its own.
 */
export async function runExport(runtime: Runtime, run: ExportRun): Promise<void> {
  const { ref } = run;
  const owner = newId();
  const hold = { owner, leaseMs: LEASE_MS };
  const claimed = await runtime.db.transaction([ref.tenant_id], (tx) => claimExport(tx, ref, hold));
  if (claimed === undefined || claimed === 'busy') return;
  const startedAt = performance.now();
  const lease = holdLease(runtime, { ref, owner, signal: run.signal });
  const held = { claimed, lease, owner };
  try {
    const result = await write(runtime, run, held);
    await settle(run, claimed, { type: recordExportCompleted.type, input: result });
    await lease.untilSettled();
    const { rows, bytes, attempt } = result;
    const ms = Math.round(performance.now() - startedAt);
    runtime.logger.info({ exportId: ref.id, tenant: ref.tenant_id, attempt, rows, bytes, ms }, 'export');
  } catch (error) {
    await giveUp(runtime, run, { ...held, error });
  } finally {
    lease.end();
  }
}

async function write(runtime: Runtime, run: ExportRun, { claimed, lease }: Held): Promise<ExportResult> {
  const { config, logger } = runtime;
  const { storage, ref } = run;
  const { fileName, contentType } = nameOf(claimed, new Date(claimed.createdAt));
  const key = keyOf(ref, claimed.attempts);
  let snapshot: Snapshot | undefined;
  let upload: Upload | undefined;
  try {
    snapshot = await openSnapshot({
      databaseUrl: await chooseSource(runtime, claimed),
      tenantId: ref.tenant_id,
      applicationName: 'tow-snapshot',
      statementTimeoutMs: config.exportTimeoutMs,
    });
    const session = snapshot;
    // Whatever it waits for, a lock for instance: nobody wants the answer any more.
    lease.signal.addEventListener('abort', () => void session.close(), { once: true });
    lease.signal.throwIfAborted();
    await clearBefore(runtime, run, claimed);
    const object = await storage.create(key, { fileName, contentType });
    upload = object;
    const { rows, files } = await writeExport(snapshot, claimed, object.stream, {
      signal: lease.signal,
      writeDump,
      onProgress: (rows) => {
        lease.progress = { rows, bytes: object.bytes };
      },
    });
    lease.signal.throwIfAborted();
    const { bytes, sha256 } = await upload.commit();
    failpoint(config, 'after_export_stored');
    const names = { object_key: key, file_name: fileName, content_type: contentType };
    return { attempt: claimed.attempts, rows, bytes, sha256, ...names, files };
  } catch (error) {
    const ending = upload?.abort().catch((left: unknown) => {
      logger.warn({ err: left, exportId: ref.id }, 'a part of an export was left in storage');
    });
    // Who ends has no time for a storage that may be away; what is left is swept up.
    if (!run.signal.aborted) await ending;
    throw error;
  } finally {
    await snapshot?.close();
  }
}

function keyOf({ tenant_id, id }: RecordRef, attempt: number): string {
  return `${tenant_id}/${id}/${attempt}`;
}

/** Removes what a run left that died: nobody else would for a day, and its result would be refused by now. */
async function clearBefore(
  { logger }: Runtime,
  { storage, ref }: ExportRun,
  { attempts }: ClaimedExport,
): Promise<void> {
  if (attempts === 1) return;
  const before = keyOf(ref, attempts - 1);
  try {
    await storage.abandon(before);
    await storage.delete(before);
  } catch (error) {
    logger.warn(
      { err: error, exportId: ref.id },
      'what an earlier run of an export left is still in storage',
    );
  }
}

/** What is nobody's fault is given back, what may pass is tried again, all else fails the export. */
async function giveUp(
  { db, logger }: Runtime,
  run: ExportRun,
  { claimed, lease, owner, error }: Held & { error: unknown },
): Promise<void> {
  const { ref } = run;
  const about = { exportId: ref.id, tenant: ref.tenant_id, attempt: claimed.attempts };
  if (run.signal.aborted) {
    const again = { owner, delayMs: 0, isTry: false };
    await db.transaction([ref.tenant_id], (tx) => releaseExport(tx, ref, again));
    return logger.info(about, 'an export was given back');
  }
  if (lease.signal.aborted) return logger.info(about, 'an export was cancelled, or is in other hands');
  const { isPassing, code, message } = faultOf(error);
  logger.error({ err: error, ...about, isPassing }, 'an export could not be written');
  if (!isPassing || claimed.tries >= MOST_TRIES) {
    const input = { attempt: claimed.attempts, code, message };
    await settle(run, claimed, { type: recordExportFailed.type, input });
    return lease.untilSettled();
  }
  const delayMs =
    code === 'storage_unavailable' ? STORAGE_RETRY_MS * 2 ** (claimed.tries - 1) : RETRY_MS * claimed.tries;
  const again = { owner, delayMs };
  await db.transaction([ref.tenant_id], (tx) => releaseExport(tx, ref, again));
}

interface Settlement {
  type: string;
  input: ExportResult | ExportFailure;
}

/** What became of it goes the way of all writes, so that event, deliveries and audit entry come with it. */
function settle(
  { writes, ref }: ExportRun,
  { environment }: ClaimedExport,
  { type, input }: Settlement,
): Promise<void> {
  const { tenant_id: tenantId, id: entityId } = ref;
  const command = systemCommand({ type, tenantId, environment, name: 'exports', entityId, input });
  return enqueueBatch(writes, [command], null);
}
