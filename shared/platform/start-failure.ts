import { ConfigError } from '../config/config.js';
import { describeError } from './describe-error.js';
import { getErrorCode, isConnectionError } from './errors.js';
import type { Logger } from './logger.js';

/**
 * Says why a process refuses to start: the problem, then the remedy. A retry does not help until an
 * operator has changed something.
 */
export class StartError extends Error {
  constructor(problem: string, remedy: string, options: { cause?: unknown } = {}) {
    super(`${problem} ${remedy}`, options);
    this.name = 'StartError';
  }
}

/**
 * Describes in one line why a start failed. Contains no stack trace, but LOG_LEVEL=debug logs the
 * stack trace.
 */
export function describeStartFailure(error: unknown): string {
  if (error instanceof ConfigError || error instanceof StartError) return error.message;
  const describe = LISTEN_FAILURES[getErrorCode(error)];
  if (describe && isSyscall(error, 'listen')) return describe(error);
  if (isSyscall(error)) {
    return `A file cannot be used: ${formatErrorReason(error)}. Check DATA_DIR and the permissions of this user.`;
  }
  if (isConnectionError(error)) {
    return `The connection to PostgreSQL or Redis was lost during the start (${describeConnectionError(error)}). Check DATABASE_URL and REDIS_URL, and start again.`;
  }
  return `The process could not start: ${formatErrorReason(error)}. Set LOG_LEVEL=debug to log where this happened.`;
}

interface ListenError extends NodeJS.ErrnoException {
  address?: string;
  port?: number;
}

const LISTEN_FAILURES: Record<string, (error: ListenError) => string> = {
  EADDRINUSE: ({ address, port }) =>
    `The port ${port} of ${address} is taken by another program. Stop that program, or set PORT to a free port (for example PORT=${Number(port) + 1}).`,
  EACCES: ({ port }) =>
    `This user may not listen on port ${port}. Set PORT to 1024 or higher (for example PORT=3000).`,
  EADDRNOTAVAIL: ({ address }) =>
    `This machine does not have the address ${address}. Set HOST to one of its addresses (for example HOST=0.0.0.0).`,
};

/**
 * True if a system call failed. If `name` is given, only that call counts. Otherwise calls on
 * connections do not count, because `isConnectionError` recognizes their errors.
 */
function isSyscall(error: unknown, name?: string): error is NodeJS.ErrnoException {
  if (!(error instanceof Error) || !('syscall' in error)) return false;
  return name
    ? error.syscall === name
    : !['connect', 'getaddrinfo', 'read', 'write'].includes(String(error.syscall));
}

/** Describes an error in one line, without secrets. */
export function formatErrorReason(error: unknown): string {
  return describeError(error).replace(/\s+/g, ' ').replace(/\.$/, '');
}

const CONNECTION_ERRORS: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  ENOTFOUND: 'unknown host name',
  EAI_AGAIN: 'unknown host name',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to the host',
  ETIMEDOUT: 'no answer',
};

/**
 * Describes a connection error in a few words. If the error is unknown, returns its own error
 * message without secrets.
 */
export function describeConnectionError(error: unknown): string {
  const known = CONNECTION_ERRORS[getErrorCode(error)];
  if (known) return known;
  const message = formatErrorReason(error);
  return /timeout|timed out|ETIMEDOUT/i.test(message) ? 'no answer' : message;
}

/** Logs an error if the check fails. The start does not wait for the check. */
export function logCheckFailure(logger: Logger, check: Promise<void>): void {
  check.catch((error: unknown) => logger.error(formatErrorReason(error)));
}

/** If a store does not reply to a probe within this time, the start probes again. */
export const PROBE_TIMEOUT_MS = 3000;

/**
 * Thrown if a store is unusable now but may become usable without a change of settings. The start
 * then waits and probes again.
 */
export class TransientStartError extends Error {
  constructor(override readonly cause: unknown) {
    super(describeConnectionError(cause));
  }
}
