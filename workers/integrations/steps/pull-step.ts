import { failpoint } from '../../../shared/config/failpoints.js';
import { SWEEP_STREAM } from '../../../shared/integrations/contract/books/sweep-stream.js';
import { CLAIMS_STREAM } from '../../../shared/integrations/contract/motor-club.js';
import {
  DRIVERS_STREAM,
  POSITIONS_STREAM,
  VEHICLES_STREAM,
} from '../../../shared/integrations/contract/telematics.js';
import {
  CHOICES_STREAM,
  RECONCILIATION_STREAM,
  type VendorAccount,
} from '../../../shared/integrations/contract/vendor.js';
import type { VendorError } from '../../../shared/integrations/contract/vendor-error.js';
import { isTransientDatabaseError } from '../../../shared/platform/errors.js';
import type { Transaction } from '../../../shared/platform/postgres/database.js';
import { toStorable } from '../../../shared/platform/storable-text.js';
import { TAKEN_NUMBERS } from '../../../shared/resources/books/unbooked-numbers.js';
import { recordConnectionVerified } from '../../../shared/resources/connections/commands.js';
import { hashExternalAccount } from '../../../shared/resources/connections/secrets.js';
import { storeChoices } from '../../../shared/sync/choice-rows.js';
import {
  addMissingStreams,
  DESCRIBE_STREAM,
  type DueStream,
  postponeStream,
  storeStreamProgress,
} from '../../../shared/sync/stream-rows.js';
import { getAccounting } from '../books/get-accounting.js';
import { findTakenNumbers } from '../books/taken-numbers.js';
import { pollClaims } from '../clubs/poll-claims.js';
import { findStreamKind } from '../kinds/record-kinds.js';
import { storePulled } from '../kinds/store-pulled.js';
import { reconcilePage } from '../reconciliation/reconcile.js';
import { sweepBooks } from '../reconciliation/sweep-books.js';
import { recordRun } from '../records/store-changes.js';
import { findPollMs } from '../telematics/poll-interval.js';
import { readDrivers, readVehicles } from '../telematics/read-list.js';
import { readPositions } from '../telematics/read-positions.js';
import type { Step, StepCommand } from '../vendor/step.js';
import { toStepError } from '../vendor/to-step-error.js';

/** The wait after a failed read. The circuit breaker may pause the connection for longer. */
export const RETRY_MS = 30_000;
/** The wait before a pull tries refused credentials again. New credentials end the wait. */
const REFUSED_RETRY_MS = 6 * 3_600_000;

type Pull = (step: Step, stream: DueStream, startedAt: Date) => Promise<void>;

/** The streams that are not read by the record kinds. */
const OWN_PULLS: Readonly<Record<string, Pull>> = {
  [DESCRIBE_STREAM]: describeAccount,
  [CHOICES_STREAM]: readChoices,
  [RECONCILIATION_STREAM]: reconcilePage,
  [SWEEP_STREAM]: sweepBooks,
  [VEHICLES_STREAM]: readVehicles,
  [DRIVERS_STREAM]: readDrivers,
  [POSITIONS_STREAM]: readPositions,
  [CLAIMS_STREAM]: pollClaims,
};

/** Reads one page of a stream, and stores the page's commands together with the next cursor. */
export async function runPull(step: Step, stream: DueStream): Promise<void> {
  const startedAt = new Date();
  try {
    await (OWN_PULLS[stream.stream] ?? pullStream)(step, stream, startedAt);
  } catch (cause) {
    // Also store a failure if PostgreSQL rejects the page. Otherwise the worker would repeat the
    // pull every half second.
    const isOurs = isTransientDatabaseError(cause);
    await storeFailure(step, stream, { error: toStepError(step, cause), startedAt, isOurs });
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
      const pulled = { stream: stream.stream, kind, changes: page.changes, startedAt };
      commands.push(...(await storePulled(tx, step, pulled)));
      storeStreamProgress(tx, step.connection, {
        stream: stream.stream,
        cursor: page.cursor,
        inMs: page.isLast ? stream.every_seconds * 1000 : 0,
        requests: stream.requests,
      });
    },
  });
  failpoint(config, 'after_page_stored');
}

/**
 * Reads the accounts, items and other records among which the settings of an accounting connection
 * choose. Also looks for numbers of our invoices that other invoices there have.
 */
async function readChoices(step: Step, stream: DueStream): Promise<void> {
  const choices = toStorable(await getAccounting(step).listChoices(await step.open()));
  const taken = toStorable(await findTakenNumbers(step));
  await step.finish({
    store(tx) {
      storeChoices(tx, step.connection, { ...choices, [TAKEN_NUMBERS]: taken });
      storeStreamProgress(tx, step.connection, {
        stream: stream.stream,
        cursor: null,
        inMs: stream.every_seconds * 1000,
        requests: stream.requests,
      });
    },
  });
}

async function describeAccount(step: Step, stream: DueStream, startedAt: Date): Promise<void> {
  const account = toStorable(await step.vendor.describe(await step.open()));
  await step.finish({
    commands: [buildVerification(step, account)],
    async store(tx) {
      await addMissingStreams(tx, step.connection, step.vendor.manifest.streams);
      storeStreamProgress(tx, step.connection, {
        stream: stream.stream,
        cursor: null,
        inMs: stream.every_seconds * 1000,
        requests: stream.requests,
      });
      recordRun(tx, step, { stream: stream.stream, startedAt });
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

async function storeFailure(
  step: Step,
  stream: DueStream,
  { error, startedAt, isOurs }: { error: VendorError; startedAt: Date; isOurs: boolean },
): Promise<void> {
  const isAccess = error.kind === 'auth';
  const canRefresh = step.planTokenRefresh(error);
  await step.finish({
    // A deadlock or a timeout of PostgreSQL shows nothing about the vendor's health.
    error: canRefresh || isOurs ? null : error,
    async store(tx) {
      const waitMs = await findRetryMs(tx, step, { stream: stream.stream, isAccess });
      const inMs = canRefresh ? 0 : Math.max(waitMs, error.retryAfterMs ?? 0);
      postponeStream(tx, step.connection, { ...stream, inMs });
      recordRun(tx, step, { stream: stream.stream, startedAt, state: 'failed', error: error.message });
    },
  });
}

async function findRetryMs(
  tx: Transaction,
  { connection }: Step,
  { stream, isAccess }: { stream: string; isAccess: boolean },
): Promise<number> {
  if (isAccess && stream === DESCRIBE_STREAM) return REFUSED_RETRY_MS;
  // A position is soon outdated. The circuit breaker still pauses a vendor that does not answer.
  return stream === POSITIONS_STREAM ? findPollMs(tx, connection) : RETRY_MS;
}
