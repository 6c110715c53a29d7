import { ConfigError } from '../../shared/config/config.js';
import { describeError } from '../../shared/platform/describe-error.js';
import { AppError, getErrorCode, isConnectionError } from '../../shared/platform/errors.js';

/**
 * The meaning of these codes never changes, because scripts rely on them. 0: done. 1: the command
 * or a check failed. 2: the command line is wrong. 3: a setting is wrong. 4: the tenant, key or
 * command does not exist. 5: PostgreSQL, Redis or the API cannot be reached; a retry may help.
 */
export const EXIT = { ok: 0, failed: 1, usage: 2, configuration: 3, notFound: 4, unreachable: 5 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** An error that ends the command. Its message says what to do next and contains no secret. */
export class CliError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly exit: ExitCode,
    options: { cause?: unknown } = {},
  ) {
    super(message, options);
    this.name = 'CliError';
  }
}

export function usageError(message: string): CliError {
  return new CliError('usage', message, EXIT.usage);
}

export function notFoundError(label: string): CliError {
  return new CliError('not_found', `No such ${label}.`, EXIT.notFound);
}

/**
 * SQLSTATEs for a wrong DATABASE_URL: failed authentication (28P01, 28000), no such database
 * (3D000).
 */
const WRONG_URL_SQLSTATES = ['28P01', '28000', '3D000'];

/**
 * Converts any error to a CliError, which has an exit code. An unknown error keeps its message, but
 * passwords are removed.
 */
export function toCliError(error: unknown): CliError {
  if (error instanceof CliError) return error;
  if (error instanceof ConfigError) return new CliError('configuration', error.message, EXIT.configuration);
  if (error instanceof AppError) return usageError(joinMessages(error));
  const message = describeReason(error);
  const cause = { cause: error };
  if (isNotMigrated(error)) {
    return new CliError(
      'not_migrated',
      'The database has no tables of this version. Run `tow migrate`.',
      EXIT.failed,
      cause,
    );
  }
  if (WRONG_URL_SQLSTATES.includes(getErrorCode(error))) {
    return new CliError(
      'configuration',
      `PostgreSQL refuses DATABASE_URL: ${message}.`,
      EXIT.configuration,
      cause,
    );
  }
  if (isConnectionError(error)) {
    const next = 'Check DATABASE_URL and that the server is running.';
    return new CliError(
      'store_unreachable',
      `PostgreSQL cannot be reached (${message}). ${next}`,
      EXIT.unreachable,
      cause,
    );
  }
  return new CliError('failed', message, EXIT.failed, cause);
}

/**
 * Returns an error's text for a terminal. Only the text of a CliError may exceed 500 characters.
 */
export function describeReason(error: unknown): string {
  return error instanceof CliError ? error.message : describeError(error);
}

function joinMessages(error: AppError): string {
  return (error.details ?? []).map(({ message }) => message).join('; ') || error.message;
}

/**
 * True if a table (SQLSTATE 42P01) or the application's role (22023) is missing. The migrations
 * create the table and the role.
 */
export function isNotMigrated(error: unknown): boolean {
  const code = getErrorCode(error);
  return code === '42P01' || (code === '22023' && /role "[^"]*" does not exist/.test(describeReason(error)));
}
