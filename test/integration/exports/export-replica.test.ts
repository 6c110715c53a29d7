import { chmodSync, mkdtempSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../bin/embedded-postgres/start.js';
import { migrate } from '../../../migrations/migrate.js';
import { isReplicaCurrent } from '../../../shared/platform/postgres/replica.js';
import { getAppRole } from '../../../shared/platform/postgres/session.js';
import { openSnapshot } from '../../../shared/platform/postgres/snapshot.js';
import { chooseSource } from '../../../workers/exports/source.js';
import { Replica } from '../../support/load/replica.js';
import { eventually } from '../../support/poll.js';
import { invoiceInput } from '../../support/records/samples.js';
import { TestStack, type TestTenant } from '../../support/stack.js';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

describe('exports from a replica', function () {
  this.timeout(120_000);
  let dataDir: string;
  let primary: EmbeddedPostgres;
  let replica: Replica;
  let replicaUrl: string;
  let stack: TestStack;
  let tenant: TestTenant;

  before(async function () {
    // The test finds the PostgreSQL executable through /proc.
    if (process.platform !== 'linux') this.skip();
    dataDir = mkdtempSync(join(tmpdir(), 'tow-primary-'));
    chmodSync(dataDir, 0o755);
    primary = await startEmbeddedPostgres({ dataDir, logger: silent });
    const { databaseUrl, superuserUrl } = primary;
    await migrate({ databaseUrl, appRole: getAppRole(databaseUrl), withQueue: true });
    replica = await Replica.start(superuserUrl, readlinkSync(`/proc/${primary.pid()}/exe`));
    replicaUrl = replica.toReplicaUrl(databaseUrl);
    const environment = { DATABASE_REPLICA_URL: replicaUrl };
    stack = await TestStack.start({ exports: true, databaseUrl, environment });
    tenant = await stack.createTenant();
  });
  after(async () => {
    await stack?.stop();
    await replica?.stop();
    await primary?.stop();
    if (dataDir) rmSync(dataDir, { recursive: true, force: true });
  });

  const queryReplica = async <T>(sql: string): Promise<T[]> => {
    const client = new pg.Client({ connectionString: replica.toReplicaUrl(primary.superuserUrl) });
    await client.connect();
    return client
      .query(sql)
      .then(({ rows }) => rows)
      .finally(() => client.end());
  };
  const readCurrentLsn = async (): Promise<string> => {
    const [row] = await stack.runtime.db.query<{ lsn: string }>({
      text: 'select pg_current_wal_lsn()::text as lsn',
    });
    return row?.lsn as string;
  };
  const createInvoice = async (): Promise<string> =>
    (await tenant.client.post('/invoices', invoiceInput())).body.id;

  it('an export reads from the replica once it has replayed all commits before the request', async () => {
    const id = await createInvoice();
    const walLsn = await readCurrentLsn();
    expect(await chooseSource(stack.runtime, { tries: 1, walLsn })).to.equal(replicaUrl);
    const snapshot = await openSnapshot({
      databaseUrl: replicaUrl,
      tenantId: tenant.id,
      applicationName: 'test',
      queryTimeoutMs: 10_000,
    });
    const [server] = await snapshot.query<{ is_replica: boolean }>({
      text: 'select pg_is_in_recovery() as is_replica',
    });
    const rows = await text(snapshot.copy({ text: 'select id from invoices' }, 'format csv'));
    await snapshot.close();
    expect([server?.is_replica, rows]).to.deep.equal([true, `${id}\n`]);
  });

  it('the exports worker writes whole exports from the replica', async () => {
    const id = await createInvoice();
    const owner = new pg.Client({ connectionString: primary.databaseUrl });
    await owner.connect();
    // The replica repeats this exclusive lock, so the export below must wait for the table.
    await owner.query('begin; lock table inspections in access exclusive mode');
    const blocked = await tenant.client.post('/exports', { resource: 'inspections', format: 'csv' });
    expect(blocked.status).to.equal(202);
    const SESSIONS = "select pid from pg_stat_activity where application_name = 'tow-snapshot'";
    await eventually(
      "the export's session on the replica",
      async () => (await queryReplica(SESSIONS)).length === 1,
    );
    await owner.query('rollback');
    await owner.end();
    const { body } = await tenant.client.post('/exports', {
      resource: 'invoices',
      format: 'ndjson',
      compression: 'none',
    });
    const record = await eventually('the export to complete', async () => {
      const response = await tenant.client.get(`/exports/${body.id}`);
      return response.body.status === 'completed' && response.body;
    });
    expect(await (await fetch(record.download_url)).text()).to.include(id);
  });

  it('an export reads from the primary if the replica is behind or unreachable, and on every later try', async () => {
    await queryReplica('select pg_wal_replay_pause()');
    try {
      await createInvoice();
      const walLsn = await readCurrentLsn();
      expect(await isReplicaCurrent(replicaUrl, { lsn: walLsn, timeoutMs: 300 })).to.equal(false);
      expect(await chooseSource(stack.runtime, { tries: 1, walLsn })).to.equal(primary.databaseUrl);
    } finally {
      await queryReplica('select pg_wal_replay_resume()');
    }
    const walLsn = await readCurrentLsn();
    expect(await chooseSource(stack.runtime, { tries: 2, walLsn })).to.equal(primary.databaseUrl);
    const unreachable = {
      ...stack.runtime,
      config: { ...stack.runtime.config, databaseReplicaUrl: 'postgres://tow:x@127.0.0.1:1/tow' },
    };
    expect(await chooseSource(unreachable, { tries: 1, walLsn })).to.equal(primary.databaseUrl);
    // DATABASE_REPLICA_URL may name the primary, which is always current.
    expect(await isReplicaCurrent(primary.databaseUrl, { lsn: walLsn, timeoutMs: 0 })).to.equal(true);
  });
});
