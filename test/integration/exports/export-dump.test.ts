import { createHash } from 'node:crypto';
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { expect } from 'chai';
import type pg from 'pg';
import { newId } from '../../../shared/platform/ids.js';
import { openSnapshot } from '../../../shared/platform/postgres/snapshot.js';
import type { ExportSummary } from '../../../shared/resources/exports/request/export-request.js';
import { INCLUDED_TABLES } from '../../../workers/exports/dump/contents.js';
import { writeDump } from '../../../workers/exports/dump/write-dump.js';
import {
  findOtherPostgresFolders,
  IS_PSQL_MISSING,
  OtherPostgres,
  runPsql,
} from '../../support/load/other-postgres.js';
import { eventually } from '../../support/poll.js';
import { createCanaryRecords } from '../../support/records/canary-records.js';
import type { TestStack, TestTenant } from '../../support/stack.js';
import { createEmptyDatabase } from '../../support/stores.js';
import { useStack } from '../../support/use-stack.js';
import { TEST_VENDORS } from '../../support/vendors/texting.js';
import { fillTables, listTables, withPgClient } from '../../support/writes/rows.js';

const INCLUDED = Object.entries(INCLUDED_TABLES);

/**
 * The account's name, which the dump contains in a comment. A line break in this name must not
 * start a line that psql would run.
 */
const NAME = 'Evil "Towing" \\ Söhne\n\\! false\n\\q\nselect 1/0; -- 🚛';
const AWKWARD_TEXTS = [
  '\\.',
  '\n\\.\n',
  '\\N',
  'a\tb\rc\nd\\n\\\\e\u000b\f\b',
  `'; drop table invoices; -- :name :'name' $$`,
  '\\! touch /tmp/never',
  'ÄÖ 日本語 🚛 \u2028 \u0001',
  ' ',
];

/** These queries return secret values, encoded as in a dump. The dump must contain none of them. */
const SECRETS = [
  'select password_hash as value from users',
  `select encode(key_hash, 'hex') as value from api_keys`,
  'select headers_sealed as value from webhook_endpoints where headers_sealed is not null',
  'select secret_sealed as value from webhook_secrets',
  `select encode(token_hash, 'hex') as value from sessions`,
];

describe('SQL dumps', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tow-dump-'));
  const file = join(folder, 'dump.sql');
  const canaries = { mine: `mine-${newId()}`, other: `other-${newId()}` };
  const stack = useStack({ vendors: TEST_VENDORS });
  let mine: TestTenant;
  let other: TestTenant;
  let summary: ExportSummary;
  let text: string;
  let progress: number;
  /** For each included table: its row count and a hash of all its values. */
  let source: Record<string, string>;

  const openTenantSnapshot = (tenantId: string) =>
    openSnapshot({
      databaseUrl: stack.databaseUrl,
      tenantId,
      applicationName: 'dump-test',
      queryTimeoutMs: 30_000,
    });
  const writeDumpTo = async (tenantId: string, to: string) => {
    const snapshot = await openTenantSnapshot(tenantId);
    return writeDump(snapshot, createWriteStream(to), { tenantId }).finally(() => snapshot.close());
  };

  before(async () => {
    mine = await stack.createTenant();
    other = await stack.createTenant('Other Towing');
    for (const [tenant, canary] of [
      [mine, canaries.mine],
      [other, canaries.other],
    ] as const) {
      await createCanaryRecords(tenant.client, { canary, isLive: true });
      // Rename the existing invoices, so that `fillTables` can insert invoices without repeating a
      // number.
      await stack.rows(
        tenant.id,
        `update invoices set invoice_number = 'C-' || invoice_number where tenant_id = $1`,
        [tenant.id],
      );
      await withPgClient(stack.databaseUrl, async (client) => {
        // A row in frozen_accounts would keep the product from writing.
        const existing = ['tenants', 'tenant_counters', 'frozen_accounts'];
        const tables = (await listTables(client)).filter((table) => !existing.includes(table));
        await fillTables(client, tables, tenant.id);
      });
    }
    await addAwkwardRows(stack, mine.id);
    const snapshot = await openTenantSnapshot(mine.id);
    source = await withPgClient(stack.databaseUrl, (client) => digestTables(client, mine.id));
    // Change rows after the snapshot was taken. The dump must not contain these changes.
    await stack.rows(mine.id, `update customers set city = 'changed later' where tenant_id = $1`, [mine.id]);
    await stack.rows(mine.id, 'delete from claims where tenant_id = $1', [mine.id]);
    const onProgress = (rows: number) => {
      progress = rows;
    };
    summary = await writeDump(snapshot, createWriteStream(file), { tenantId: mine.id, onProgress });
    await snapshot.close();
    text = readFileSync(file, 'utf8');
  });
  after(async () => {
    rmSync(folder, { recursive: true, force: true });
  });

  async function expectRestored(databaseUrl: string): Promise<void> {
    expect(await runPsql(databaseUrl, file)).to.deep.equal({ code: 0, output: '' });
    await withPgClient(databaseUrl, async (client) => {
      expect(await listTables(client)).to.have.members(Object.keys(INCLUDED_TABLES));
      expect(await digestTables(client, mine.id)).to.deep.equal(source);
      const { rows } = await client.query(
        `select conname from pg_constraint where connamespace = 'public'::regnamespace and contype = 'f' and convalidated`,
      );
      expect(rows.length)
        .to.equal(text.match(/ FOREIGN KEY /g)?.length)
        .and.to.be.above(15);
      const [tenant] = (await client.query('select tenant_id, name from tenants')).rows;
      expect(tenant).to.deep.equal({ tenant_id: mine.id, name: NAME });
      await expectSameColumns(client);
    });
  }

  async function expectSameColumns(restored: pg.Client): Promise<void> {
    const sourceColumns = await withPgClient(stack.databaseUrl, readColumns);
    const restoredColumns = await readColumns(restored);
    const expectedColumns = sourceColumns.filter(({ table, column }) =>
      INCLUDED_TABLES[table]?.columns.includes(column),
    );
    expect(restoredColumns).to.deep.equal(expectedColumns);
  }

  it('psql restores a dump into an empty database with every row, key and column of the snapshot', async function () {
    if (IS_PSQL_MISSING) this.skip();
    await expectRestored(await createEmptyDatabase());
  });

  for (const programs of findOtherPostgresFolders()) {
    it(`psql restores a dump into the PostgreSQL of ${programs}`, async function () {
      if (IS_PSQL_MISSING) this.skip();
      const server = await OtherPostgres.start(programs);
      await expectRestored(server.databaseUrl).finally(() => server.stop());
    });
  }

  it('a dump changes nothing in a database that is not empty', async function () {
    if (IS_PSQL_MISSING) this.skip();
    const databaseUrl = await createEmptyDatabase();
    await withPgClient(databaseUrl, async (client) => {
      await client.query('create table trucks (mine integer)');
      const { code, output } = await runPsql(databaseUrl, file);
      expect(code, output).to.equal(3);
      expect(output).to.include('relation "trucks" already exists');
      expect(await listTables(client)).to.deep.equal(['trucks']);
    });
  });

  it('psql restores a dump of a sandbox account without its live account', async function () {
    if (IS_PSQL_MISSING) this.skip();
    const sandboxFile = join(folder, 'sandbox.sql');
    await writeDumpTo(mine.sandboxId, sandboxFile);
    expect(await runPsql(await createEmptyDatabase(), sandboxFile)).to.deep.equal({ code: 0, output: '' });
  });

  it('the test dump has rows in every table', () => {
    expect(summary.files.filter(({ rows }) => rows === 0)).to.deep.equal([]);
    expect(summary.files.map(({ name }) => name)).to.deep.equal(Object.keys(INCLUDED_TABLES));
  });

  it('a dump contains nothing of another account', () => {
    expect(text).to.include(mine.id).and.to.include(canaries.mine);
    for (const foreign of [other.id, other.sandboxId, canaries.other, 'Other Towing'])
      expect(text).to.not.include(foreign);
  });

  it('a dump contains no secret', async () => {
    for (const query of SECRETS) {
      const rows = await stack.rows<{ value: string }>(mine.id, query);
      expect(rows.length, query).to.be.above(0);
      for (const { value } of rows) expect(text.includes(value), query).to.equal(false);
    }
  });

  it('the summary of a dump has rows, bytes, hash and sums of cents for each table', async () => {
    for (const { name, rows, bytes, sha256, sums } of summary.files) {
      const data = text.split(new RegExp(`\\nCOPY public\\."${name}" .*\\n`))[1]?.split(/^\\\.\n/m)[0] ?? '';
      const copyData = Buffer.from(data);
      expect({ rows, bytes, sha256 }, name).to.deep.equal({
        rows: Number(source[name]?.split(' ')[0]),
        bytes: copyData.length,
        sha256: createHash('sha256').update(copyData).digest('hex'),
      });
      expect(text).to.include(`\n--   ${name}: ${rows}\n`);
      const cents = INCLUDED_TABLES[name]?.columns.filter((column) => column.endsWith('_cents'));
      expect(Object.keys(sums), name).to.have.members(cents ?? []);
    }
    const sums = summary.files.find(({ name }) => name === 'invoices')?.sums ?? {};
    const [row] = await stack.rows<Record<string, string>>(
      mine.id,
      'select sum(total_cents) as total_cents, sum(balance_due_cents) as balance_due_cents from invoices where tenant_id = $1',
      [mine.id],
    );
    expect(sums.total_cents).to.equal(Number(row?.total_cents)).and.to.be.above(100_000_000_000);
    expect(sums.balance_due_cents).to.equal(Number(row?.balance_due_cents));
    const rows = summary.files.reduce((sum, one) => sum + one.rows, 0);
    expect({ progress, summary: summary.rows }).to.deep.equal({ progress: rows, summary: rows });
  });

  it('an aborted dump ends immediately and closes its session', async () => {
    const snapshot = await openTenantSnapshot(mine.id);
    const controller = new AbortController();
    let chunks = 0;
    const stalled = new Writable({
      write: () => {
        chunks += 1;
      },
    });
    const options = { tenantId: mine.id, signal: controller.signal };
    const ended = writeDump(snapshot, stalled, options).then(
      () => undefined,
      (error: Error) => error,
    );
    const countSessions = async () =>
      (await stack.rows(mine.id, `select from pg_stat_activity where application_name = 'dump-test'`)).length;
    await eventually('the first chunk arrives', () => chunks > 0);
    await eventually('only its own session is left', async () => (await countSessions()) === 1);
    controller.abort();
    expect((await ended)?.name).to.equal('AbortError');
    expect(stalled.destroyed).to.equal(true);
    await snapshot.close();
    await eventually('its session ends', async () => (await countSessions()) === 0);
  });

  it('a dump fails when it cannot be written or its account does not exist', async () => {
    const fullDisk = new Writable({ write: (_piece, _encoding, done) => done(new Error('no space left')) });
    const snapshot = await openTenantSnapshot(mine.id);
    const failed = await writeDump(snapshot, fullDisk, { tenantId: mine.id }).catch((error: Error) => error);
    expect(failed).to.be.an('error').with.property('message', 'no space left');
    await snapshot.close();
    const unknownId = newId();
    const missing = await writeDumpTo(unknownId, join(folder, 'none.sql')).catch((error: Error) => error);
    expect(missing).to.be.an('error').with.property('message').that.includes(unknownId);
  });
});

async function addAwkwardRows(stack: TestStack, tenantId: string): Promise<void> {
  const rows = (sql: string, values: unknown[] = []) => stack.rows(tenantId, sql, [tenantId, ...values]);
  await rows('update tenants set name = $2 where tenant_id = $1', [NAME]);
  await rows(
    `insert into customers (tenant_id, id, company_name, company_type, address, city)
     select $1, gen_random_uuid(), t, 'motor_club', '', null from unnest($2::text[]) t`,
    [AWKWARD_TEXTS],
  );
  await rows(
    `insert into drivers (tenant_id, id, name, duty_classes) values ($1, $2, '', $3), ($1, $4, 'none', '{}')`,
    [newId(), [...AWKWARD_TEXTS, 'a,b', '{c}', '"d"', 'NULL', null, ''], newId()],
  );
  await rows(
    `insert into trucks (tenant_id, id, unit_number, duty_class, lat, lng, heading, speed_mph, located_at)
     values ($1, $2, '\\.', 'light', 0.1::float8 + 0.2, 'NaN', '-Infinity', 5e-324, 'infinity'),
            ($1, $3, '\\', 'light', 1e308, -0.0, 1::float8 / 3, null, '0044-03-15 12:00:00.123456 BC')`,
    [newId(), newId()],
  );
  await rows(
    `insert into inspections (tenant_id, id, kind, result, vehicle, items) values ($1, $2, 'pre_trip', 'pass', 'null', $3)`,
    [newId(), JSON.stringify(AWKWARD_TEXTS.map((value) => ({ [value]: [value, null, 1.5e300, {}] })))],
  );
  const invoice = newId();
  await rows(
    `insert into invoices (tenant_id, id, invoice_number, subtotal_cents, tax_cents, total_cents, notes)
     values ($1, $2, 'BIG', 100000000000, 0, 100000000000, '')`,
    [invoice],
  );
  await rows(
    `insert into invoice_line_items (tenant_id, invoice_id, position, id, name, category, quantity, unit_type, unit_price_cents, total_cents,
       taxable) values ($1, $2, 1, $2, '', 'tow', 123456789012345678901234567890.000000000000000000010, 'each', -9223372036854775808, 9223372036854775807, true)`,
    [invoice],
  );
}

/**
 * Returns, for each included table, the number of the tenant's rows and a hash of their included
 * columns.
 */
async function digestTables(client: pg.Client, tenantId: string): Promise<Record<string, string>> {
  await client.query(`set timezone = 'UTC'; set app.tenant_ids = '${tenantId}'`);
  const digests: Record<string, string> = {};
  for (const [table, { columns }] of INCLUDED) {
    const names = columns.map((column) => `"${column}"`).join(', ');
    const { rows } = await client.query<{ digest: string }>(
      `select count(*) || ' ' || coalesce(md5(string_agg(row, E'\\n' order by row)), '') as digest from
         (select to_jsonb(t)::text collate "C" as row from (select ${names} from public."${table}" where tenant_id = $1) t) r`,
      [tenantId],
    );
    digests[table] = rows[0]?.digest ?? '';
  }
  return digests;
}

async function readColumns(client: pg.Client): Promise<{ table: string; column: string }[]> {
  const { rows } = await client.query<{ table: string; column: string }>(
    `select c.relname::text as "table", a.attname::text as "column", format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as "notNull",
       a.attgenerated::text as generated, pg_get_expr(d.adbin, d.adrelid) as expression
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') order by c.relname::text collate "C", a.attnum`,
  );
  return rows;
}
