/** Promotes an asynchronous replica of a real PostgreSQL server while the product keeps running. */
import { expect } from 'chai';
import { newId } from '../../../shared/platform/ids.js';
import type { TestResponse } from '../../support/client.js';
import { Failover } from '../../support/load/failover.js';
import { useProcesses } from '../../support/load/processes.js';
import { eventually } from '../../support/poll.js';
import { invoiceInput } from '../../support/records/samples.js';
import { TestStack, type TestTenant } from '../../support/stack.js';
import { IS_SCALED } from '../../support/stores.js';

/** The product looks a second time after 30 s. */
const CHECK_TIMEOUT_MS = 90_000;

interface LostRow {
  command_id: string;
  type: string;
  record_id: string;
  from_timeline: number;
  to_timeline: number;
}

/** A request that a client can repeat. */
class Write {
  private readonly body = invoiceInput();
  private readonly headers = { 'Idempotency-Key': newId() };

  constructor(private readonly tenant: TestTenant) {}

  send(): Promise<TestResponse> {
    return this.tenant.client.post('/invoices', this.body, { headers: this.headers });
  }

  /** Sends the request until it is acknowledged, as a client does, and returns the invoice's id. */
  async sendUntilCreated(): Promise<string> {
    const response = await eventually('the write to be acknowledged', async () => {
      const answer = await this.send();
      return answer.status === 201 && answer;
    });
    return response.body.id;
  }

  get invoiceNumber(): unknown {
    return this.body.invoice_number;
  }
}

interface DoctorCheck {
  name: string;
  status: string;
  detail: string;
}

describe('the promotion of an asynchronous replica of PostgreSQL', function () {
  this.timeout(240_000);
  const processes = useProcesses();
  let servers: Failover;
  let stack: TestStack;
  let tenant: TestTenant;
  let other: TestTenant;
  let checks: { checked: number; lost: number }[];

  beforeEach(async function () {
    // The test finds the PostgreSQL executable through /proc.
    if (process.platform !== 'linux') this.skip();
    servers = await Failover.start();
    stack = await TestStack.start({
      databaseUrl: servers.databaseUrl,
      environment: { WRITE_TIMEOUT_MS: '1000' },
    });
    checks = [];
    stack.runtime.logger.info = (entry: { checked?: number; lost?: number }) => {
      if (entry.checked !== undefined) checks.push({ checked: entry.checked, lost: entry.lost as number });
    };
    tenant = await stack.createTenant();
    other = await stack.createTenant('Other Towing');
  });
  afterEach(async () => {
    await stack?.stop();
    await servers?.stop();
  });

  const createInvoices = (account: TestTenant, count: number) =>
    Promise.all(
      Array.from({ length: count }, async () => {
        const write = new Write(account);
        const { status, body } = await write.send();
        expect(status).to.equal(201);
        return { write, id: body.id as string };
      }),
    );
  const failOver = async () => {
    await servers.promoteReplica();
    servers.leadToReplica();
  };
  const waitForCheck = () =>
    eventually('the check for lost writes to end', () => checks[0], CHECK_TIMEOUT_MS);
  const readLost = (account: TestTenant) =>
    stack.rows<LostRow>(account.id, 'select * from lost_writes where tenant_id = $1', [account.id]);
  const countOnPrimary = async () => {
    const [row] = await servers.queryPrimary<{ count: string }>(
      'select count(*) as count from audit_entries',
    );
    return Number(row?.count);
  };

  const runTow = async (...args: string[]) => {
    const env = {
      NODE_ENV: 'test',
      DATABASE_URL: servers.databaseUrl,
      DATA_DIR: stack.runtime.config.dataDir,
    };
    const redis: Record<string, string> = stack.redisUrl ? { REDIS_URL: stack.redisUrl } : {};
    const command = ['node', 'dist/bin/tow.js', ...args, '--json'];
    const { stdout } = await processes.run({ command, env: { ...env, ...redis } });
    return JSON.parse(stdout).data;
  };
  const diagnose = async (name: string) => {
    const { checks: found } = (await runTow('doctor')) as { checks: DoctorCheck[] };
    return found.find((one) => one.name === name);
  };

  it('acknowledged writes that the replica had not received are recorded, exactly these, and can be repeated', async () => {
    await createInvoices(tenant, 5);
    await servers.waitForReplication();
    servers.holdReplication();
    const lost = await createInvoices(tenant, 4);
    const lostByOther = await createInvoices(other, 1);
    await failOver();
    await eventually(
      'a write on the new primary',
      async () => (await new Write(tenant).send()).status === 201,
    );
    expect((await waitForCheck()).lost).to.equal(5);

    const rows = await readLost(tenant);
    expect(rows.map(({ record_id }) => record_id)).to.have.members(lost.map(({ id }) => id));
    for (const row of rows)
      expect(row).to.include({ type: 'invoice.create', from_timeline: 1, to_timeline: 2 });
    const audited = await servers.queryPrimary<{ id: string }>(
      'select id from audit_entries where tenant_id = $1 and entity_id = any($2)',
      [tenant.id, lost.map(({ id }) => id)],
    );
    expect(rows.map(({ command_id }) => command_id)).to.have.members(audited.map(({ id }) => id));
    expect((await readLost(other)).map(({ record_id }) => record_id)).to.deep.equal([lostByOther[0]?.id]);

    const notices = (await tenant.client.get('/notices?kind=writes_lost')).body.data.items;
    expect(notices).to.have.length(1);
    for (const { id } of lost) expect(notices[0].text).to.include(id);
    const metrics = await stack.runtime.metrics.registry.metrics();
    expect(metrics).to.match(/^tow_lost_writes_total 5$/m);

    const diagnosis = await diagnose('lost_writes');
    expect(diagnosis).to.include({ status: 'fail' });
    expect(diagnosis?.detail).to.include(lost[0]?.id);
    expect((await runTow('lost-writes', 'list')).count).to.equal(5);
    expect(await runTow('lost-writes', 'resolve')).to.deep.equal({ resolved: 5 });
    expect(await diagnose('lost_writes')).to.include({ status: 'ok' });

    for (const { write, id } of lost) {
      expect((await tenant.client.get(`/invoices/${id}`)).status).to.equal(404);
      const again = await write.sendUntilCreated();
      expect(await write.sendUntilCreated()).to.equal(again);
      const { body } = await tenant.client.get(`/invoices/${again}`);
      expect(body.invoice_number).to.equal(write.invoiceNumber);
    }
  });

  it('nothing is recorded if the replica had received every acknowledged write', async () => {
    await createInvoices(tenant, 5);
    await createInvoices(other, 2);
    await servers.waitForReplication();
    await failOver();
    await eventually(
      'a write on the new primary',
      async () => (await new Write(tenant).send()).status === 201,
    );
    const { checked, lost } = await waitForCheck();
    expect(checked).to.be.at.least(8);
    expect(lost).to.equal(0);
    expect(await readLost(tenant)).to.deep.equal([]);
    expect((await tenant.client.get('/notices?kind=writes_lost')).body.data.items).to.deep.equal([]);
  });

  it('an old primary that comes back commits nothing, and the writes happen once on the new one', async () => {
    await createInvoices(tenant, 2);
    await servers.waitForReplication();
    await failOver();
    await new Write(tenant).sendUntilCreated();
    await eventually('the new timeline', () => stack.runtime.primary.newest?.timeline === 2);

    const before = await countOnPrimary();
    servers.leadToOldPrimary();
    const writes = Array.from({ length: 5 }, () => new Write(tenant));
    const answers = await Promise.all(writes.map((write) => write.send()));
    expect(answers.map(({ status }) => status)).to.deep.equal(writes.map(() => 503));
    await eventually(
      'the old primary to be reported',
      () => stack.runtime.primaryWatch.problem !== undefined,
    );
    expect((await fetch(`${stack.origin}/readyz`)).status).to.equal(503);
    expect(await diagnose('primary')).to.include({ status: IS_SCALED ? 'fail' : 'ok' });
    expect(await countOnPrimary()).to.equal(before);

    servers.leadToReplica();
    const ids = await Promise.all(writes.map((write) => write.sendUntilCreated()));
    const numbers = writes.map(({ invoiceNumber }) => invoiceNumber);
    const stored = await servers.queryReplica<{ id: string }>(
      'select id from invoices where tenant_id = $1 and invoice_number = any($2)',
      [tenant.id, numbers],
    );
    expect(stored.map(({ id }) => id)).to.have.members(ids);
    expect(await countOnPrimary()).to.equal(before);
  });

  if (IS_SCALED) {
    it('a process that starts while the address leads to the old primary commits nothing there', async () => {
      await createInvoices(tenant, 1);
      await servers.waitForReplication();
      await failOver();
      await new Write(tenant).sendUntilCreated();
      await eventually('the new timeline in Redis', async () => {
        const system = stack.runtime.primary.newest?.systemIdentifier;
        return (await stack.runtime.redis?.patient.get(`{tow}:primary:${system}`)) === '2';
      });

      servers.leadToOldPrimary();
      const before = await countOnPrimary();
      const started = await TestStack.start({
        previousStack: stack,
        environment: { WRITE_TIMEOUT_MS: '1000' },
      });
      try {
        const write = started.createClient(tenant.client.key);
        const answer = await write.post('/invoices', invoiceInput());
        expect(answer.status).to.equal(503);
        expect(started.runtime.primary.newest?.timeline).to.equal(2);
        expect(await countOnPrimary()).to.equal(before);
      } finally {
        await started.stop();
      }
    });
  }
});
