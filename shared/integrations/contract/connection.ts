export interface VendorRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  headers?: Record<string, string>;
  body?: string;
  /** True for a GET, and for a write that carries the vendor's idempotency key. */
  isRepeatable: boolean;
}

export interface VendorResponse {
  status: number;
  headers: Record<string, string | string[]>;
  body: Buffer;
}

/** A connection with its unsealed credentials, for the duration of one step. */
export interface OpenConnection {
  id: string;
  settings: Readonly<Record<string, unknown>>;
  credentials: Readonly<Record<string, string>>;
  /** OAuth only. */
  accessToken: string | undefined;
  /** What the vendor's sign-in page returned beside the code. OAuth only. */
  signInParams: Readonly<Record<string, string>>;
  /**
   * Sends a guarded request within the rate limit, and logs it.
   * @throws {VendorError} `again` if nothing was sent,
   * `unknown_outcome` if a write may have arrived
   */
  call(request: VendorRequest): Promise<VendorResponse>;
}

/** The vendor's id, version and address of a record that a write stored. */
export interface Written {
  externalId: string;
  version: string | null;
  url?: string;
}

export interface Change<State> {
  kind: string;
  externalId: string;
  /** Compared as text. A change with an older version is dropped. */
  version: string;
  fields: State;
}

export interface PullStart {
  stream: string;
  /** The cursor of the last page. Null starts from the beginning. */
  cursor: string | null;
  /** If set, the pull ignores the cursor and reads everything that changed since this time. */
  since: string | null;
}

export interface Page<State> {
  changes: Change<State>[];
  cursor: string;
  isLast: boolean;
}
