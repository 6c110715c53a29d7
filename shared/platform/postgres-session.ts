/** Settings of every session: an application must not wait for ever, hold locks while idle or print local times. */
const SESSION_OPTIONS = [
  '-c timezone=UTC',
  '-c statement_timeout=5000',
  '-c lock_timeout=2000',
  '-c idle_in_transaction_session_timeout=10000',
];

/**
 * Our own statements are key look-ups, planned once per connection. Planning them for each value again would cost more than it finds; and a plan
 * made while a table was small would go on scanning it when it is large (measured: ten times slower inserts), so scans and the joins that need
 * them are out, and with them the compiler that their penalty costs would wake.
 */
const KEYED_PLANS = [
  '-c plan_cache_mode=force_generic_plan',
  '-c enable_seqscan=off',
  '-c enable_hashjoin=off',
  '-c enable_mergejoin=off',
  '-c enable_bitmapscan=off',
  '-c enable_material=off',
  '-c jit=off',
];

/** Name of the application's role in a database: the login role's name with `_app`. It owns nothing and cannot log in. */
export function appRoleOf(databaseUrl: string): string {
  const user = decodeURIComponent(new URL(databaseUrl).username);
  if (!user)
    throw new Error('DATABASE_URL must name a user, for example postgres://tow:secret@localhost:5432/tow');
  return `${user}_app`;
}

/** Startup options that lower a session to the application's role. `keyed`: plan for key look-ups, once. */
export function appSessionOptions(databaseUrl: string, { keyed }: { keyed: boolean }): string {
  const role = appRoleOf(databaseUrl).replace(/[\\ ]/g, (character) => `\\${character}`);
  return [`-c role=${role}`, ...SESSION_OPTIONS, ...(keyed ? KEYED_PLANS : [])].join(' ');
}
