import { getErrorCode } from '../errors.js';

/**
 * A primary of PostgreSQL. Each promotion of a standby raises the timeline. Servers that were
 * copied from each other have the same system identifier.
 */
export interface PrimaryIdentity {
  systemIdentifier: string;
  timeline: number;
}

interface IdentityRow {
  system_identifier: string;
  wal_file: string | null;
}

/**
 * Every role of an ordinary PostgreSQL may call these functions. PostgreSQL names a WAL file only
 * on a primary.
 */
export const READ_IDENTITY = {
  name: 'read-primary-identity',
  text: `select system_identifier::text,
           case when pg_is_in_recovery() then null else pg_walfile_name(pg_current_wal_insert_lsn()) end as wal_file
         from pg_control_system()`,
};

/** SQLSTATEs: insufficient privilege, undefined function, not supported, wrong state. */
const UNREADABLE_CODES = ['42501', '42883', '0A000', '55000'];

/**
 * Returns true if the server does not show its identity at all. Some hosted databases keep their
 * log elsewhere, or refuse these functions.
 */
export function isIdentityUnreadable(error: unknown): boolean {
  return UNREADABLE_CODES.includes(getErrorCode(error) ?? '');
}

/** @returns undefined for a standby */
export function parseIdentity(row: Record<string, unknown> | undefined): PrimaryIdentity | undefined {
  const { system_identifier: systemIdentifier, wal_file: walFile } = row as unknown as IdentityRow;
  // The name of a WAL file begins with the timeline, in eight hexadecimal digits.
  return walFile === null
    ? undefined
    : { systemIdentifier, timeline: Number.parseInt(walFile.slice(0, 8), 16) };
}

/**
 * Reads a server's identity.
 * @param read sends the query to the server, and resolves with its rows
 * @returns undefined for a standby, `unreadable` for a server that does not show its identity
 */
export async function readIdentity(
  read: (query: typeof READ_IDENTITY) => Promise<Record<string, unknown>[]>,
): Promise<PrimaryIdentity | 'unreadable' | undefined> {
  try {
    return parseIdentity((await read(READ_IDENTITY))[0]);
  } catch (error) {
    if (isIdentityUnreadable(error)) return 'unreadable';
    throw error;
  }
}

export function isSamePrimary(one: PrimaryIdentity, other: PrimaryIdentity): boolean {
  return one.timeline === other.timeline && one.systemIdentifier === other.systemIdentifier;
}

export function describeIdentity({ systemIdentifier, timeline }: PrimaryIdentity): string {
  return `timeline ${timeline} of the system ${systemIdentifier}`;
}
