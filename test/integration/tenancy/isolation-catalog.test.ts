import { expect } from 'chai';
import pg from 'pg';
import { getAppRole } from '../../../shared/platform/postgres/session.js';
import { createDatabase, createSuperuserDatabase } from '../../support/stores.js';
import { compareWithExceptions, NO_DIFFERENCE } from '../../support/tenancy/exceptions.js';
import { describeRead, findUnnamedReads } from '../../support/tenancy/explain-queries.js';
import { listFunctionQueries } from '../../support/tenancy/function-queries.js';
import { listTables } from '../../support/writes/rows.js';

/**
 * Policies other than `tenant_isolation`. Before the tenant is known, a query may find keys,
 * sessions and vendor accounts by a hash, and people by an e-mail address. Sweeps may list the ids
 * of all tenants.
 */
const OTHER_POLICIES = [
  'api_keys.key_lookup SELECT',
  'sessions.token_lookup SELECT',
  'invitations.token_lookup SELECT',
  'password_resets.token_lookup SELECT',
  'users.email_lookup SELECT',
  'tenants.tenant_directory SELECT',
  'connections.account_lookup SELECT',
];

/**
 * Restrictive policies, which can only hide rows. `search_keys` hides the entries that do not match
 * a search.
 */
const RESTRICTIVE_POLICIES = ['search_entries.search_keys SELECT'];

describe('database catalog', () => {
  let client: pg.Client;
  let tables: string[];
  let role: string;

  before(async () => {
    const databaseUrl = await createDatabase();
    role = getAppRole(databaseUrl);
    client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    tables = await listTables(client);
  });
  after(() => client.end());

  const queryRows = async (text: string, values: unknown[] = []) =>
    (await client.query<Record<string, never>>(text, values)).rows as Record<string, string>[];

  it('every table has forced row-level security', async () => {
    const forced = await queryRows(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
         and relrowsecurity and relforcerowsecurity`,
    );
    expect(tables.length).to.be.above(10);
    expect(forced.map(({ name }) => name)).to.have.members(tables);
  });

  it('every table has one tenant_isolation policy, which checks reads and writes for all commands and roles', async () => {
    const policies =
      await queryRows(`select tablename, cmd, permissive, roles::text, qual, with_check from pg_policies
      where schemaname = 'public' and policyname = 'tenant_isolation'`);
    expect(policies.map(({ tablename }) => tablename)).to.have.members(tables);
    for (const { tablename, cmd, permissive, roles, qual, with_check } of policies) {
      expect({ cmd, permissive, roles }, tablename).to.deep.equal({
        cmd: 'ALL',
        permissive: 'PERMISSIVE',
        roles: '{public}',
      });
      expect(qual, tablename).to.match(/tenant_id = ANY .*current_setting\('app\.tenant_ids'/s);
      expect(with_check, tablename).to.equal(qual);
    }
  });

  for (const [permissive, expected] of [
    ['PERMISSIVE', OTHER_POLICIES],
    ['RESTRICTIVE', RESTRICTIVE_POLICIES],
  ] as const) {
    it(`besides tenant_isolation, only the known ${permissive.toLowerCase()} policies exist, all for reads`, async () => {
      const others = await queryRows(
        "select tablename, policyname, cmd from pg_policies where policyname <> 'tenant_isolation' and permissive = $1",
        [permissive],
      );
      expect(others.map((one) => `${one.tablename}.${one.policyname} ${one.cmd}`)).to.have.members(expected);
    });
  }

  it('every primary key and unique index starts with tenant_id, because its checks bypass row-level security', async () => {
    const indexes = await queryRows(
      `select c.relname as table, i.indexrelid::regclass::text as index, i.indisprimary as primary, a.attname as first
       from pg_index i join pg_class c on c.oid = i.indrelid
       left join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
       where c.relname = any($1) and i.indisunique`,
      [tables],
    );
    for (const { table, index, first } of indexes) expect(first, `${table}: ${index}`).to.equal('tenant_id');
    expect(indexes.filter(({ primary }) => primary).map(({ table }) => table)).to.have.members(tables);
  });

  it('every foreign key starts with tenant_id on both sides, except those of docs/scaling.md', async () => {
    const keys = await queryRows(
      `select k.conrelid::regclass || '.' || k.conname as name, own.attname as own, other.attname as other
       from pg_constraint k
       join pg_attribute own on own.attrelid = k.conrelid and own.attnum = k.conkey[1]
       join pg_attribute other on other.attrelid = k.confrelid and other.attnum = k.confkey[1]
       where k.contype = 'f' and k.connamespace = 'public'::regnamespace`,
    );
    expect(keys.length).to.be.above(2);
    const others = keys.filter(({ own, other }) => own !== 'tenant_id' || other !== 'tenant_id');
    const names = others.map(({ name }) => name as string);
    expect(compareWithExceptions('foreign key', names)).to.deep.equal(NO_DIFFERENCE);
  });

  it('every table requires a tenant_id in each row', async () => {
    const columns = await queryRows(
      `select table_name, is_nullable, data_type from information_schema.columns where table_schema = 'public' and column_name = 'tenant_id'`,
    );
    expect(columns.map(({ table_name }) => table_name)).to.have.members(tables);
    for (const column of columns) expect(column).to.deep.include({ is_nullable: 'NO', data_type: 'uuid' });
  });

  it('every table of every schema has a tenant_id, except those of docs/scaling.md', async () => {
    const without = await queryRows(
      `select case n.nspname when 'public' then c.relname else n.nspname || '.' || c.relname end as name
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind in ('r', 'p', 'm', 'f') and n.nspname not in ('pg_catalog', 'information_schema')
         and not exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id')`,
    );
    const names = without.map(({ name }) => name as string);
    expect(compareWithExceptions('table', names)).to.deep.equal(NO_DIFFERENCE);
  });

  it("every query of the database's functions names the tenant, except those of docs/scaling.md", async () => {
    const queries = await listFunctionQueries(client);
    expect(queries.size).to.be.above(10);
    const found = await findUnnamedReads(await createSuperuserDatabase(), queries);
    expect(compareWithExceptions('function', found.map(describeRead))).to.deep.equal(NO_DIFFERENCE);
  });

  it('the database has no view or function that runs with the rights of its owner', async () => {
    expect(
      await queryRows(
        `select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('v', 'm', 'f')`,
      ),
    ).to.deep.equal([]);
    expect(
      await queryRows(
        `select proname from pg_proc where pronamespace in ('public'::regnamespace, 'bullmq'::regnamespace) and prosecdef`,
      ),
    ).to.deep.equal([]);
  });

  it("the application's role owns nothing, creates nothing, cannot log in and is a member of no role", async () => {
    const [rights] = await queryRows(
      `select rolsuper, rolbypassrls, rolcreatedb, rolcreaterole, rolcanlogin, rolreplication,
         has_schema_privilege(rolname, 'public', 'create') as makes_tables,
         (select count(*)::int from pg_class where relowner = r.oid) as owned,
         (select count(*)::int from pg_auth_members where member = r.oid) as roles
       from pg_roles r where rolname = $1`,
      [role],
    );
    expect(rights).to.deep.equal({
      rolsuper: false,
      rolbypassrls: false,
      rolcreatedb: false,
      rolcreaterole: false,
      rolcanlogin: false,
      rolreplication: false,
      makes_tables: false,
      owned: 0,
      roles: 0,
    });
  });

  it("the application's role cannot change or delete audit entries and events, or write schema_migrations", async () => {
    for (const table of ['audit_entries', 'events']) {
      for (const right of ['update', 'delete', 'truncate']) {
        expect(
          await queryRows('select has_table_privilege($1, $2, $3) as may', [role, table, right]),
          `${right} ${table}`,
        ).to.deep.equal([{ may: false }]);
      }
      expect(
        await queryRows(`select has_any_column_privilege($1, $2, 'update') as may`, [role, table]),
      ).to.deep.equal([{ may: false }]);
    }
    for (const right of ['insert', 'update', 'delete', 'truncate']) {
      expect(
        await queryRows("select has_table_privilege($1, 'schema_migrations', $2) as may", [role, right]),
        right,
      ).to.deep.equal([{ may: false }]);
    }
  });
});
