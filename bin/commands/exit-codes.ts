import { ConfigError } from '../../shared/platform/config.js';
import { describeError } from '../../shared/platform/describe-error.js';
import { AppError, errorCodeOf, isConnectionError } from '../../shared/platform/errors.js';

/**
 * Exit codes of `tow`; scripts rely on them, so they never change their meaning. 0: done. 1: it failed, or a check did. 2: the command line is
 * wrong. 3: a setting is wrong. 4: no such tenant, key or command. 5: PostgreSQL, Redis or the API cannot be reached; trying again may help.
 */
export const EXIT = { ok: 0, failed: 1, usage: 2, configuration: 3, notFound: 4, unreachable: 5 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** What ends a command with another exit code than 0. The message says what to do next and holds no secret. */
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

export function notFoundError(what: string): CliError {
  return new CliError('not_found', `No such ${what}.`, EXIT.notFound);
}

/** SQLSTATEs of a connection that PostgreSQL refuses for what DATABASE_URL says: authentication, no such database. */
const REFUSED = ['28P01', '28000', '3D000'];

/** Turns anything thrown into an error with an exit code. Nothing is hidden: an unknown error keeps its message, without passwords. */
export function toCliError(error: unknown): CliError {
  if (error instanceof CliError) return error;
  if (error instanceof ConfigError) return new CliError('configuration', error.message, EXIT.configuration);
  if (error instanceof AppError) return usageError(messagesOf(error));
  const message = reasonOf(error);
  const cause = { cause: error };
  if (isNotMigrated(error)) {
    return new CliError(
      'not_migrated',
      'The database has no tables of this version. Run `tow migrate`.',
      EXIT.failed,
      cause,
    );
  }
  if (REFUSED.includes(errorCodeOf(error))) {
    return new CliError(
      'configuration',
      `PostgreSQL refuses DATABASE_URL: ${message}.`,
      EXIT.configuration,
      cause,
    );
  }
  if (isConnectionError(error)) {
    const next = 'Check DATABASE_URL and that the server runs.';
    return new CliError(
      'store_unreachable',
      `PostgreSQL cannot be reached (${message}). ${next}`,
      EXIT.unreachable,
      cause,
    );
  }
  return new CliError('failed', message, EXIT.failed, cause);
}

/** A reason fit for a terminal. What a command says by itself is never cut. */
export function reasonOf(error: unknown): string {
  return error instanceof CliError ? error.message : describeError(error);
}

function messagesOf(error: AppError): string {
  return (error.details ?? []).map(({ message }) => message).join('; ') || error.message;
}

/** The application's role or its tables are not there: 22023 comes from the session's `role` setting, 42P01 is an undefined table. */
export function isNotMigrated(error: unknown): boolean {
  const code = errorCodeOf(error);
  return code === '42P01' || (code === '22023' && /role "[^"]*" does not exist/.test(reasonOf(error)));
}
