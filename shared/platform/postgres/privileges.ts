import { StartError } from '../start-failure.js';
import type { Database } from './database.js';

interface Problem {
  fault: string;
}

/**
 * The tables that list the migrations. They belong to no tenant. Every other table in schema public
 * must be isolated.
 */
const MIGRATION_TABLES = ['schema_migrations', 'schema_migrations_lock'];

/**
 * The only policies allowed besides tenant_isolation. They permit only reads. The lookup policies
 * show only rows with a given hash (of a credential or a vendor account) or e-mail address.
 * `tenant_directory` shows the list of tenants to sweeps.
 */
const OTHER_POLICIES = [
  'api_keys.key_lookup',
  'sessions.token_lookup',
  'invitations.token_lookup',
  'password_resets.token_lookup',
  'users.email_lookup',
  'tenants.tenant_directory',
  'connections.account_lookup',
];

/**
 * Returns a text for each fault in the isolation of tenants. The application's role must not be a
 * superuser, bypass row-level security or own a table. It must not enter the schema of the
 * partitions, because partitions have no policies. Each table needs forced row-level security and
 * the tenant policy. No other policy may bypass the tenant policy. Also reports append-only tables
 * that the role can change.
 */
export async function findPrivilegeProblems(database: Database): Promise<string[]> {
  const rows = await database.query<Problem>({
    text: `
      with tables as (
        select c.oid, c.relname, c.relrowsecurity, c.relforcerowsecurity, c.relowner
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = 'public' and c.relkind in ('r', 'p') and not (c.relname = any($1))
      )
      select 'the role ' || rolname || ' is a superuser' as fault from pg_roles where rolname = current_user and rolsuper
      union all
      select 'the role ' || rolname || ' bypasses row-level security' from pg_roles where rolname = current_user and rolbypassrls
      union all
      select 'the role ' || current_user || ' owns the table ' || relname from tables
        where relowner = (select oid from pg_roles where rolname = current_user)
      union all
      select 'row-level security is not forced on ' || relname from tables where not (relrowsecurity and relforcerowsecurity)
      union all
      select relname || ' has no tenant_isolation policy' from tables t
        where not exists (select from pg_policy p where p.polrelid = t.oid and p.polname = 'tenant_isolation'
                          and pg_get_expr(p.polqual, p.polrelid) like '%app.tenant_ids%'
                          and pg_get_expr(p.polqual, p.polrelid) not like '% OR %'
                          and pg_get_expr(p.polwithcheck, p.polrelid) = pg_get_expr(p.polqual, p.polrelid))
      union all
      select relname || ' has the policy ' || polname || ', which lets rows past tenant_isolation'
        from pg_policy p join tables t on t.oid = p.polrelid
        where polpermissive and polname <> 'tenant_isolation' and not (polcmd = 'r' and relname || '.' || polname = any($2))
      union all
      select relname || ' can be changed by the application, but is append-only' from tables
        where relname in ('audit_entries', 'events')
          and (has_any_column_privilege(oid, 'update') or has_table_privilege(oid, 'delete') or has_table_privilege(oid, 'truncate'))
      union all
      select 'the role ' || current_user || ' may enter the schema partitions, whose tables have no policy of their own' from pg_namespace
        where nspname = 'partitions' and has_schema_privilege(oid, 'usage, create')
      union all
      select 'there are no tables: run the migrations first' where not exists (select from tables)`,
    values: [MIGRATION_TABLES, OTHER_POLICIES],
  });
  return rows.map((row) => row.fault);
}

/**
 * Every process calls this when it starts. If this throws, the process must not serve requests.
 * @throws {StartError} with every problem
 */
export async function assertLeastPrivilege(database: Database): Promise<void> {
  const problems = await findPrivilegeProblems(database);
  if (problems.length === 0) return;
  throw new StartError(
    `refusing to start, tenants would not be isolated: ${problems.join('; ')}.`,
    'Run the release with a user that owns the database and is no superuser, and use its DATABASE_URL in every process.',
  );
}
