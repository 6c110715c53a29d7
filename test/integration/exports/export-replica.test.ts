import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import pg from 'pg';
import { openSnapshot } from '../../../shared/platform/postgres/snapshot.js';
import { isReplicaCurrent } from '../../../shared/platform/replica/await-replay.js';
import { chooseSource } from '../../../workers/exports/source.js';
import { eventually } from '../../support/poll.js';
import { invoiceInput } from '../../support/records/samples.js';
import { useReplicatedStack } from '../../support/replica/replicated-stack.js';
import type { TestStack, TestTenant } from '../../support/stack.js';

describe('exports from a replica', function () {
  this.timeout(120_000);
  const replicated = useReplicatedStack();
  let replicaUrl: string;
  let stack: TestStack;
  let tenant: TestTenant;

  before(async () => {
    ({ stack, replicaUrl } = replicated);
    tenant = await stack.createTenant();
  });

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
    const owner = new pg.Client({ connectionString: replicated.primary.databaseUrl });
    await owner.connect();
    // The replica repeats this exclusive lock, so the export below must wait for the table.
    await owner.query('begin; lock table inspections in access exclusive mode');
    const blocked = await tenant.client.post('/exports', { resource: 'inspections', format: 'csv' });
    expect(blocked.status).to.equal(202);
    const SESSIONS = "select pid from pg_stat_activity where application_name = 'tow-snapshot'";
    await eventually(
      "the export's session on the replica",
      async () => (await replicated.queryReplica(SESSIONS)).length === 1,
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
    const { databaseUrl } = replicated.primary;
    await replicated.whileBehind(async () => {
      await createInvoice();
      const walLsn = await readCurrentLsn();
      expect(await isReplicaCurrent(replicaUrl, { lsn: walLsn, timeoutMs: 300 })).to.equal(false);
      expect(await chooseSource(stack.runtime, { tries: 1, walLsn })).to.equal(databaseUrl);
    });
    const walLsn = await readCurrentLsn();
    expect(await chooseSource(stack.runtime, { tries: 2, walLsn })).to.equal(databaseUrl);
    const unreachable = {
      ...stack.runtime,
      config: { ...stack.runtime.config, databaseReplicaUrl: 'postgres://tow:x@127.0.0.1:1/tow' },
    };
    expect(await chooseSource(unreachable, { tries: 1, walLsn })).to.equal(databaseUrl);
    // DATABASE_REPLICA_URL may name the primary, which is always current.
    expect(await isReplicaCurrent(databaseUrl, { lsn: walLsn, timeoutMs: 0 })).to.equal(true);
  });
});
