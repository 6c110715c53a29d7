import { setTimeout as pause } from 'node:timers/promises';
import { getErrorCode } from '../../../shared/platform/errors.js';
import { readPackageVersion } from '../../../shared/platform/files/package-version.js';
import { describeCause } from '../../cli/api-client.js';
import { CliError, EXIT } from '../../cli/exit-codes.js';
import { buildSignedHeaders } from './signature.js';

/**
 * Deadline of one request, from connecting to the end of the body. Webhooks have the same deadline.
 */
const DEADLINE_MS = 15_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;

export interface StreamedEvent {
  id: string;
  type: string;
  /** The event's JSON, exactly as the API recorded it. */
  body: string;
}

export interface ForwardResult {
  status: number;
  /** The duration of the last attempt in ms. Only the last attempt gets a response. */
  ms: number;
  attempts: number;
}

export interface ForwardOptions {
  target: string;
  secret: string;
  /** Called after each attempt without a response. `nextMs` is the time until the next attempt. */
  onFailure: (event: StreamedEvent, reason: string, nextMs: number) => void;
  stopping: AbortSignal;
}

/**
 * Sends the event, and repeats the request until the target responds with any status. Resolves with
 * undefined if `stopping` is aborted before the target responds.
 * @throws {CliError} if the target's URL can never be called
 */
export async function forwardEvent(
  event: StreamedEvent,
  receiver: ForwardOptions,
): Promise<ForwardResult | undefined> {
  const { stopping } = receiver;
  let pauseMs = FIRST_PAUSE_MS;
  for (let attempts = 1; !stopping.aborted; attempts += 1) {
    const startedAt = performance.now();
    try {
      const status = await post(event, receiver);
      return { status, ms: Math.round(performance.now() - startedAt), attempts };
    } catch (error) {
      receiver.onFailure(event, describeFailure(error, receiver.target), pauseMs);
    }
    await pause(pauseMs, undefined, { signal: stopping }).catch(() => undefined);
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  }
  return undefined;
}

/**
 * Sends one request. Resolves with the status of the response when the response's body has ended,
 * has broken off or has reached the deadline. Rejects if no response begins before the deadline.
 */
async function post({ id, body }: StreamedEvent, { target, secret }: ForwardOptions): Promise<number> {
  const response = await fetch(target, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': `tow-listen/${readPackageVersion()}`,
      ...buildSignedHeaders(secret, id, body),
    },
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
  // Read the body so that the connection can be used again. Ignore errors, because the status is
  // already known.
  await response.body?.pipeTo(new WritableStream()).catch(() => undefined);
  return response.status;
}

/**
 * Returns the reason for a failure that a retry may fix.
 * @throws {CliError} for any other failure, such as a port that fetch refuses
 */
function describeFailure(error: unknown, target: string): string {
  if (error instanceof DOMException) return `no response within ${DEADLINE_MS / 1000} s`;
  const reason = describeCause(error);
  const cause = error instanceof Error ? error.cause : undefined;
  if (getErrorCode(cause)) return reason;
  throw new CliError('target_refused', `${target} cannot be called: ${reason}.`, EXIT.usage);
}
