import type { VendorError } from '../../../shared/integrations/contract/vendor-error.js';
import {
  findDueReconciliation,
  type Reconciliation,
} from '../../../shared/resources/books/reconciliation/rows.js';
import { recordConnectionUnrevoked } from '../../../shared/resources/connections/commands.js';
import { findConnectionsOfAccount } from '../../../shared/resources/connections/hook-queries.js';
import {
  type ConnectionSecrets,
  deriveConnectionsKey,
  hashExternalAccount,
  unsealSecrets,
} from '../../../shared/resources/connections/secrets.js';
import { findNextWorkMs, lockHeldConnection, type StepConnection } from '../../../shared/sync/begin-step.js';
import { startWaitingNotices, type WaitingNotices } from '../../../shared/sync/notice-rows.js';
import { type StartedOperation, startNextOperations } from '../../../shared/sync/operation-rows.js';
import {
  deleteSecrets,
  hasUnverifiedSibling,
  postponeRevocation,
  readSecrets,
} from '../../../shared/sync/secret-rows.js';
import { type DueStream, findDueStream } from '../../../shared/sync/stream-rows.js';
import { getPauseEnd } from '../../leased-queues/circuit-breaker.js';
import { addJitter, RETRY_SCHEDULE_MS } from '../../leased-queues/retry-schedule.js';
import { KNOWN_KINDS, TOGETHER_KINDS } from '../kinds/record-kinds.js';
import type { ConnectionQueue } from '../queue/connection-queue.js';
import { LeaseLostError, Step, type StepServices } from '../vendor/step.js';
import { toStepError } from '../vendor/to-step-error.js';
import { isSignedIn, revokeAccess } from '../vendor/tokens.js';
import { runComparison } from './compare-step.js';
import { readNotices } from './notices-step.js';
import { runPull } from './pull-step.js';
import { cancelWrite, runWrites } from './write-step.js';

type Work =
  | { kind: 'write'; operations: readonly [StartedOperation, ...StartedOperation[]] }
  | { kind: 'pull'; stream: DueStream }
  | { kind: 'notices'; notices: WaitingNotices }
  | { kind: 'compare'; reconciliation: Reconciliation }
  | { kind: 'revoke' }
  | { kind: 'wait'; ms: number | undefined };

const WORKING: readonly string[] = ['active', 'failing'];
/** Minimum wait before a worker that found no work looks again. */
const MIN_WAIT_MS = 500;

/**
 * Runs the next step of a connection.
 * @returns milliseconds until the next step; undefined if this process has no more work for the
 *   connection
 */
export async function runStep(services: StepServices, queue: ConnectionQueue): Promise<number | undefined> {
  const begun = await services.runtime.db.transaction([queue.ref.tenantId], async (tx) => {
    const connection = await lockHeldConnection(tx, { ...queue.ref, owner: queue.owner });
    if (!connection) return undefined;
    const vendor = services.vendors.find(connection.vendor);
    // During a rolling update, a newer version may have added this vendor. Leave the work to the
    // workers of that version.
    if (!vendor) return undefined;
    const [work, secrets] = await Promise.all([
      chooseWork(tx, queue, connection),
      readSecrets(tx, connection),
    ]);
    return { connection, vendor, work, secrets };
  });
  if (!begun) return undefined;
  const { connection, vendor, work, secrets } = begun;
  if (work.kind === 'wait') return work.ms === undefined ? undefined : Math.max(work.ms, MIN_WAIT_MS);
  const step = new Step(services, queue, connection, vendor, secrets);
  try {
    await runWork(step, work);
  } catch (error) {
    if (!(error instanceof LeaseLostError)) throw error;
    return undefined;
  } finally {
    // A step that failed may have left calls that wait for the rate limit. The next step must not
    // wait behind them.
    step.caller.stop();
  }
  const rateWaitMs = Math.max(0, queue.rate?.stepWaitMs ?? 0);
  if (step.nextWorkMs === undefined) return rateWaitMs;
  if (step.nextWorkMs === null) return undefined;
  return Math.max(rateWaitMs, step.nextWorkMs > 0 ? Math.max(step.nextWorkMs, MIN_WAIT_MS) : 0);
}

async function chooseWork(
  tx: Parameters<typeof startNextOperations>[0],
  queue: ConnectionQueue,
  connection: StepConnection,
): Promise<Work> {
  const { status, health } = connection;
  if (status === 'paused') return { kind: 'wait', ms: undefined };
  if (status === 'revoked') return chooseEnding(tx, connection);
  const pauseEnd = getPauseEnd(health, Date.now());
  if (pauseEnd > 0) return { kind: 'wait', ms: pauseEnd - Date.now() };
  // Unverified secrets may belong to another account at the vendor. Writes and pulls that wait for
  // this connection must not reach that other account.
  const isWorking = WORKING.includes(status) && connection.isVerified;
  const findPull = async (): Promise<Work | undefined> => {
    const stream = await findDueStream(tx, connection, !isWorking);
    return stream && { kind: 'pull', stream };
  };
  const findNotices = async (): Promise<Work | undefined> => {
    const notices = isWorking ? await startWaitingNotices(tx, connection) : undefined;
    return notices && { kind: 'notices', notices };
  };
  const findRead = async (): Promise<Work | undefined> => {
    queue.prefersNotices = !queue.prefersNotices;
    const [first, second] = queue.prefersNotices ? [findNotices, findPull] : [findPull, findNotices];
    return (await first()) ?? (await second()) ?? (await findComparison());
  };
  const findComparison = async (): Promise<Work | undefined> => {
    const reconciliation = isWorking ? await findDueReconciliation(tx, connection) : undefined;
    return reconciliation && { kind: 'compare', reconciliation };
  };
  const findWrite = async (): Promise<Work | undefined> => {
    if (!isWorking) return undefined;
    const [first, ...others] = await startNextOperations(tx, connection, {
      kinds: KNOWN_KINDS,
      isEnding: false,
      together: { kinds: TOGETHER_KINDS, max: queue.writesTogether },
    });
    return first && { kind: 'write', operations: [first, ...others] };
  };
  const [first, second] = queue.prefersRead ? [findRead, findWrite] : [findWrite, findRead];
  const found = (await first()) ?? (await second());
  queue.prefersRead = found?.kind === 'write';
  if (found) return found;
  return { kind: 'wait', ms: (await findNextWorkMs(tx, connection, KNOWN_KINDS)) ?? undefined };
}

/**
 * Chooses the next work of a disconnected connection. First cancels its open writes, then revokes
 * the access.
 */
async function chooseEnding(
  tx: Parameters<typeof startNextOperations>[0],
  connection: StepConnection,
): Promise<Work> {
  const [operation] = await startNextOperations(tx, connection, { kinds: KNOWN_KINDS, isEnding: true });
  if (operation) return { kind: 'write', operations: [operation] };
  const secrets = await readSecrets(tx, connection);
  if (secrets?.can_revoke) return { kind: 'revoke' };
  return { kind: 'wait', ms: (await findNextWorkMs(tx, connection, KNOWN_KINDS)) ?? undefined };
}

async function runWork(step: Step, work: Exclude<Work, { kind: 'wait' }>): Promise<void> {
  if (work.kind === 'pull') return runPull(step, work.stream);
  if (work.kind === 'notices') return readNotices(step, work.notices);
  if (work.kind === 'compare') return runComparison(step, work.reconciliation);
  if (work.kind === 'revoke') return revoke(step);
  if (step.connection.status === 'revoked') return cancelWrite(step, work.operations[0]);
  return runWrites(step, work.operations);
}

/**
 * True if a revocation would also end the access of another connection. Another tenant may have
 * connected the same vendor account.
 */
async function isShared({ db, vendor, connection }: Step): Promise<boolean> {
  const { externalAccount: account, connectionId } = connection;
  if (!vendor.manifest.oauth?.revokesAccount || account === null) return false;
  const hash = hashExternalAccount(vendor.manifest.vendor, account);
  const connections = await findConnectionsOfAccount(db, hash);
  return connections.some(({ id }) => id !== connectionId);
}

/**
 * Ends the access to the account at the vendor. Does nothing if the vendor has never named the
 * account.
 */
async function endAccess(step: Step, secrets: ConnectionSecrets): Promise<void> {
  const { vendor, connection } = step;
  if (!vendor.endAccess) return revokeAccess(step.tokenParts, secrets);
  if (connection.externalAccount !== null && isSignedIn(secrets)) await vendor.endAccess(await step.open());
}

/** True if a later try to end the access would fail too. */
function isFinal({ kind, code }: VendorError): boolean {
  return kind === 'refused' || code === 'invalid_grant';
}

/** The waits before the tries to revoke the access. All tries together span 7 h 35 min. */
const REVOKE_WAITS_MS = RETRY_SCHEDULE_MS.slice(0, 6);

/**
 * Revokes the access and deletes the credentials. If the vendor fails, keeps the credentials for
 * another try. Also tries later while another connection of the tenant may lead to the same
 * account. After a refusal or the last try, deletes the credentials and notifies the account.
 */
async function revoke(step: Step): Promise<void> {
  const { config } = step.services.runtime;
  const { connectionId } = step.connection;
  const { row, mayBeShared } = await step.db.transaction([step.connection.tenantId], async (tx) => ({
    row: await readSecrets(tx, step.connection),
    mayBeShared:
      step.vendor.manifest.oauth?.revokesAccount && (await hasUnverifiedSibling(tx, step.connection)),
  }));
  const waitMs = REVOKE_WAITS_MS[(row?.revoke_attempts ?? 0) + 1];
  const postpone = (ms: number) =>
    step.finish({ error: null, store: (tx) => postponeRevocation(tx, step.connection, ms) });
  if (row && mayBeShared && waitMs !== undefined) return postpone(addJitter(waitMs, Math.random()));
  const secrets = row && unsealSecrets(deriveConnectionsKey(config.secretKey), connectionId, row.sealed);
  const error =
    secrets &&
    !(await isShared(step)) &&
    (await endAccess(step, secrets).catch((cause) => toStepError(step, cause)));
  if (error && !isFinal(error) && waitMs !== undefined)
    return postpone(Math.max(addJitter(waitMs, Math.random()), error.retryAfterMs ?? 0));
  const type = recordConnectionUnrevoked.type;
  await step.finish({
    error: null,
    commands: error ? [{ type, entityId: connectionId, input: { reason: error.message } }] : [],
    store: (tx) => deleteSecrets(tx, step.connection),
  });
}
