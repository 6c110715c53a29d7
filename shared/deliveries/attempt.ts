/** One request of a delivery with its result, as the delivery log stores it. */
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
  /** Why the attempt failed; null after a success. */
  errorClass: string | null;
  /** How long to wait before the next attempt; null if no further attempt follows. */
  retryInMs: number | null;
  stop: 'gone' | 'receiver' | null;
  /** How long the endpoint pauses because its receiver asked to slow down; 0 if it did not ask. */
  pauseMs: number;
}
