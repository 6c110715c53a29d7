/**
 * When a delivery is tried again, and what an answer means (decisions 8; Standard Webhooks, "Deliverability and reliability").
 * All times in ms.
 */
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Wait before each attempt, the first being at once: ten attempts over 75 h 35 min. */
export const SCHEDULE_MS = [
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

/** Jitter lengthens a wait by up to this share and never shortens it. */
const JITTER = 0.1;
/** No receiver puts us off for longer. */
const MAX_RETRY_AFTER_MS = 24 * HOUR;
/** How long 429, 502 and 504 without a Retry-After hold the whole endpoint up. */
const SLOW_DOWN_MS = 5 * SECOND;

/** What came of one request, as far as the policy cares. */
export interface AttemptResult {
  /** Undefined: no answer. */
  status: number | undefined;
  headers: Record<string, string | string[] | undefined>;
  /** Kind of the failure when there is no answer. */
  errorClass: string | undefined;
}

export interface Decision {
  status: 'succeeded' | 'failed' | 'exhausted' | 'cancelled';
  /** Why it did not succeed; null: it did. */
  errorClass: string | null;
  /** Wait before the next attempt; null: there is none. */
  retryInMs: number | null;
  /** The receiver wants nothing more at all. */
  stop: 'gone' | 'receiver' | null;
  /** Nothing goes to this endpoint for so long; 0: no pause asked. */
  pauseMs: number;
}

export interface DecisionContext {
  /** Attempts made, this one included. */
  attempts: number;
  /** See {@link isSentOnce}. */
  isSingle: boolean;
  now: Date;
  /** 0 up to 1. */
  random: number;
}

/** Tests and probes: who sent them is waiting for the answer. */
export function isSentOnce(trigger: string): boolean {
  return trigger === 'test' || trigger === 'probe';
}

/** What follows from an attempt. */
export function decide(result: AttemptResult, context: DecisionContext): Decision {
  const { status } = result;
  const wish = wishOf(result);
  const succeeded = status !== undefined && status >= 200 && status < 300;
  const stop: Decision['stop'] = status === 410 ? 'gone' : wish === 'disable' ? 'receiver' : null;
  if (succeeded) return { status: 'succeeded', errorClass: null, retryInMs: null, stop, pauseMs: 0 };
  const errorClass = status === undefined ? (result.errorClass ?? 'internal') : `http_${status}`;
  const ended = { errorClass, retryInMs: null, stop, pauseMs: 0 };
  if (wish === 'abort-message') return { ...ended, status: 'cancelled', errorClass: 'aborted_by_receiver' };
  if (stop !== null) return { ...ended, status: 'exhausted' };
  const asked = retryAfterMs(result, context.now);
  const pauseMs = asksToSlowDown(status) ? asked || (status === 503 ? 0 : SLOW_DOWN_MS) : 0;
  const wait = context.isSingle ? undefined : SCHEDULE_MS[context.attempts];
  if (wait === undefined) return { ...ended, status: 'exhausted', pauseMs };
  const retryInMs = Math.max(wait, asked) * (1 + JITTER * context.random);
  return { status: 'failed', errorClass, retryInMs: Math.ceil(retryInMs), stop, pauseMs };
}

/** Statuses that speak of the receiver as a whole, not of this message. */
function asksToSlowDown(status: number | undefined): boolean {
  return status === 429 || status === 502 || status === 503 || status === 504;
}

/** What a receiver asks for beside its status: `webhook-delivery: disable` or `abort-message`. */
function wishOf({ headers }: AttemptResult): string | undefined {
  const value = headers['webhook-delivery'];
  return typeof value === 'string' ? value.trim().toLowerCase() : undefined;
}

/** Retry-After in seconds or as a date (RFC 9110, 10.2.3); 0 without a valid one. */
export function retryAfterMs({ headers }: Pick<AttemptResult, 'headers'>, now: Date): number {
  const value = headers['retry-after'];
  if (typeof value !== 'string') return 0;
  const text = value.trim();
  const ms = /^\d+$/.test(text) ? Number(text) * SECOND : dateOf(text) - now.getTime();
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS);
}

/** NaN unless it says its zone: Date.parse makes a date of nearly any text with a number in it. */
function dateOf(text: string): number {
  return /( GMT|\dZ)$/i.test(text) ? Date.parse(text) : Number.NaN;
}
