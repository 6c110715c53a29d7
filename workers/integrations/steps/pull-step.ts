import { failpoint } from '../../../shared/config/failpoints.js';
import type { Change } from '../../../shared/integrations/contract/connection.js';
import type { VendorAccount } from '../../../shared/integrations/contract/vendor.js';
import type { VendorError } from '../../../shared/integrations/contract/vendor-error.js';
import { newId } from '../../../shared/platform/ids.js';
import type { Transaction } from '../../../shared/platform/postgres/database.js';
import { toStorable } from '../../../shared/platform/storable-text.js';
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
import { findStreamKind } from '../records/record-kinds.js';
import { type Step, type StepCommand, toStepError } from '../vendor/step.js';

/** The wait after a failed pull. The circuit breaker may pause the connection for longer. */
const RETRY_MS = 30_000;
/** The wait before refused credentials are tried again. New credentials end the wait. */
const REFUSED_RETRY_MS = 6 * 3_600_000;

/** Reads one page of a stream, and stores the page's commands together with the next cursor. */
export async function runPull(step: Step, stream: DueStream): Promise<void> {
  const startedAt = new Date();
  try {
    if (stream.stream === DESCRIBE_STREAM) await describeAccount(step, stream, startedAt);
    else await pullStream(step, stream, startedAt);
  } catch (cause) {
    // This also handles an error of PostgreSQL while the page is stored. Without a stored failure,
    // the worker would repeat the pull every half second.
    await storeFailure(step, stream, { error: toStepError(step, cause), startedAt });
  }
}

async function pullStream(step: Step, stream: DueStream, startedAt: Date): Promise<void> {
  const kind = findStreamKind(stream.stream);
  const page = toStorable(await kind.pull(step, stream));
  const { config } = step.services.runtime;
  failpoint(config, 'before_page_stored');
  const commands: StepCommand[] = [];
  await step.finish({
    commands,
    async store(tx) {
      const known = await findExternalIds(tx, step.connection, page.changes);
      const byExternalId = new Map(known.map((id) => [`${id.kind}/${id.external_id}`, id]));
      // Keep only changes of our own records that are newer than the stored version. A change that
      // we wrote ourselves has the stored version.
      const fresh = listNewest(page.changes).flatMap((change) => {
        const id = byExternalId.get(`${change.kind}/${change.externalId}`);
        return id && (id.version === null || change.version > id.version) ? [{ change, id }] : [];
      });
      commands.push(...kind.buildChanges(fresh));
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

/** Returns the newest change of each record. A vendor's page may list a record several times. */
function listNewest<State>(changes: readonly Change<State>[]): Change<State>[] {
  const newest = new Map<string, Change<State>>();
  for (const change of changes) {
    const key = `${change.kind}/${change.externalId}`;
    const other = newest.get(key);
    if (!other || change.version > other.version) newest.set(key, change);
  }
  return [...newest.values()];
}

async function describeAccount(step: Step, stream: DueStream, startedAt: Date): Promise<void> {
  const account = toStorable(await step.vendor.describe(await step.open()));
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
      secrets_version: step.secretsVersion,
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
      const waitMs = isAccess && stream.stream === DESCRIBE_STREAM ? REFUSED_RETRY_MS : RETRY_MS;
      const inMs = canRefresh ? 0 : Math.max(waitMs, error.retryAfterMs ?? 0);
      postponeStream(tx, step.connection, { ...stream, inMs });
      recordRun(tx, step, stream, { startedAt, state: 'failed', error: error.message });
    },
  });
}
