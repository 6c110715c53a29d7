/** Checks each command of a move by itself: what it keeps, and what it refuses. */
import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
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

  it('freeze ends only after a write that began before it, and refuses each later one', async () => {
    const client = new pg.Client({ connectionString: a.databaseUrl });
    await client.connect();
    await client.query('begin');
    await client.query("select set_config('app.tenant_ids', $1, true)", [tenant]);
    await client.query(
      "update customers set company_name = 'Written last', coverage = '{}' where tenant_id = $1",
      [tenant],
    );
    let hasEnded = false;
    const freezing = a.run(['freeze', '--tenant', tenant]).finally(() => {
      hasEnded = true;
    });
    await waitForFreeze(a.databaseUrl, tenant);
    // Without the wait for this write, the command would end within this time.
    await sleep(1000);
    expect(hasEnded).to.equal(false);
    await client.query('commit');
    await client.end();
    expect((await freezing).code).to.equal(0);
    const failure = await rename('Written too late').catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(AccountFrozenError);
    expect(await db.listTenantIds()).to.deep.equal([]);
    const [row] = await db.read<{ company_name: string }>(tenant, {
      text: 'select company_name from customers where tenant_id = $1',
      values: [tenant],
    });
    expect(row?.company_name).to.equal('Written last');
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

  it('restore stores each row and object, frozen, and refuses an account that exists', async () => {
    const { code, error } = await b.run(['restore', out]);
    expect(code, error?.message).to.equal(0);
    expect(await countRows(b.databaseUrl, tenant, tables)).to.deep.equal(
      await countRows(a.databaseUrl, tenant, tables),
    );
    expect(await countRows(b.databaseUrl, tenant, ['frozen_accounts'])).to.deep.equal([1]);
    expect(await readFile(join(b.dataDir, 'exports', object), 'utf8')).to.equal('a picture');
    expect((await b.run(['restore', out])).error?.code).to.equal('account_exists');
    expect((await b.run(['release', '--tenant', tenant])).code).to.equal(0);
    expect(await countRows(b.databaseUrl, tenant, ['frozen_accounts'])).to.deep.equal([0]);
  });

  it('delete asks for the name, leaves no row but the freeze, and nothing writes the account again', async () => {
    expect((await b.run(['delete', '--tenant', tenant, '--name', NAME])).error?.code).to.equal('not_moved');
    const unnamed = await a.run(['delete', '--tenant', tenant, '--name', 'Other']);
    expect(unnamed.error?.code).to.equal('other_name');
    expect((await a.run(['delete', '--tenant', tenant, '--name', NAME])).code).to.equal(0);
    expect(await countRows(a.databaseUrl, tenant, tables)).to.deep.equal(tables.map(() => 0));
    const failure = await rename('Written too late').catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(AccountFrozenError);
  });
});

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
