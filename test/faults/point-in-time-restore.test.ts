/** Restores the operator's own PostgreSQL to a second before a deletion. */
import { expect } from 'chai';
import pg from 'pg';
import { TestClient } from '../support/client.js';
import { SECRET_KEY } from '../support/load/deployment.js';
import { findOtherPostgresFolders } from '../support/load/other-postgres.js';
import { NO_RATE_LIMITS, Processes, type TestProcess } from '../support/load/processes.js';
import { RestorablePostgres } from '../support/load/restorable-postgres.js';
import { eventually } from '../support/poll.js';
import { invoiceInput } from '../support/records/samples.js';
import { getFreePort } from '../support/stores.js';

const INVOICES_BEFORE_BACKUP = 20;
const INVOICES_AFTER_BACKUP = 200;

/** The product over a server of the operator. */
class Product {
  #process: TestProcess | undefined;
  readonly #env: Record<string, string>;

  constructor(
    private readonly processes: Processes,
    readonly origin: string,
    settings: Record<string, string>,
  ) {
    const port = new URL(origin).port;
    this.#env = {
      NODE_ENV: 'test',
      LOG_LEVEL: 'warn',
      DEMO: 'false',
      SECRET_KEY,
      PORT: port,
      ...NO_RATE_LIMITS,
      ...settings,
    };
  }

  async start(): Promise<void> {
    this.#process = this.processes.start({ command: ['node', 'dist/bin/start.js'], env: this.#env });
    await this.#process.waitUntilReady(this.origin);
  }

  async stop(): Promise<void> {
    const end = await this.#process?.stop();
    expect(end, this.#process?.output).to.include({ code: 0 });
  }

  async runTow(...args: string[]) {
    const command = ['node', 'dist/bin/tow.js', ...args, '--json'];
    const { code, stdout, output } = await this.processes.run({ command, env: this.#env });
    expect(code, output).to.equal(0);
    return JSON.parse(stdout).data;
  }
}

describe("a restore of the operator's own PostgreSQL to a point in time", function () {
  this.timeout(300_000);
  const [programs] = findOtherPostgresFolders();
  const processes = new Processes();
  let postgres: RestorablePostgres;
  let product: Product;

  before(async function () {
    if (!programs) {
      if (process.env.CI) throw new Error('this test needs a PostgreSQL server in /usr/lib/postgresql');
      return this.skip();
    }
    postgres = await RestorablePostgres.start(programs);
    await query('postgres', "create role tow login createrole password 'secret'");
    await query('postgres', 'create database tow owner tow');
    product = new Product(processes, `http://127.0.0.1:${await getFreePort()}`, {
      DATABASE_URL: postgres.buildUrl('tow', 'tow'),
      DATA_DIR: await processes.createFolder(),
    });
  });
  after(() => processes.endAll(() => postgres?.end()));

  /** Runs a query as the superuser, and returns its rows. */
  async function query(database: string, text: string, values: unknown[] = []) {
    const client = new pg.Client({ connectionString: postgres.buildUrl(database) });
    await client.connect();
    return (await client.query(text, values).finally(() => client.end())).rows;
  }

  /** Closes the segment of the WAL that is being written, and waits until it is archived. */
  async function archiveLastSegment(): Promise<void> {
    const [{ name }] = await query('postgres', 'select pg_walfile_name(pg_current_wal_lsn()) as name');
    await query('postgres', 'select pg_switch_wal()');
    await eventually('the archived segment', async () => {
      const [archiver] = await query('postgres', 'select last_archived_wal as last from pg_stat_archiver');
      return archiver.last >= name;
    });
  }

  it('an invoice deleted by mistake is back, later writes are gone, and the service runs on', async () => {
    await product.start();
    const tenant = await product.runTow('tenants', 'create', '--name', 'Restored Towing');
    const { key } = await product.runTow(
      'keys',
      'create',
      '--tenant',
      tenant.id,
      '--name',
      'test',
      '--permissions',
      'read,write',
    );
    const client = new TestClient(product.origin, key);
    const createInvoices = async (count: number) => {
      const ids: string[] = [];
      for (let nth = 0; nth < count; nth += 1) {
        const { status, body } = await client.post('/invoices', invoiceInput());
        expect(status).to.equal(201);
        ids.push(body.id);
      }
      return ids;
    };
    const ids = await createInvoices(INVOICES_BEFORE_BACKUP);
    const beforeBackup = performance.now();
    await postgres.takeBaseBackup();
    const backupMs = performance.now() - beforeBackup;
    ids.push(...(await createInvoices(INVOICES_AFTER_BACKUP)));
    const [{ time }] = await query('tow', 'select clock_timestamp()::text as time');
    const victim = ids.at(-1) as string;
    const deletion = "set session_replication_role = replica; delete from invoices where id = '%'";
    await query('tow', deletion.replace('%', victim));
    expect((await client.get(`/invoices/${victim}`)).status).to.equal(404);
    const [late = ''] = await createInvoices(1);

    const beforeRestore = performance.now();
    await product.stop();
    await archiveLastSegment();
    await postgres.stop();
    await postgres.restoreTo(time);
    await eventually(
      'the end of the recovery',
      async () => !(await query('postgres', 'select pg_is_in_recovery() as is_recovering'))[0].is_recovering,
    );
    const recoveredMs = performance.now() - beforeRestore;
    await product.start();
    const readyMs = performance.now() - beforeRestore;

    for (const id of ids) expect((await client.get(`/invoices/${id}`)).status).to.equal(200);
    expect((await client.get(`/invoices/${late}`)).status).to.equal(404);
    const { checks } = (await product.runTow('doctor')) as { checks: { name: string; status: string }[] };
    expect(checks.filter(({ status }) => status === 'fail')).to.deep.equal([]);
    expect(checks.find(({ name }) => name === 'migrations')).to.include({ status: 'ok' });
    await createInvoices(1);
    await product.stop();
    const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
    process.stdout.write(
      `  base backup: ${seconds(backupMs)}; from the stop to the restored second: ${seconds(recoveredMs)}, to ready: ${seconds(readyMs)}\n`,
    );
  });
});
