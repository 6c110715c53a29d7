/** A request to a vendor. The path is below its base address. */
export interface VendorRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  headers?: Record<string, string>;
  body?: string;
  /** A GET, or a write that carries the vendor's idempotency key. */
  isRepeatable: boolean;
}

export interface VendorResponse {
  status: number;
  headers: Record<string, string | string[]>;
  body: Buffer;
}

/** A connection with its credentials, for the duration of one step. */
export interface OpenConnection {
  id: string;
  settings: Readonly<Record<string, unknown>>;
  credentials: Readonly<Record<string, string>>;
  /** The current access token of OAuth. */
  accessToken: string | undefined;
  /**
   * Sends a request: guarded, within the rate limit and logged.
   * @throws {VendorError} `again` when nothing was sent, `unknown_outcome` when a write may have
   * arrived
   */
  call(request: VendorRequest): Promise<VendorResponse>;
}

/** What a write left at the vendor. */
export interface Written {
  externalId: string;
  version: string | null;
  url?: string;
}

/** A record that changed at the vendor. */
export interface Change<State> {
  kind: string;
  externalId: string;
  /** A later version is greater as text, so that an older one can be dropped. */
  version: string;
  fields: State;
}

/** Where a pull begins. */
export interface PullStart {
  stream: string;
  /** The cursor of the last page; null: from the beginning. */
  cursor: string | null;
  /** Read again what changed since then, whatever the cursor is. */
  since: string | null;
}

export interface Page<State> {
  changes: Change<State>[];
  cursor: string;
  isLast: boolean;
}
