import type { AttemptDecision } from '../../../shared/deliveries/attempt.js';

/**
 * When a delivery is retried, and how a response is interpreted (docs/decisions.md §8; Standard
 * Webhooks, "Deliverability and reliability"). All times in ms.
 */
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Wait before each attempt; the first starts immediately. Ten attempts over 75 h 35 min. */
export const RETRY_SCHEDULE_MS = [
  0,
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
] as const;

/** Jitter lengthens a wait by up to this fraction and never shortens it. */
const JITTER = 0.1;
/** Maximum Retry-After that the service honours. */
const MAX_RETRY_AFTER_MS = 24 * HOUR;
/** Pause of the whole endpoint after 429, 502 or 504 without a Retry-After. */
const DEFAULT_PAUSE_MS = 5 * SECOND;

/** The parts of a request's result that the policy uses. */
export interface AttemptResult {
  /** Undefined: no response. */
  status: number | undefined;
  headers: Record<string, string | string[] | undefined>;
  /** Class of the failure when there is no response. */
  errorClass: string | undefined;
}

export interface DecisionContext {
  /** Attempts made, including this one. */
  attempts: number;
  /** See {@link isSentOnce}. */
  isSingle: boolean;
  now: Date;
  /** From 0 to 1. */
  random: number;
}

/** Tests and probes get one attempt, because their sender waits for the result. */
export function isSentOnce(trigger: string): boolean {
  return trigger === 'test' || trigger === 'probe';
}

/** Decides the outcome of an attempt. */
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
  const retryInMs = Math.max(wait, retryAfter) * (1 + JITTER * context.random);
  return { status: 'failed', errorClass, retryInMs: Math.ceil(retryInMs), stop, pauseMs };
}

/** Statuses that concern the receiver as a whole, not this delivery. */
function isSlowDownStatus(status: number | undefined): boolean {
  return status === 429 || status === 502 || status === 503 || status === 504;
}

/**
 * Reads the request that a receiver sends in a header: `webhook-delivery: disable` or
 * `abort-message`.
 */
function readReceiverRequest({ headers }: AttemptResult): string | undefined {
  const value = headers['webhook-delivery'];
  return typeof value === 'string' ? value.trim().toLowerCase() : undefined;
}

/**
 * Parses Retry-After, in seconds or as a date (RFC 9110, section 10.2.3); 0 without a valid value.
 */
export function parseRetryAfterMs({ headers }: Pick<AttemptResult, 'headers'>, now: Date): number {
  const value = headers['retry-after'];
  if (typeof value !== 'string') return 0;
  const text = value.trim();
  const ms = /^\d+$/.test(text) ? Number(text) * SECOND : parseDate(text) - now.getTime();
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS);
}

/**
 * Parses a date; NaN without a time zone. Date.parse accepts nearly any text that contains a
 * number.
 */
function parseDate(text: string): number {
  return /( GMT|\dZ)$/i.test(text) ? Date.parse(text) : Number.NaN;
}
