import { toStorableText } from '../../platform/storable-text.js';

/**
 * The reason why a call to a vendor failed:
 * - `again`: the vendor did not process the call, but may process a later one. This includes every
 *   read without a usable response, and every write that was not sent.
 * - `limit`: the vendor did not process the call, because of its rate limit.
 * - `auth`: the vendor does not accept the credentials.
 * - `refused`: the vendor would refuse an identical call again.
 * - `conflict`: the record has changed at the vendor since it was read.
 * - `gone`: the record no longer exists at the vendor.
 * - `unknown_outcome`: a write got no response, or a 5xx response. The vendor may have processed
 *   it.
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
  /**
   * The vendor's error code; by default, the kind. All vendors of texts use `opted_out` for a
   * recipient who accepts no more texts.
   */
  code?: string;
  /** Minimum time until the next call. */
  retryAfterMs?: number;
  /** The vendor's id of the request. The vendor's support asks for this id. */
  vendorRequestId?: string | null;
  cause?: unknown;
}

/** The only error that adapters throw. The account sees the error message. */
export class VendorError extends Error {
  override readonly name = 'VendorError';
  readonly kind: VendorErrorKind;
  readonly code: string;
  readonly retryAfterMs: number | undefined;
  readonly vendorRequestId: string | null;

  constructor(message: string, { kind, code, retryAfterMs, vendorRequestId, cause }: VendorErrorDetails) {
    super(toStorableText(message), { cause });
    this.kind = kind;
    this.code = toStorableText(code ?? kind);
    this.retryAfterMs = retryAfterMs;
    this.vendorRequestId = vendorRequestId ?? null;
  }
}
