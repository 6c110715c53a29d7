import { failpoint } from '../../shared/config/failpoints.js';
import { createSystemCommand } from '../../shared/contracts/system-command.js';
import { newId } from '../../shared/platform/ids.js';
import { openSnapshot, type Snapshot } from '../../shared/platform/postgres/snapshot.js';
import type { Runtime } from '../../shared/platform/process/runtime.js';
import { enqueueBatch, type WritesQueue } from '../../shared/queues/writes.js';
import type { RecordRef } from '../../shared/records/record-refs.js';
import {
  type ExportFailure,
  type ExportResult,
  recordExportCompleted,
  recordExportFailed,
} from '../../shared/resources/exports/commands.js';
import { MAX_EXPORT_TRIES } from '../../shared/resources/exports/limits.js';
import { type LeasedExport, leaseExport, releaseExport } from '../../shared/resources/exports/run-store.js';
import type { Storage, Upload } from '../../shared/storage/storage.js';
import { classifyExportError } from './classify-error.js';
import { writeDump } from './dump/write-dump.js';
import { nameExportFile } from './files/export-file-name.js';
import { writeExport } from './files/write-export.js';
import { type ExportLease, holdLease, LEASE_MS } from './lease.js';
import { chooseSource } from './source.js';

export interface ExportServices {
  storage: Storage;
  writes: WritesQueue;
}

export interface ExportRun extends ExportServices {
  ref: RecordRef;
  /** Aborted when this process shuts down. Another worker then restarts the export. */
  signal: AbortSignal;
}

interface LeasedRun {
  leasedExport: LeasedExport;
  lease: ExportLease;
  owner: string;
}

/** The first delay after a transient failure. Each further delay is longer by the same amount. */
const RETRY_MS = 2000;
/**
 * The first delay if the storage is unreachable. Each further delay is twice as long. The delays
 * add up to minutes, so that a short outage does not fail the export.
 */
const STORAGE_RETRY_MS = 30_000;

/**
 * Leases an export, reads its rows from a snapshot, and writes them into storage as one object. The
 * storage shows the object only when it is complete. If the worker dies, the lease expires. Another
 * worker then restarts the export with a new snapshot and a new object.
 */
export async function runExport(runtime: Runtime, run: ExportRun): Promise<void> {
  const { ref } = run;
  const owner = newId();
  const leaseTerms = { owner, leaseMs: LEASE_MS };
  const leasedExport = await runtime.db.transaction([ref.tenant_id], (tx) =>
    leaseExport(tx, ref, leaseTerms),
  );
  if (leasedExport === undefined || leasedExport === 'busy') return;
  const startedAt = performance.now();
  const lease = holdLease(runtime, { ref, owner, signal: run.signal });
  const leasedRun = { leasedExport, lease, owner };
  try {
    const result = await writeToStorage(runtime, run, leasedRun);
    await submitResult(run, leasedExport, { type: recordExportCompleted.type, input: result });
    await lease.waitUntilRecorded();
    const { rows, bytes, attempt } = result;
    const ms = Math.round(performance.now() - startedAt);
    runtime.logger.info({ exportId: ref.id, tenant: ref.tenant_id, attempt, rows, bytes, ms }, 'export');
  } catch (error) {
    await handleFailure(runtime, run, { ...leasedRun, error });
  } finally {
    lease.stopRenewing();
  }
}

async function writeToStorage(
  runtime: Runtime,
  run: ExportRun,
  { leasedExport, lease }: LeasedRun,
): Promise<ExportResult> {
  const { config, logger } = runtime;
  const { storage, ref } = run;
  const { fileName, contentType } = nameExportFile(leasedExport, new Date(leasedExport.createdAt));
  const key = objectKey(ref, leasedExport.attempts);
  let snapshot: Snapshot | undefined;
  let upload: Upload | undefined;
  try {
    snapshot = await openSnapshot({
      databaseUrl: await chooseSource(runtime, leasedExport),
      tenantId: ref.tenant_id,
      applicationName: 'tow-snapshot',
      queryTimeoutMs: config.exportTimeoutMs,
    });
    const openedSnapshot = snapshot;
    // A query may wait, for example for a lock. Closing the session ends such a query too.
    lease.signal.addEventListener('abort', () => void openedSnapshot.close(), { once: true });
    lease.signal.throwIfAborted();
    await deletePreviousObject(runtime, run, leasedExport);
    const object = await storage.create(key, { fileName, contentType });
    upload = object;
    const { rows, files } = await writeExport(snapshot, leasedExport, object.stream, {
      signal: lease.signal,
      writeDump,
      onProgress: (rows) => {
        lease.progress = { rows, bytes: object.bytes };
      },
    });
    lease.signal.throwIfAborted();
    const { bytes, sha256 } = await upload.commit();
    failpoint(config, 'after_export_stored');
    const file = { object_key: key, file_name: fileName, content_type: contentType };
    return { attempt: leasedExport.attempts, rows, bytes, sha256, ...file, files };
  } catch (error) {
    const aborting = upload?.abort().catch((abortError: unknown) => {
      logger.warn(
        { err: abortError, exportId: ref.id },
        'could not abort the upload of an export; parts remain in storage',
      );
    });
    // During a shutdown, do not wait for the storage, which may be unreachable. The cleaner later
    // deletes the unfinished upload.
    if (!run.signal.aborted) await aborting;
    throw error;
  } finally {
    await snapshot?.close();
  }
}

function objectKey({ tenant_id, id }: RecordRef, attempt: number): string {
  return `${tenant_id}/${id}/${attempt}`;
}

/**
 * Deletes the object of the previous run immediately. The object is useless, because only the
 * result of the newest run is accepted. Without this function, the cleaner would delete the object
 * a day later.
 */
async function deletePreviousObject(
  { logger }: Runtime,
  { storage, ref }: ExportRun,
  { attempts }: LeasedExport,
): Promise<void> {
  if (attempts === 1) return;
  const previousKey = objectKey(ref, attempts - 1);
  try {
    await storage.discardUploads(previousKey);
    await storage.delete(previousKey);
  } catch (error) {
    logger.warn(
      { err: error, exportId: ref.id },
      'could not delete the object of an earlier run from storage',
    );
  }
}

/**
 * After a shutdown or a transient failure, queues the export again. After any other error, or when
 * all tries are used, submits the command that fails the export. If the lease was lost, only logs
 * the loss.
 */
async function handleFailure(
  { db, logger }: Runtime,
  run: ExportRun,
  { leasedExport, lease, owner, error }: LeasedRun & { error: unknown },
): Promise<void> {
  const { ref } = run;
  const logFields = { exportId: ref.id, tenant: ref.tenant_id, attempt: leasedExport.attempts };
  if (run.signal.aborted) {
    const release = { owner, delayMs: 0, isTry: false };
    await db.transaction([ref.tenant_id], (tx) => releaseExport(tx, ref, release));
    return logger.info(logFields, 'an export was released during shutdown');
  }
  if (lease.signal.aborted)
    return logger.info(logFields, 'an export was cancelled or taken over by another worker');
  const { isTransient, code, message } = classifyExportError(error);
  logger.error({ err: error, ...logFields, isPassing: isTransient }, 'an export could not be written');
  if (!isTransient || leasedExport.tries >= MAX_EXPORT_TRIES) {
    const input = { attempt: leasedExport.attempts, code, message };
    await submitResult(run, leasedExport, { type: recordExportFailed.type, input });
    return lease.waitUntilRecorded();
  }
  const delayMs =
    code === 'storage_unavailable'
      ? STORAGE_RETRY_MS * 2 ** (leasedExport.tries - 1)
      : RETRY_MS * leasedExport.tries;
  const release = { owner, delayMs };
  await db.transaction([ref.tenant_id], (tx) => releaseExport(tx, ref, release));
}

interface FinalCommand {
  type: string;
  input: ExportResult | ExportFailure;
}

/**
 * Submits the result as a command, because a command also stores the event, its deliveries and the
 * audit entry.
 */
function submitResult(
  { writes, ref }: ExportRun,
  { environment }: LeasedExport,
  { type, input }: FinalCommand,
): Promise<void> {
  const { tenant_id: tenantId, id: entityId } = ref;
  const command = createSystemCommand({ type, tenantId, environment, name: 'exports', entityId, input });
  return enqueueBatch(writes, [command], null);
}
