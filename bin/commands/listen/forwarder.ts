import { setTimeout as pause } from 'node:timers/promises';
import { errorCodeOf } from '../../../shared/platform/errors.js';
import { packageVersion } from '../../../shared/platform/package-version.js';
import { causeOf } from '../api-client.js';
import { CliError, EXIT } from '../exit-codes.js';
import { signedHeaders } from './signature.js';

/** A webhook's own deadline, over connect, headers and body. */
const DEADLINE_MS = 15_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;

/** An event as the stream tells it. */
export interface StreamedEvent {
  id: string;
  type: string;
  /** As it was recorded, byte for byte. */
  body: string;
}

export interface Answer {
  status: number;
  /** How long the answered attempt took. */
  ms: number;
  attempts: number;
}

export interface Receiver {
  target: string;
  secret: string;
  /** Told of each attempt that nobody answered. */
  onFailure: (event: StreamedEvent, reason: string, nextMs: number) => void;
  stopping: AbortSignal;
}

/**
 * Posts an event until somebody answers, whatever the answer. Resolves with undefined when it is told to stop before that.
 * @throws {CliError} when the target can never be asked
 */
export async function forward(event: StreamedEvent, receiver: Receiver): Promise<Answer | undefined> {
  const { stopping } = receiver;
  let pauseMs = FIRST_PAUSE_MS;
  for (let attempts = 1; !stopping.aborted; attempts += 1) {
    const startedAt = performance.now();
    try {
      const status = await post(event, receiver);
      return { status, ms: Math.round(performance.now() - startedAt), attempts };
    } catch (error) {
      receiver.onFailure(event, reasonOfFailure(error, receiver.target), pauseMs);
    }
    await pause(pauseMs, undefined, { signal: stopping }).catch(() => undefined);
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  }
  return undefined;
}

/** Resolves with the status, once the answer is whole or the deadline over. */
async function post({ id, body }: StreamedEvent, { target, secret }: Receiver): Promise<number> {
  const response = await fetch(target, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': `tow-listen/${packageVersion()}`,
      ...signedHeaders(secret, id, body),
    },
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
  // Read for the sake of the connection, which is used again; the status has been told already.
  await response.body?.pipeTo(new WritableStream()).catch(() => undefined);
  return response.status;
}

/** @throws {CliError} for what no receiver that comes back can mend, such as a port that fetch refuses */
function reasonOfFailure(error: unknown, target: string): string {
  if (error instanceof DOMException) return `no answer within ${DEADLINE_MS / 1000} s`;
  const reason = causeOf(error);
  const cause = error instanceof Error ? error.cause : undefined;
  if (errorCodeOf(cause)) return reason;
  throw new CliError('target_refused', `${target} cannot be called: ${reason}.`, EXIT.usage);
}
