/** `field` is a JSON path such as `line_items[2].name`; '' means the whole body. */
export interface ErrorDetail {
  field?: string;
  code?: string;
  message?: string;
  [key: string]: unknown;
}

/** All values of `error.code` with their HTTP status (docs/decisions.md §5, Errors). */
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
  factor_required: 403,
  factor_setup_required: 403,
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

/**
 * The `error` member of an error response, without the request id. Processes exchange errors in
 * this form.
 */
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
 * The only error class whose message clients see; any other error becomes `internal_error`. A
 * message must therefore never contain SQL, a stack trace or an internal name.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: ErrorDetail[] | undefined;
  readonly headers: Record<string, string>;
  /** True if the same request may succeed later. */
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

  /** Returns the part of the error that a job's reply and an audit entry contain. */
  toBody(): ErrorBody {
    return {
      code: this.code,
      message: this.message,
      ...(this.details && this.details.length > 0 ? { details: this.details } : {}),
    };
  }
}

/** Rebuilds an error that a worker sent. */
export function appErrorFromBody(body: ErrorBody): AppError {
  // A worker sends no headers. It refuses a write with 503 while the account moves.
  const headers: Record<string, string> = body.code === 'service_unavailable' ? { 'Retry-After': '2' } : {};
  return new AppError(body.code, body.message, {
    headers,
    ...(body.details ? { details: body.details } : {}),
  });
}

export function notFound(resource: string): AppError {
  return new AppError('not_found', `No such ${resource}. Check the id and that it belongs to this account.`);
}

export function serviceUnavailable(message: string, cause?: unknown): AppError {
  return new AppError('service_unavailable', message, { headers: { 'Retry-After': '1' }, cause });
}

/** Returns the SQLSTATE or socket error code of a driver error, or ''. */
export function getErrorCode(error: unknown): string {
  if (error === null || typeof error !== 'object' || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}

const LOST_CONNECTION_MESSAGES =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|not queryable|Client was closed|Connection ended/;

const failedConnects = new WeakSet<object>();

/**
 * Marks an error that occurred while connecting. {@link isConnectionError} then returns true for
 * this error. No query has run, so a retry is harmless whatever the cause (maintenance, a changed
 * password).
 */
export function markFailedConnect(error: unknown): unknown {
  if (typeof error === 'object' && error !== null) failedConnects.add(error);
  return error;
}

/** SQLSTATEs of a server that takes no connection, or no writes because it is a standby. */
const UNUSABLE_SERVER = ['53300', '25006'];

/**
 * True if PostgreSQL is unreachable, closed the connection, is starting or stopping, has too many
 * connections, or is a standby (SQLSTATE classes 08 and 57P, 53300 and 25006). The query may or may
 * not have taken effect. A standby counts, because only a new connection can lead to the primary.
 */
export function isConnectionError(error: unknown): boolean {
  if (typeof error === 'object' && error !== null && failedConnects.has(error)) return true;
  const code = getErrorCode(error);
  if (code.startsWith('08') || code.startsWith('57P') || UNUSABLE_SERVER.includes(code)) return true;
  if (['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'].includes(code))
    return true;
  return error instanceof Error && LOST_CONNECTION_MESSAGES.test(error.message);
}

/**
 * True if a retry of the transaction may succeed: after a lost connection, serialization failure,
 * deadlock, lock timeout or query timeout.
 */
export function isTransientDatabaseError(error: unknown): boolean {
  const code = getErrorCode(error);
  return (
    isConnectionError(error) || code === '40001' || code === '40P01' || code === '55P03' || code === '57014'
  );
}

/**
 * Thrown if the caller issues a query after its transaction has ended. The query is not sent,
 * because the connection may already run another tenant's transaction.
 */
export class TransactionEndedError extends Error {
  override readonly name = 'TransactionEndedError';

  constructor() {
    super('This transaction has ended. Await every query before the transaction function returns.');
  }
}
