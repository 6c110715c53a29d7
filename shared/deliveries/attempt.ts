/** The delivery log stores one request with its result. */
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

export interface AttemptDecision {
  status: 'succeeded' | 'failed' | 'exhausted' | 'cancelled';
  /** Reason for the failure; null after a success. */
  errorClass: string | null;
  /** Wait before the next attempt; null if there is no further attempt. */
  retryInMs: number | null;
  stop: 'gone' | 'receiver' | null;
  /** Requested pause of the endpoint; 0 if there is none. */
  pauseMs: number;
}
