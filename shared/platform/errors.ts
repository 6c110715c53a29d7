/** One fault inside a request. `field` is a JSON path such as `line_items[2].name`; '' means the whole body. */
export interface ErrorDetail {
  field?: string;
  code?: string;
  message?: string;
  [key: string]: unknown;
}

/** Every value `error.code` can take, with its HTTP status (decisions 5, Errors). */
export const ERROR_STATUS = {
  validation_error: 400,
  invalid_json: 400,
  invalid_cursor: 400,
  invalid_idempotency_key: 400,
  line_total_mismatch: 400,
  unauthorized: 401,
  insufficient_scope: 403,
  read_only_key: 403,
  agent_key_required: 403,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  conflict: 409,
  duplicate_invoice_number: 409,
  invalid_status_transition: 409,
  invoice_locked: 409,
  approval_already_pending: 409,
  idempotency_in_progress: 409,
  precondition_failed: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  idempotency_key_reused: 422,
  precondition_required: 428,
  rate_limited: 429,
  internal_error: 500,
  provider_error: 502,
  service_unavailable: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** An error as it crosses a process boundary: the `error` member of the envelope, without the request id. */
export interface ErrorBody {
  code: ErrorCode;
  message: string;
  details?: ErrorDetail[];
}

interface AppErrorOptions {
  details?: ErrorDetail[];
  headers?: Record<string, string>;
  retryable?: boolean;
  cause?: unknown;
}

/**
 * The one error that is allowed to reach a client. Anything else becomes `internal_error` at the edge, so a message here
 * must never hold SQL, a stack or an internal name.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: ErrorDetail[] | undefined;
  readonly headers: Record<string, string>;
  /** True when the same request may succeed later without a change. */
  readonly retryable: boolean;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.status = ERROR_STATUS[code];
    this.details = options.details;
    this.headers = options.headers ?? {};
    this.retryable = options.retryable ?? (this.status === 503 || this.status === 429);
  }

  /** The serialisable part, as it travels in a job's reply and in an audit entry. */
  toBody(): ErrorBody {
    return {
      code: this.code,
      message: this.message,
      ...(this.details && this.details.length > 0 ? { details: this.details } : {}),
    };
  }
}

/** Rebuilds the error a worker reported. */
export function appErrorFromBody(body: ErrorBody): AppError {
  return new AppError(body.code, body.message, body.details ? { details: body.details } : {});
}

export function notFound(what: string): AppError {
  return new AppError('not_found', `No such ${what}. Check the id and that it belongs to this account.`);
}

/** @param allowed the methods that the route has */
export function methodNotAllowed(method: string, allowed: string[]): AppError {
  return new AppError('method_not_allowed', `${method} is not possible here; use ${allowed.join(' or ')}.`, {
    headers: { Allow: allowed.join(', ') },
  });
}

export function serviceUnavailable(message: string, cause?: unknown): AppError {
  return new AppError('service_unavailable', message, { headers: { 'Retry-After': '1' }, cause });
}

/** SQLSTATE or socket code of a driver error, '' when there is none. */
export function errorCodeOf(error: unknown): string {
  if (error === null || typeof error !== 'object' || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}

const LOST_CONNECTION_MESSAGES =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|not queryable|Client was closed|Connection ended/;

/** Errors of opening a session. */
const failedConnects = new WeakSet<object>();

/**
 * Marks an error met while opening a session: whatever reason the server gave (closed for maintenance, a password being changed), no statement
 * has run, and {@link isConnectionError} is true of it.
 */
export function markFailedConnect(error: unknown): unknown {
  if (typeof error === 'object' && error !== null) failedConnects.add(error);
  return error;
}

/**
 * True when PostgreSQL could not be reached, went away or is starting or stopping (SQLSTATE classes 08, 57P, 53300): the statement
 * may or may not have happened.
 */
export function isConnectionError(error: unknown): boolean {
  if (typeof error === 'object' && error !== null && failedConnects.has(error)) return true;
  const code = errorCodeOf(error);
  if (code.startsWith('08') || code.startsWith('57P') || code === '53300') return true;
  if (['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'].includes(code))
    return true;
  return error instanceof Error && LOST_CONNECTION_MESSAGES.test(error.message);
}

/** True when running the same transaction again is right: lost connection, serialization failure, deadlock, lock or statement timeout. */
export function isTransientDatabaseError(error: unknown): boolean {
  const code = errorCodeOf(error);
  return (
    isConnectionError(error) || code === '40001' || code === '40P01' || code === '55P03' || code === '57014'
  );
}

/**
 * A query was issued after the function given to `transaction` or `rehearse` had returned or
 * thrown. Its connection may already serve another tenant's transaction, so the query must not be
 * sent.
 */
export class TransactionEndedError extends Error {
  override readonly name = 'TransactionEndedError';

  constructor() {
    super('This transaction has ended. Await every query before the function of the transaction returns.');
  }
}
