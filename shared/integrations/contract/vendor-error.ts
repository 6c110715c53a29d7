/**
 * Why a call to a vendor failed:
 * - `again`: the vendor did not process it and may do so later (no connection, 5xx before a write).
 * - `limit`: a rate limit; it was not processed.
 * - `auth`: the credentials are not accepted.
 * - `refused`: the vendor would refuse the same call again.
 * - `conflict`: the record changed at the vendor since it was read.
 * - `gone`: the record does not exist at the vendor any more.
 * - `unknown_outcome`: a write without a response. The vendor may have processed it.
 */
export type VendorErrorKind =
  | 'again'
  | 'limit'
  | 'auth'
  | 'refused'
  | 'conflict'
  | 'gone'
  | 'unknown_outcome';

export interface VendorErrorDetails {
  kind: VendorErrorKind;
  /** The vendor's code, or a word of ours. */
  code?: string;
  /** Wait at least this long before the next call, in ms. */
  retryAfterMs?: number;
  /** The vendor's id of the request, for its support. */
  vendorRequestId?: string | null;
  cause?: unknown;
}

/** The one error that adapters throw. Its message is shown to the account. */
export class VendorError extends Error {
  override readonly name = 'VendorError';
  readonly kind: VendorErrorKind;
  readonly code: string;
  readonly retryAfterMs: number | undefined;
  readonly vendorRequestId: string | null;

  constructor(message: string, { kind, code, retryAfterMs, vendorRequestId, cause }: VendorErrorDetails) {
    super(message, { cause });
    this.kind = kind;
    this.code = code ?? kind;
    this.retryAfterMs = retryAfterMs;
    this.vendorRequestId = vendorRequestId ?? null;
  }
}
