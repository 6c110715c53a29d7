import { systemCommand } from '../../shared/contracts/system-command.js';
import { failpoint } from '../../shared/platform/failpoints.js';
import { openSnapshot, type Snapshot } from '../../shared/platform/postgres-snapshot.js';
import type { Runtime } from '../../shared/platform/runtime.js';
import type { Upload } from '../../shared/platform/storage/index.js';
import { enqueueBatch } from '../../shared/queues/writes.js';
import { recordExportCompleted, recordExportFailed } from '../../shared/resources/exports/commands.js';
import type { ExportFile } from '../../shared/resources/exports/order.js';
import { type ClaimedExport, claimExport, releaseExport } from '../../shared/resources/exports/run-store.js';
import type { RecordRef } from '../../shared/resources/sets.js';
import type { ExporterParts } from './exporter.js';
import { faultOf } from './faults.js';
import { nameOf } from './files/names.js';
import { writeExport } from './files/write-export.js';
import { holdLease, LEASE_MS, type Lease } from './lease.js';
import { chooseSource } from './source.js';

export interface ExportRun extends ExporterParts {
  ref: RecordRef;
  owner: string;
  /** Aborted: this process ends, another one is to begin anew. */
  signal: AbortSignal;
}

/** Begun so often and never ended, an export fails: it may be what ends its workers. */
const MAX_ATTEMPTS = 5;

/**
 * Writes one export: the snapshot's bytes go through gzip into storage, where nothing is to be seen of it before it is whole. Whoever dies in between leaves a lease that runs
 * out; the next one begins anew, with a snapshot and an object of its own.
 */
export async function runExport(runtime: Runtime, run: ExportRun): Promise<void> {
  const { ref, owner } = run;
  const { db, logger } = runtime;
  const claimed = await db.transaction([ref.tenant_id], (tx) =>
    claimExport(tx, ref, { owner, leaseMs: LEASE_MS }),
  );
  if (claimed === undefined || claimed === 'busy') return;
  if (claimed.attempts > MAX_ATTEMPTS)
    return settle(run, recordExportFailed.type, {
      code: 'export_failed',
      message: 'It broke off repeatedly.',
      attempt: claimed.attempts,
    });
  const startedAt = performance.now();
  const lease = holdLease(runtime, { ref, owner, signal: run.signal });
  try {
    const result = await write(runtime, run, { claimed, lease });
    await settle(run, recordExportCompleted.type, { ...result, attempt: claimed.attempts });
    await lease.untilSettled();
    const ms = Math.round(performance.now() - startedAt);
    logger.info(
      { exportId: ref.id, tenant: ref.tenant_id, rows: result.rows, bytes: result.bytes, ms },
      'export',
    );
  } catch (error) {
    await giveUp(runtime, run, { claimed, error, isOurs: !lease.signal.aborted });
  } finally {
    lease.end();
  }
}

interface Written {
  rows: number;
  /** Of the object. */
  bytes: number;
  sha256: string;
  object_key: string;
  file_name: string;
  content_type: string;
  files: readonly ExportFile[];
}

async function write(
  runtime: Runtime,
  { storage, ref }: ExportRun,
  { claimed, lease }: { claimed: ClaimedExport; lease: Lease },
): Promise<Written> {
  const { order, attempts } = claimed;
  const { fileName, contentType } = nameOf(order, claimed.createdAt);
  const key = `${ref.tenant_id}/${ref.id}/${attempts}`;
  let snapshot: Snapshot | undefined;
  let upload: Upload | undefined;
  try {
    snapshot = await openSnapshot({
      databaseUrl: await chooseSource(runtime, claimed),
      tenantId: ref.tenant_id,
      applicationName: 'tow-exports',
      statementTimeoutMs: runtime.config.exportTimeoutMs,
    });
    upload = await storage.create(key, { fileName, contentType });
    const summary = await writeExport(snapshot, order, upload.stream, {
      signal: lease.signal,
      onProgress: (progress) => {
        lease.progress = progress;
        if (progress.rows > 0) failpoint(runtime.config, 'amid_export');
      },
    });
    lease.signal.throwIfAborted();
    const { bytes, sha256 } = await upload.commit();
    failpoint(runtime.config, 'after_export_stored');
    const { rows, files } = summary;
    return { rows, bytes, sha256, object_key: key, file_name: fileName, content_type: contentType, files };
  } catch (error) {
    await upload?.abort();
    throw error;
  } finally {
    await snapshot?.close();
  }
}

/** What is nobody's fault is given back, what passes is left to the lease's end, all else fails the export. */
async function giveUp(
  { db, logger, lifecycle }: Runtime,
  run: ExportRun,
  { claimed, error, isOurs }: { claimed: ClaimedExport; error: unknown; isOurs: boolean },
): Promise<void> {
  const { ref, owner } = run;
  const about = { exportId: ref.id, tenant: ref.tenant_id, attempt: claimed.attempts };
  if (run.signal.aborted) {
    await db.transaction([ref.tenant_id], (tx) => releaseExport(tx, ref, { owner }));
    return logger.info(about, 'an export was given back');
  }
  if (!isOurs) return logger.info(about, 'an export was cancelled, or is in other hands');
  const { isPassing, code, message } = faultOf(error);
  logger.error({ err: error, ...about, isPassing }, 'an export could not be written');
  if (isPassing && claimed.attempts < MAX_ATTEMPTS) return;
  await settle(run, recordExportFailed.type, { code, message, attempt: claimed.attempts });
}

/** What became of it goes the way of all writes, so that event, deliveries and audit entry come with it. */
function settle({ writes, ref }: ExportRun, type: string, input: object): Promise<void> {
  const { tenant_id: tenantId, id: entityId } = ref;
  const command = systemCommand({ type, tenantId, environment: 'live', name: 'exports', entityId, input });
  return enqueueBatch(writes, [command], null);
}
