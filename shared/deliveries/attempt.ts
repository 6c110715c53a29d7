/** One request with its result, as the delivery log stores it. */
export interface Attempt {
  id: string;
  startedAt: Date;
  url: string;
  requestHeaders: Record<string, string>;
  status: number | undefined;
  responseHeaders: Record<string, string | string[]> | null;
  responseBody: string | null;
  isTruncated: boolean;
  errorClass: string | undefined;
  errorMessage: string | null;
  remoteAddress: string | null;
  connectMs: number | null;
  firstByteMs: number | null;
  totalMs: number;
}

/** What the result of an attempt means for its delivery and its endpoint. */
export interface AttemptDecision {
  status: 'succeeded' | 'failed' | 'exhausted' | 'cancelled';
  /** Reason for the failure; null: it succeeded. */
  errorClass: string | null;
  /** Wait before the next attempt; null: no further attempt. */
  retryInMs: number | null;
  /** The receiver wants no further deliveries. */
  stop: 'gone' | 'receiver' | null;
  /** Pause of the endpoint; 0: none requested. */
  pauseMs: number;
}
