import type { VendorError } from '../../../shared/integrations/contract/vendor-error.js';
import type { Transaction } from '../../../shared/platform/postgres/database.js';
import { recordConnectionStatus } from '../../../shared/resources/connections/commands.js';
import { nextConnectionStatus } from '../../../shared/resources/connections/transitions.js';
import type { ConnectionStatus } from '../../../shared/resources/connections/vocabulary.js';
import type { StepConnection } from '../../../shared/sync/begin-step.js';
import type { ConnectionCall } from '../../../shared/sync/call-rows.js';
import { storeConnectionHealth } from '../../../shared/sync/lease-connection-queues.js';
import { closeBreaker, openBreaker } from '../../leased-queues/circuit-breaker.js';
import type { ConnectionQueue } from '../queue/connection-queue.js';

/**
 * The pause after the vendor refused the credentials. New credentials or a test of the connection
 * end the pause.
 */
const REFUSED_PAUSE_MS = 15 * 60_000;

/** A command that changes the status of the connection. */
interface StatusCommand {
  type: string;
  entityId: string;
  input: { move: 'refuse' | 'fail' | 'recover'; reason: string | null };
}

interface StepOutcome {
  queue: Pick<ConnectionQueue, 'hasRefreshed'>;
  /** The version of the secrets with which the step called the vendor. */
  secretsVersion: number | null;
  /** As in the result of the step. */
  error: VendorError | undefined | null;
  calls: readonly ConnectionCall[];
}

/**
 * Updates the connection's pauses and counters. Returns the commands that change the connection's
 * status.
 */
export function judgeHealth(
  tx: Transaction,
  held: StepConnection,
  { queue, secretsVersion, error, calls }: StepOutcome,
): StatusCommand[] {
  const { health, status, connectionId } = held;
  const now = Date.now();
  const changeStatus = (move: 'refuse' | 'fail' | 'recover', reason: string | null) => [
    { type: recordConnectionStatus.type, entityId: connectionId, input: { move, reason } },
  ];
  const isBroken = error && (error.kind === 'again' || error.kind === 'unknown_outcome');
  // If a person entered new credentials during the step, the refusal concerns only the old
  // credentials.
  const isRefused = error?.kind === 'auth' && held.secretsVersion === secretsVersion;
  if (error?.retryAfterMs !== undefined)
    health.throttledUntil = Math.max(health.throttledUntil ?? 0, now + error.retryAfterMs);
  const wasOpen = health.openCount > 0;
  // Any result except `auth` means that the vendor accepted the refreshed token. After a later
  // refusal, the worker may then refresh the token again.
  if (error !== null && error?.kind !== 'auth') queue.hasRefreshed = false;
  // Store the pause here, because the command that changes the status may run much later.
  if (isRefused) health.openUntil = Math.max(health.openUntil ?? 0, now + REFUSED_PAUSE_MS);
  if (isBroken) openBreaker(health, { now, random: Math.random() });
  else if (error !== null && error?.kind !== 'limit' && error?.kind !== 'auth') closeBreaker(health);
  storeConnectionHealth(tx, held, {
    ...health,
    hasSucceeded: error === null ? undefined : !isBroken && error?.kind !== 'auth' && error?.kind !== 'limit',
    lastError: error?.message ?? null,
    calls: calls.length,
    failures: calls.filter((call) => call.error !== null).length,
  });
  const canRefuse = nextConnectionStatus(status as ConnectionStatus, 'refuse') !== undefined;
  if (isRefused) return canRefuse ? changeStatus('refuse', error.message) : [];
  if (health.openCount > 0 && !wasOpen) return changeStatus('fail', error?.message ?? null);
  return error === undefined && status === 'failing' ? changeStatus('recover', null) : [];
}
