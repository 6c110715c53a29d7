import { failpoint } from '../../../shared/config/failpoints.js';
import type { VendorAccount } from '../../../shared/integrations/contract/vendor.js';
import { VendorError } from '../../../shared/integrations/contract/vendor-error.js';
import { newId } from '../../../shared/platform/ids.js';
import type { Transaction } from '../../../shared/platform/postgres/database.js';
import { recordConnectionVerified } from '../../../shared/resources/connections/commands.js';
import { hashExternalAccount } from '../../../shared/resources/connections/secrets.js';
import { findExternalIds, storeExternalIds } from '../../../shared/sync/external-ids.js';
import {
  DESCRIBE_STREAM,
  type DueStream,
  insertRun,
  postponeStream,
  type SyncRun,
  storeStreamProgress,
} from '../../../shared/sync/stream-rows.js';
import { NotReadyError } from '../records/record-kind.js';
import { findStreamKind } from '../records/record-kinds.js';
import { type Step, type StepCommand, toStepError } from '../vendor/step.js';

/** Wait after a failed pull. The circuit breaker may pause the connection for longer. */
const RETRY_MS = 30_000;
const NOT_READY_MS = 500;

/** Reads one page of a stream, and stores the page's commands together with the next cursor. */
export async function runPull(step: Step, stream: DueStream): Promise<void> {
  const startedAt = new Date();
  try {
    if (stream.stream === DESCRIBE_STREAM) await describeAccount(step, stream, startedAt);
    else await pullStream(step, stream, startedAt);
  } catch (error) {
    if (error instanceof NotReadyError) return postpone(step, stream, NOT_READY_MS);
    if (!(error instanceof VendorError)) throw error;
    await storeFailure(step, stream, { error, startedAt });
  }
}

async function pullStream(step: Step, stream: DueStream, startedAt: Date): Promise<void> {
  const kind = findStreamKind(stream.stream);
  const page = await kind.pull(step, stream).catch((error: unknown) => {
    throw toStepError(step, error);
  });
  const { config } = step.services.runtime;
  failpoint(config, 'before_page_stored');
  const commands: StepCommand[] = [];
  await step.finish({
    commands,
    async store(tx) {
      const known = await findExternalIds(tx, step.connection, page.changes);
      const byExternalId = new Map(known.map((id) => [`${id.kind}/${id.external_id}`, id]));
      // Drops repeated and older changes, our own writes
      // coming back, and records that are not ours.
      const fresh = page.changes.flatMap((change) => {
        const id = byExternalId.get(`${change.kind}/${change.externalId}`);
        return id && (id.version === null || change.version > id.version) ? [{ change, id }] : [];
      });
      commands.push(...(await kind.applyChanges(tx, step, fresh)));
      await storeExternalIds(
        tx,
        fresh.map(({ change, id }) => ({ ...id, version: change.version })),
      );
      const dropped = page.changes.length - fresh.length;
      storeStreamProgress(tx, step.connection, {
        stream: stream.stream,
        cursor: page.cursor,
        inMs: page.isLast ? stream.every_seconds * 1000 : 0,
        requests: stream.requests,
      });
      if (fresh.length > 0) recordRun(tx, step, stream, { startedAt, changes: fresh.length, dropped });
    },
  });
  failpoint(config, 'after_page_stored');
}

async function describeAccount(step: Step, stream: DueStream, startedAt: Date): Promise<void> {
  const account = await step
    .open()
    .then((connection) => step.vendor.describe(connection))
    .catch((error: unknown) => {
      throw toStepError(step, error);
    });
  await step.finish({
    commands: [buildVerification(step, account)],
    store(tx) {
      storeStreamProgress(tx, step.connection, {
        stream: stream.stream,
        cursor: null,
        inMs: stream.every_seconds * 1000,
        requests: stream.requests,
      });
      recordRun(tx, step, stream, { startedAt, changes: 0, dropped: 0 });
    },
  });
}

function buildVerification(step: Step, account: VendorAccount): StepCommand {
  const { vendor, connectionId } = step.connection;
  const { externalAccount: external_account, label, environment = null } = account;
  return {
    type: recordConnectionVerified.type,
    entityId: connectionId,
    input: {
      external_account,
      account_hash: hashExternalAccount(vendor, external_account).toString('hex'),
      label,
      environment,
    },
  };
}

function recordRun(
  tx: Transaction,
  { connection }: Step,
  { stream }: DueStream,
  run: Partial<SyncRun> & { startedAt: Date },
): void {
  const { startedAt, ...counts } = run;
  insertRun(tx, {
    tenant_id: connection.tenantId,
    id: newId(),
    connection_id: connection.connectionId,
    stream,
    state: 'succeeded',
    changes: 0,
    dropped: 0,
    error: null,
    started_at: startedAt.toISOString(),
    ...counts,
  });
}

async function storeFailure(
  step: Step,
  stream: DueStream,
  { error, startedAt }: { error: VendorError; startedAt: Date },
): Promise<void> {
  const { vendor, queue } = step;
  const isAccess = error.kind === 'auth';
  const canRefresh =
    isAccess && vendor.manifest.auth === 'oauth2' && error.code !== 'invalid_grant' && !queue.hasRefreshed;
  if (isAccess) {
    queue.mustRefresh = canRefresh;
    queue.hasRefreshed = canRefresh;
  }
  await step.finish({
    error: canRefresh ? null : error,
    store(tx) {
      const inMs = canRefresh ? 0 : Math.max(RETRY_MS, error.retryAfterMs ?? 0);
      postponeStream(tx, step.connection, { ...stream, inMs });
      recordRun(tx, step, stream, { startedAt, state: 'failed', error: error.message });
    },
  });
}

function postpone(step: Step, stream: DueStream, inMs: number): Promise<void> {
  return step.finish({
    error: null,
    store: (tx) => postponeStream(tx, step.connection, { ...stream, inMs }),
  });
}
