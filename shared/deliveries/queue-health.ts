/**
 * The health of an endpoint as webhook_lanes stores it, across workers and restarts. Times are ms
 * since the epoch.
 */
export interface EndpointQueueHealth {
  consecutiveFailures: number;
  failingSince: number | null;
  lastSuccessAt: number | null;
  lastFailureAt: number | null;
  lastError: string | null;
  /** How many times in a row the circuit breaker has opened. */
  openCount: number;
  openUntil: number | null;
  throttledUntil: number | null;
  isSlow: boolean;
  stopReason: 'gone' | 'receiver' | null;
  exhaustedCount: number;
  lastExhaustedId: string | null;
}
