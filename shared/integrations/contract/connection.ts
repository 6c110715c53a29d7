export interface VendorRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** True if the body is a file and the vendor receives files at a separate address. */
  isUpload?: true;
  /**
   * True if the request may be sent twice. This applies to a GET, and to a write with the vendor's
   * idempotency key.
   */
  isRepeatable: boolean;
}

export interface VendorResponse {
  status: number;
  headers: Record<string, string | string[]>;
  body: Buffer;
}

/** A connection with its decrypted credentials, for the duration of one step. */
export interface OpenConnection {
  id: string;
  environment: 'live' | 'sandbox';
  /** The account at the vendor; null until the vendor has named it. */
  externalAccount: string | null;
  settings: Readonly<Record<string, unknown>>;
  credentials: Readonly<Record<string, string>>;
  /** The OAuth access token; undefined if the vendor does not use OAuth. */
  accessToken: string | undefined;
  /** Parameters that the vendor's sign-in page returned besides the authorization code. */
  signInParams: Readonly<Record<string, string>>;
  /** The public address at which this service receives the vendor's webhooks. */
  webhookUrl: string;
  /**
   * What an adapter has learned about the account and may forget at any time, such as ids of
   * records that rarely change. Lasts from step to step, while one process holds the connection.
   */
  learned: Map<string, string>;
  /**
   * Sends a request through the guarded HTTP client, within the rate limit, and logs it.
   * @throws {VendorError} if the response is 401, 429 or 5xx, or does not arrive. The error's kind
   * is `unknown_outcome` if a write may have arrived
   */
  call(request: VendorRequest): Promise<VendorResponse>;
}

/** The result of a write: the record's id, version and web address at the vendor. */
export interface Written {
  externalId: string;
  version: string | null;
  url?: string;
  /** RFC 3339: the time at which the record expires at the vendor. */
  expiresAt?: string;
}

export interface Change<State> {
  kind: string;
  externalId: string;
  /**
   * The vendor's version of the record. Versions are compared as text. A change is stored only if
   * its version is newer than the stored version.
   */
  version: string;
  fields: State;
}

export interface PullStart {
  stream: string;
  /** The cursor that the last page returned; null to read from the beginning. */
  cursor: string | null;
  /** If set, the pull ignores the cursor and reads everything that changed since this time. */
  since: string | null;
  /**
   * True if the pull looks for changes that earlier pulls have missed. It then reads the records
   * themselves, not the vendor's feed of changes, if there are both.
   */
  isSweep?: true;
}

export interface Page<State> {
  changes: Change<State>[];
  cursor: string;
  isLast: boolean;
  /** What a sweep could not read, as a sentence for the account. */
  gap?: string;
}
