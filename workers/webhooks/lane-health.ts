import type { Decision } from './retry-policy.js';

/** What webhook_lanes keeps of an endpoint across workers and restarts. Times are ms since the epoch. */
export interface LaneHealth {
  consecutiveFailures: number;
  failingSince: number | null;
  lastSuccessAt: number | null;
  lastFailureAt: number | null;
  lastError: string | null;
  /** How often in a row the breaker has opened. */
  opened: number;
  openUntil: number | null;
  throttledUntil: number | null;
  isSlow: boolean;
  stopReason: 'gone' | 'receiver' | null;
  exhaustedCount: number;
  lastExhaustedId: string | null;
}

/** So many failures in a row open the breaker: more than one delivery can have alone before it waits half an hour. */
const FAILURES_TO_OPEN = 5;
const FIRST_PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 15 * 60_000;
/** A pause is lengthened by up to this share, so that endpoints of one host do not come back together. */
const JITTER = 0.2;

export interface AttemptFacts {
  deliveryId: string;
  /** A test or a probe: it had one attempt, and whoever sent it looks at it. */
  isSingle: boolean;
  decision: Decision;
  now: number;
  /** 0 up to 1. */
  random: number;
}

/** True when this changes more than the time of the last success: such a change is stored at once. */
export function noteAttempt(
  health: LaneHealth,
  { deliveryId, isSingle, decision, now, random }: AttemptFacts,
): boolean {
  if (decision.stop) health.stopReason = decision.stop;
  // Told as such: the end that the receiver asked for is told by itself.
  if (decision.status === 'exhausted' && decision.stop === null && !isSingle) {
    health.exhaustedCount += 1;
    health.lastExhaustedId = deliveryId;
  }
  if (decision.pauseMs > 0)
    health.throttledUntil = Math.max(health.throttledUntil ?? 0, now + decision.pauseMs);
  if (decision.status === 'succeeded') return noteSuccess(health, now) || decision.stop !== null;
  // It refuses this message: neither a success of the endpoint nor a failure.
  if (decision.status === 'cancelled') return decision.stop !== null;
  health.consecutiveFailures += 1;
  health.failingSince ??= now;
  health.lastFailureAt = now;
  health.lastError = decision.errorClass;
  openBreaker(health, { now, random });
  return true;
}

function noteSuccess(health: LaneHealth, now: number): boolean {
  const hadTrouble = health.consecutiveFailures > 0 || health.failingSince !== null || health.opened > 0;
  const isFirst = health.lastSuccessAt === null;
  health.consecutiveFailures = 0;
  health.failingSince = null;
  health.opened = 0;
  health.openUntil = null;
  health.lastSuccessAt = now;
  return hadTrouble || isFirst;
}

/** Opens after some failures in a row; once open, each probe that fails opens it anew, for twice as long. */
function openBreaker(health: LaneHealth, { now, random }: { now: number; random: number }): void {
  const isProbe = health.opened > 0;
  if (!isProbe && health.consecutiveFailures < FAILURES_TO_OPEN) return;
  // What was under way when it opened tells nothing new.
  if (health.openUntil !== null && now < health.openUntil) return;
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** health.opened, LONGEST_PAUSE_MS);
  health.opened += 1;
  health.openUntil = now + pause * (1 + JITTER * random);
}

/** Until when nothing may be sent; 0: now is fine. */
export function pausedUntil({ openUntil, throttledUntil }: LaneHealth, now: number): number {
  const until = Math.max(openUntil ?? 0, throttledUntil ?? 0);
  return until > now ? until : 0;
}

/** True after a pause of the breaker, until a probe has succeeded: one request at a time then. */
export function isHalfOpen({ opened }: LaneHealth): boolean {
  return opened > 0;
}
