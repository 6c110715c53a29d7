import type { OpenConnection, VendorResponse } from '../../contract/connection.js';
import { parseAnswer } from '../../contract/values/parse-answer.js';
import { VendorError, type VendorErrorKind } from '../../contract/vendor-error.js';
import { encodeForm, type FormValue } from './form.js';

/**
 * The API version of Stripe's responses. Stripe uses this version instead of the version that the
 * account has set.
 */
const API_VERSION = '2026-10-28.endive';

export interface StripeRequest {
  method: 'GET' | 'POST';
  path: string;
  /** The query of a GET, or the body of a POST. */
  form?: Record<string, FormValue>;
  /** The idempotency key. Every POST needs one. */
  key?: string;
  /** A file to send instead of `form`. */
  upload?: { boundary: string; body: Buffer };
}

interface StripeError {
  type?: string;
  code?: string;
  decline_code?: string;
  message?: string;
}

/**
 * Calls Stripe's API.
 * @throws {VendorError} if Stripe refuses the call or does not respond
 */
export async function callStripe<T>(connection: OpenConnection, request: StripeRequest): Promise<T> {
  const { status, answer, fail } = await requestStripe<T>(connection, request);
  if (status >= 300) throw fail();
  return answer;
}

/** Stripe's response, which may be a refusal. */
export interface StripeAnswer<T> {
  status: number;
  answer: T;
  /** Builds the error for a refusal. */
  fail(): VendorError;
}

/** Calls Stripe's API for callers that handle a refusal as a result, not as an error. */
export async function requestStripe<T>(
  connection: OpenConnection,
  request: StripeRequest,
): Promise<StripeAnswer<T>> {
  const { method, path, form = {}, key, upload } = request;
  const encoded = encodeForm(form);
  const isRead = method === 'GET';
  const response = await connection.call({
    method,
    path: isRead && encoded ? `${path}?${encoded}` : path,
    headers: {
      authorization: `Bearer ${connection.accessToken ?? connection.credentials.secret_key}`,
      'stripe-version': API_VERSION,
      ...(isRead ? {} : { 'content-type': findContentType(upload?.boundary) }),
      ...(key ? { 'idempotency-key': key } : {}),
    },
    ...(isRead ? {} : { body: upload?.body ?? encoded }),
    ...(upload ? { isUpload: true as const } : {}),
    isRepeatable: isRead || key !== undefined,
  });
  const answer = parseAnswer<T & { error?: StripeError }>(response, { vendor: 'Stripe', isRead });
  return { status: response.status, answer, fail: () => toVendorError(response, answer.error ?? {}) };
}

function findContentType(boundary: string | undefined): string {
  return boundary === undefined
    ? 'application/x-www-form-urlencoded'
    : `multipart/form-data; boundary=${boundary}`;
}

function toVendorError({ status, headers }: VendorResponse, error: StripeError): VendorError {
  const { type, code, decline_code, message = `Stripe answered ${status}.` } = error;
  return new VendorError(message, {
    kind: findKind(status, type, code),
    code: decline_code ?? code ?? type ?? `http_${status}`,
    vendorRequestId: typeof headers['request-id'] === 'string' ? headers['request-id'] : null,
  });
}

function findKind(status: number, type?: string, code?: string): VendorErrorKind {
  if (status === 403) return 'auth';
  if (status === 404 || code === 'resource_missing') return 'gone';
  // Another call with the same key is still running. A repetition with this key returns the outcome
  // of that call.
  if (status === 409) return 'unknown_outcome';
  return type === 'idempotency_error' ? 'conflict' : 'refused';
}
