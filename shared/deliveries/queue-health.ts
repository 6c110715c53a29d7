/**
 * The health of an endpoint queue. It is stored in webhook_lanes, so that it outlives workers.
 * Times are in ms since 1970.
 */
export interface EndpointQueueHealth {
  consecutiveFailures: number;
  failingSince: number | null;
  lastSuccessAt: number | null;
  lastFailureAt: number | null;
  lastError: string | null;
  /** Number of times in a row that the circuit breaker has opened. */
  openCount: number;
  openUntil: number | null;
  throttledUntil: number | null;
  isSlow: boolean;
  stopReason: 'gone' | 'receiver' | null;
  exhaustedCount: number;
  lastExhaustedId: string | null;
}
