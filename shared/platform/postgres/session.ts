/** Waits are bounded, idle sessions hold no locks, and times are in UTC. */
const SESSION_OPTIONS = [
  '-c timezone=UTC',
  '-c statement_timeout=5000',
  '-c lock_timeout=2000',
  '-c idle_in_transaction_session_timeout=10000',
];

/**
 * The application's queries are key look-ups, planned once per connection. Planning them for each
 * value would cost more than it gains. A plan from when a table was small would keep scanning the
 * table after it has grown (measured: inserts ten times slower). Scans, and joins that need them,
 * are therefore disabled. So is the JIT compiler, which their penalty costs would trigger.
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

/** `<login role>_app` is the application's role. It owns nothing and cannot log in. */
export function getAppRole(databaseUrl: string): string {
  const user = decodeURIComponent(new URL(databaseUrl).username);
  if (!user)
    throw new Error('DATABASE_URL must name a user, for example postgres://tow:secret@localhost:5432/tow');
  return `${user}_app`;
}

/**
 * Builds the startup options that switch a session to the application's role.
 * @param keyed plan for key look-ups, once per connection
 */
export function buildAppSessionOptions(databaseUrl: string, { keyed }: { keyed: boolean }): string {
  const role = getAppRole(databaseUrl).replace(/[\\ ]/g, (character) => `\\${character}`);
  return [`-c role=${role}`, ...SESSION_OPTIONS, ...(keyed ? KEY_LOOKUP_OPTIONS : [])].join(' ');
}
