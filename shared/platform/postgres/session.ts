/**
 * The options of every session. Times are in UTC. Queries, lock waits and idle transactions have
 * time limits.
 */
const SESSION_OPTIONS = [
  '-c timezone=UTC',
  '-c statement_timeout=5000',
  '-c lock_timeout=2000',
  '-c idle_in_transaction_session_timeout=10000',
];

/**
 * The options for sessions that only look up keys. A connection plans each query once for all
 * values, because planning for each value would cost more than it gains. But a plan that was made
 * while a table was small would keep scanning the table after it has grown (measured: inserts ten
 * times slower). Scans, and joins that need scans, are therefore disabled. PostgreSQL gives
 * disabled plans very high cost estimates, which would trigger the JIT compiler, so JIT is off.
 */
const KEY_LOOKUP_OPTIONS = [
  '-c plan_cache_mode=force_generic_plan',
  '-c enable_seqscan=off',
  '-c enable_hashjoin=off',
  '-c enable_mergejoin=off',
  '-c enable_bitmapscan=off',
  '-c enable_material=off',
  '-c jit=off',
];

/**
 * Returns the name of the application's role, `<login role>_app`. This role owns nothing and cannot
 * log in.
 */
export function getAppRole(databaseUrl: string): string {
  const user = decodeURIComponent(new URL(databaseUrl).username);
  if (!user)
    throw new Error('DATABASE_URL must name a user, for example postgres://tow:secret@localhost:5432/tow');
  return `${user}_app`;
}

/**
 * Builds the startup options that switch a session to the application's role.
 * @param keyed true for a session that only looks up keys
 */
export function buildAppSessionOptions(databaseUrl: string, { keyed }: { keyed: boolean }): string {
  const role = getAppRole(databaseUrl).replace(/[\\ ]/g, (character) => `\\${character}`);
  return [`-c role=${role}`, ...SESSION_OPTIONS, ...(keyed ? KEY_LOOKUP_OPTIONS : [])].join(' ');
}
