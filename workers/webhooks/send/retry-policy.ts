/**
 * This file decides what a response means and when a delivery is retried (docs/decisions.md §8;
 * Standard Webhooks, "Deliverability and reliability").
 */
import type { AttemptDecision } from '../../../shared/deliveries/attempt.js';
import { parseRetryAfterMs } from '../../../shared/outbound/retry-after.js';
import { addJitter, RETRY_SCHEDULE_MS } from '../../leased-queues/retry-schedule.js';

const SECOND = 1000;

/**
 * The pause of the whole endpoint after a 429, 502 or 504 response without a Retry-After header.
 */
const DEFAULT_PAUSE_MS = 5 * SECOND;

export interface AttemptResult {
  /** Undefined if there was no response. */
  status: number | undefined;
  headers: Record<string, string | string[] | undefined>;
  /** Set if there was no response. */
  errorClass: string | undefined;
}

export interface DecisionContext {
  /** Number of attempts, including this one. */
  attempts: number;
  /** See {@link isSentOnce}. */
  isSingle: boolean;
  now: Date;
  /** Random number from 0 to 1. */
  random: number;
}

/**
 * True for tests and probes. They get one attempt, because they only show whether the endpoint
 * responds now.
 */
export function isSentOnce(trigger: string): boolean {
  return trigger === 'test' || trigger === 'probe';
}

export function decideOutcome(result: AttemptResult, context: DecisionContext): AttemptDecision {
  const { status } = result;
  const receiverRequest = readReceiverRequest(result);
  const succeeded = status !== undefined && status >= 200 && status < 300;
  const stop: AttemptDecision['stop'] =
    status === 410 ? 'gone' : receiverRequest === 'disable' ? 'receiver' : null;
  if (succeeded) return { status: 'succeeded', errorClass: null, retryInMs: null, stop, pauseMs: 0 };
  const errorClass = status === undefined ? (result.errorClass ?? 'internal') : `http_${status}`;
  const finalDecision = { errorClass, retryInMs: null, stop, pauseMs: 0 };
  if (receiverRequest === 'abort-message')
    return { ...finalDecision, status: 'cancelled', errorClass: 'aborted_by_receiver' };
  if (stop !== null) return { ...finalDecision, status: 'exhausted' };
  const retryAfter = parseRetryAfterMs(result, context.now);
  const pauseMs = isSlowDownStatus(status) ? retryAfter || (status === 503 ? 0 : DEFAULT_PAUSE_MS) : 0;
  const wait = context.isSingle ? undefined : RETRY_SCHEDULE_MS[context.attempts];
  if (wait === undefined) return { ...finalDecision, status: 'exhausted', pauseMs };
  const retryInMs = addJitter(Math.max(wait, retryAfter), context.random);
  return { status: 'failed', errorClass, retryInMs, stop, pauseMs };
}

/** True for a status after which the whole endpoint must pause, and not only this delivery. */
function isSlowDownStatus(status: number | undefined): boolean {
  return status === 429 || status === 502 || status === 503 || status === 504;
}

/** Reads the response header by which a receiver requests `disable` or `abort-message`. */
function readReceiverRequest({ headers }: AttemptResult): string | undefined {
  const value = headers['webhook-delivery'];
  return typeof value === 'string' ? value.trim().toLowerCase() : undefined;
}
