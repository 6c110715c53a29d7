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
  /** The reason why the attempt failed; null after a success. */
  errorClass: string | null;
  /** Time until the next attempt; null if this attempt is the last. */
  retryInMs: number | null;
  stop: 'gone' | 'receiver' | null;
  /** The pause that the receiver asked for; 0 if it asked for none. */
  pauseMs: number;
}
