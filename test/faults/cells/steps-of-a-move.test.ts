/** Checks each command of a move by itself: what it keeps, and what it refuses. */
import { createHash } from 'node:crypto';
import { access, appendFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import { TABLES_THAT_STAY } from '../../../bin/commands/accounts/account-tables.js';
import { AccountFrozenError } from '../../../shared/platform/frozen/frozen-accounts.js';
import { newId } from '../../../shared/platform/ids.js';
import { createLogger } from '../../../shared/platform/logger.js';
import { type Database, openDatabase } from '../../../shared/platform/postgres/database.js';
import { Cell } from '../../support/load/cells/cell.js';
import { useProcesses } from '../../support/load/processes.js';
import { eventually } from '../../support/poll.js';
import { fillTables, listTables, withPgClient } from '../../support/writes/rows.js';

const NAME = 'Filled Towing';
const logger = createLogger({ level: 'silent', name: 'test', pretty: false });

describe('the commands that move an account', function () {
  this.timeout(120_000);
  const processes = useProcesses();
  const tenant = newId();
  const object = `${tenant}/photos/1`;
  let a: Cell;
  let b: Cell;
  let db: Database;
  let folder: string;
  let out: string;
  let tables: string[];

  before(async () => {
    [a, b] = [await Cell.create(processes), await Cell.create(processes)];
    folder = await mkdtemp(join(tmpdir(), 'tow-cells-'));
    out = join(folder, 'dump');
    await withPgClient(a.databaseUrl, async (client) => {
      tables = (await listTables(client)).filter((name) => !(name in TABLES_THAT_STAY));
      await fillTables(client, tables, tenant);
      await client.query("select set_config('app.tenant_ids', $1, false)", [tenant]);
      await client.query('update terms_changes set settled_after = pg_current_xact_id()');
    });
    await mkdir(join(a.dataDir, 'exports', tenant, 'photos'), { recursive: true });
    await writeFile(join(a.dataDir, 'exports', object), 'a picture');
    db = openDatabase({ databaseUrl: a.databaseUrl, poolSize: 2, applicationName: 'test', logger });
  });
  after(async () => {
    await db.close();
    await rm(folder, { recursive: true, force: true });
  });

  const rename = (name: string) =>
    db.transaction([tenant], (tx) =>
      tx.query({
        text: 'update customers set company_name = $2 where tenant_id = $1',
        values: [tenant, name],
      }),
    );

  it('dump refuses an account that is not frozen', async () => {
    const { code, error } = await a.run(['dump', '--tenant', tenant, '--out', out]);
    expect([code, error?.code]).to.deep.equal([1, 'not_frozen']);
  });

  it('freeze and dump end only after a write that began before them, and each later one is refused', async () => {
    const client = new pg.Client({ connectionString: a.databaseUrl });
    await client.connect();
    await client.query('begin');
    await client.query("select set_config('app.tenant_ids', $1, true)", [tenant]);
    await client.query(
      "update customers set company_name = 'Written last', coverage = '{}' where tenant_id = $1",
      [tenant],
    );
    const ended: string[] = [];
    const run = (command: string, ...args: string[]) =>
      a.run([command, '--tenant', tenant, ...args]).finally(() => ended.push(command));
    const freezing = run('freeze');
    await waitForFreeze(a.databaseUrl, tenant);
    const early = join(folder, 'early');
    const dumping = run('dump', '--out', early);
    await waitForFile(join(early, 'objects'));
    // Without the wait for this write, the commands would end within this time.
    await sleep(1500);
    expect(ended).to.deep.equal([]);
    await client.query('commit');
    await client.end();
    expect([(await freezing).code, (await dumping).code]).to.deep.equal([0, 0]);
    expect(await readFile(join(early, 'tables', 'customers'), 'utf8')).to.include('Written last');
    const failure = await rename('Written too late').catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(AccountFrozenError);
    expect(await db.listTenantIds()).to.deep.equal([]);
    const [row] = await db.read<{ company_name: string }>(tenant, {
      text: 'select company_name from customers where tenant_id = $1',
      values: [tenant],
    });
    expect(row?.company_name).to.equal('Written last');
  });

  it('dump refuses to complete if the account was released meanwhile, also if it is frozen again', async () => {
    // This name keeps the command from waiting for the lock's transaction.
    const client = new pg.Client({ connectionString: a.databaseUrl, application_name: 'tow-snapshot' });
    await client.connect();
    await client.query('begin');
    await client.query('lock table work_orders in access exclusive mode');
    const stale = join(folder, 'stale');
    const dumping = a.run(['dump', '--tenant', tenant, '--out', stale]);
    await waitForFile(join(stale, 'tables', 'customers'));
    expect((await a.run(['release', '--tenant', tenant, '--discard-dump'])).code).to.equal(0);
    expect((await a.run(['freeze', '--tenant', tenant])).code).to.equal(0);
    await client.query('rollback');
    await client.end();
    expect((await dumping).error?.code).to.equal('released');
    expect(await readdir(stale)).not.to.include('manifest.json');
    expect((await a.run(['delete', '--tenant', tenant, '--name', NAME])).error?.code).to.equal('not_moved');
  });

  it('dump contains a row of every table with a tenant, and the objects', async () => {
    const { code, error } = await a.run(['dump', '--tenant', tenant, '--out', out]);
    expect(code, error?.message).to.equal(0);
    const [, ...lines] = (await readFile(join(out, 'manifest.json'), 'utf8')).split('\n');
    const manifest = JSON.parse(lines.join('\n'));
    expect(manifest.tables.map(({ name }: { name: string }) => name)).to.have.members(tables);
    expect(manifest.tables.filter(({ rows }: { rows: number }) => rows === 0)).to.deep.equal([]);
    expect(manifest.objects.map(({ name }: { name: string }) => name)).to.deep.equal([object]);
  });

  it('release refuses to open an account that was dumped, because its copy may be in use', async () => {
    const { code, error } = await a.run(['release', '--tenant', tenant]);
    expect([code, error?.code]).to.deep.equal([1, 'dumped']);
  });

  it('restore refuses a changed file, another SECRET_KEY and another schema, and stores nothing', async () => {
    const changed = join(out, 'tables', 'customers');
    const before = await readFile(changed);
    await appendFile(changed, 'x');
    expect((await b.run(['restore', out])).error?.code).to.equal('damaged_dump');
    await writeFile(changed, before);
    await withManifest(
      out,
      (text) => text.replace('"tables/customers"', '"../dump/tables/customers"'),
      async () => expect((await b.run(['restore', out])).error?.code).to.equal('damaged_dump'),
    );
    await withManifest(
      out,
      (text) => text.replace(`"${object}"`, `"${newId()}/photos/1"`),
      async () => expect((await b.run(['restore', out])).error?.code).to.equal('damaged_dump'),
    );
    const other = { SECRET_KEY: 'another secret of the tests, which is long enough' };
    expect((await b.run(['restore', out], other)).error?.code).to.equal('other_secret_key');
    const future = '99991231000000_of_a_later_release';
    await withPgClient(b.databaseUrl, async (client) => {
      await client.query(
        'insert into schema_migrations (name, batch, migration_time) values ($1, 99, now())',
        [future],
      );
    });
    expect((await b.run(['restore', out])).error?.code).to.equal('other_schema');
    await withPgClient(b.databaseUrl, async (client) => {
      await client.query('delete from schema_migrations where name = $1', [future]);
    });
    expect(await countRows(b.databaseUrl, tenant, ['tenants', 'customers'])).to.deep.equal([0, 0]);
  });

  it('delete removes a restored copy that was never released, so that the account can move again', async () => {
    const { code, error } = await b.run(['restore', out]);
    expect(code, error?.message).to.equal(0);
    expect((await b.run(['delete', '--tenant', tenant, '--name', NAME])).code).to.equal(0);
    expect(await countRows(b.databaseUrl, tenant, tables)).to.deep.equal(tables.map(() => 0));
    expect(await exists(join(b.dataDir, 'exports', object))).to.equal(false);
  });

  it('restore stores each row and object, frozen, and refuses an account that exists', async () => {
    const { code, error } = await b.run(['restore', out]);
    expect(code, error?.message).to.equal(0);
    expect(await countRows(b.databaseUrl, tenant, tables)).to.deep.equal(
      await countRows(a.databaseUrl, tenant, tables),
    );
    expect(await countRows(b.databaseUrl, tenant, ['frozen_accounts'])).to.deep.equal([1]);
    expect(await readFile(join(b.dataDir, 'exports', object), 'utf8')).to.equal('a picture');
    expect((await b.run(['restore', out])).error?.code).to.equal('account_exists');
  });

  it('numbers that mean something in one cluster of PostgreSQL only do not move', async () => {
    const before = await readClusterValues(a.databaseUrl, tenant, tables);
    expect(before).to.include.keys('events.xid', 'webhook_replays.xid', 'terms_changes.settled_after');
    expect(Object.entries(before).filter(([, value]) => value === null)).to.deep.equal([]);
    const moved = await readClusterValues(b.databaseUrl, tenant, tables);
    const { 'exports.wal_lsn': position, ...others } = moved;
    expect(Object.keys(moved)).to.deep.equal(Object.keys(before));
    expect(position).to.equal('0/0');
    expect(Object.values(others)).to.deep.equal(Object.values(others).map(() => null));
  });

  it('routes lists the address of a person only after it was proved', async () => {
    const listKinds = async () => {
      const { data } = await b.run(['routes', '--tenant', tenant, '--cell', 'cell_b']);
      return (data.items as { kind: string }[]).map(({ kind }) => kind);
    };
    expect(await listKinds()).not.to.include('email');
    await withPgClient(b.databaseUrl, async (client) => {
      await client.query("select set_config('app.tenant_ids', $1, false)", [tenant]);
      await client.query('update users set email_proved_at = now()');
    });
    expect(await listKinds()).to.include('email');
  });

  it('release ends the freeze, and sets the position from which restored exports may read a replica', async () => {
    expect((await b.run(['release', '--tenant', tenant])).code).to.equal(0);
    const { 'exports.wal_lsn': position } = await readClusterValues(b.databaseUrl, tenant, ['exports']);
    expect(position).not.to.equal('0/0');
    expect(await countRows(b.databaseUrl, tenant, ['frozen_accounts'])).to.deep.equal([0]);
  });

  it('delete asks for the name, leaves no object and no row but the freeze, and nothing writes the account again', async () => {
    expect((await b.run(['delete', '--tenant', tenant, '--name', NAME])).error?.code).to.equal('not_moved');
    const unnamed = await a.run(['delete', '--tenant', tenant, '--name', 'Other']);
    expect(unnamed.error?.code).to.equal('other_name');
    expect((await a.run(['delete', '--tenant', tenant, '--name', NAME])).code).to.equal(0);
    expect(await countRows(a.databaseUrl, tenant, tables)).to.deep.equal(tables.map(() => 0));
    expect(await exists(join(a.dataDir, 'exports', object))).to.equal(false);
    expect(await readFile(join(b.dataDir, 'exports', object), 'utf8')).to.equal('a picture');
    const failure = await rename('Written too late').catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(AccountFrozenError);
  });
});

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

const waitForFile = (path: string) => eventually(path, () => exists(path));

/** Runs `work` with a changed manifest whose hash is right. */
async function withManifest(
  folder: string,
  change: (text: string) => string,
  work: () => Promise<unknown>,
): Promise<void> {
  const path = join(folder, 'manifest.json');
  const before = await readFile(path, 'utf8');
  const text = before.slice(before.indexOf('\n') + 1).trimEnd();
  expect(change(text)).not.to.equal(text);
  const hash = createHash('sha256').update(change(text)).digest('hex');
  await writeFile(path, `${hash}\n${change(text)}\n`);
  await work();
  await writeFile(path, before);
}

/** Reads a value of each column of a type for transaction numbers or positions in the log. */
function readClusterValues(
  databaseUrl: string,
  tenant: string,
  tables: string[],
): Promise<Record<string, string | null>> {
  return withPgClient(databaseUrl, async (client) => {
    await client.query("select set_config('app.tenant_ids', $1, false)", [tenant]);
    const { rows: columns } = await client.query<{ table: string; name: string }>(
      `select table_name as table, column_name as name from information_schema.columns
       where table_schema = 'public' and table_name = any ($1) and udt_name in ('xid', 'xid8', 'pg_lsn') order by 1, 2`,
      [tables],
    );
    const values: Record<string, string | null> = {};
    for (const { table, name } of columns) {
      const query = `select ${name}::text as value from ${table} where tenant_id = $1`;
      values[`${table}.${name}`] =
        (await client.query<{ value: string | null }>(query, [tenant])).rows[0]?.value ?? null;
    }
    return values;
  });
}

async function waitForFreeze(databaseUrl: string, tenant: string): Promise<void> {
  for (;;) if ((await countRows(databaseUrl, tenant, ['frozen_accounts']))[0] === 1) return;
}

/** Counts the tenant's rows of each table. */
function countRows(databaseUrl: string, tenant: string, tables: string[]): Promise<number[]> {
  return withPgClient(databaseUrl, async (client) => {
    await client.query("select set_config('app.tenant_ids', $1, false)", [tenant]);
    const counts: number[] = [];
    for (const table of tables) {
      const query = `select count(*)::int as count from ${table} where tenant_id = $1`;
      counts.push((await client.query<{ count: number }>(query, [tenant])).rows[0]?.count ?? -1);
    }
    return counts;
  });
}
