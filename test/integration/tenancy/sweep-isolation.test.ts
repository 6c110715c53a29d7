import { expect } from 'chai';
import { newId } from '../../../shared/platform/ids.js';
import { getAppRole } from '../../../shared/platform/postgres/session.js';
import { SCHEDULES } from '../../../workers/clock/processor.js';
import { sweepTenantSet, sweepTenants } from '../../../workers/sweeps/sweep-tenants.js';
import type { TestClient } from '../../support/client.js';
import { createClockTasks, findTasksWithout, poisonTenant, type RunTask } from '../../support/clock.js';
import { eventually } from '../../support/poll.js';
import { createClaimAfter } from '../../support/records/lifecycle-records.js';
import { invoiceInput } from '../../support/records/samples.js';
import type { TestTenant } from '../../support/stack.js';
import { useOwnStack } from '../../support/use-stack.js';

const DAY_MS = 86_400_000;
const daysFromNow = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
/** The schedules that sweep no tenants. */
const WITHOUT_TENANTS = ['keep-partitions'];

/** An account with records that become due only as time passes. */
interface Waiting {
  tenant: TestTenant;
  invoiceId: string;
  impoundId: string;
  scheduleId: string;
  claimId: string;
}

describe('sweeps over all accounts', () => {
  const stack = useOwnStack();
  let run: RunTask;

  before(async () => {
    run = createClockTasks(stack.runtime);
  });

  const setZone = (tenantId: string, zone: string) =>
    stack.rows(tenantId, 'update tenants set time_zone = $2 where tenant_id = $1', [tenantId, zone]);

  async function createOverdueInvoice(client: TestClient): Promise<string> {
    const { body } = await client.post(
      '/invoices',
      invoiceInput({ billing_email: 'b@example.com', due_date: daysFromNow(-3) }),
    );
    await client.post(`/invoices/${body.id}/approve`, {});
    await client.post(`/invoices/${body.id}/send`, {});
    return body.id;
  }

  async function createDueRecords(tenant: TestTenant): Promise<Waiting> {
    const { id, client } = tenant;
    const invoiceId = await createOverdueInvoice(client);
    const impound = await client.post('/impounds', { daily_rate_cents: 4500 });
    const schedule = await client.post('/export-schedules', {
      resource: 'invoices',
      format: 'csv',
      cadence: 'daily',
      hour: 4,
    });
    const claim = await createClaimAfter(client, [], { invoice: { service_date: daysFromNow(-56) } });
    const backdate = (text: string, record: string) => stack.rows(id, text, [id, record]);
    await backdate(
      "update impounds set impounded_at = impounded_at - interval '2 days' where tenant_id = $1 and id = $2",
      impound.body.id,
    );
    await backdate(
      "update export_schedules set next_run_at = now() - interval '1 minute' where tenant_id = $1 and id = $2",
      schedule.body.id,
    );
    return {
      tenant,
      invoiceId,
      impoundId: impound.body.id,
      scheduleId: schedule.body.id,
      claimId: claim.id,
    };
  }

  it('an account whose time zone PostgreSQL does not know stops the sweeps of no other account', async () => {
    const sound = await Promise.all([1, 2, 3].map(async () => createDueRecords(await stack.createTenant())));
    const bad = await createDueRecords(await stack.createTenant());
    await setZone(bad.tenant.id, 'SST');
    for (const task of ['mark-overdue', 'accrue-storage', 'run-export-schedules', 'watch-claims'])
      await run(task);
    for (const { tenant, invoiceId, impoundId, scheduleId, claimId } of sound) {
      const read = async (path: string) => (await tenant.client.get(path)).body;
      await eventually(
        'the invoice is overdue',
        async () => (await read(`/invoices/${invoiceId}`)).status === 'overdue',
      );
      await eventually('storage has accrued', async () => {
        const [row] = await stack.rows<{ accrued_days: number }>(
          tenant.id,
          'select accrued_days from impounds where tenant_id = $1 and id = $2',
          [tenant.id, impoundId],
        );
        return (row?.accrued_days ?? 0) > 1;
      });
      await eventually(
        'the export is created',
        async () => (await read(`/export-schedules/${scheduleId}`)).last_export_id !== null,
      );
      await eventually('the deadline is suggested', async () => {
        const { data } = await read(`/suggestions?entity_type=claim&entity_id=${claimId}`);
        return data.items.length === 1;
      });
      expect(await findTasksWithout(stack, tenant.id)).to.deep.equal([]);
    }
    expect(await findTasksWithout(stack, bad.tenant.id)).to.deep.equal([
      'accrue-storage',
      'mark-overdue',
      'run-export-schedules',
      'watch-claims',
    ]);
    await setZone(bad.tenant.id, 'UTC');
  });

  it('a sweep includes an account again and deletes its sweep_faults row once its time zone is fixed', async () => {
    const { id, client } = await stack.createTenant();
    const invoiceId = await createOverdueInvoice(client);
    await setZone(id, 'CAT');
    await run('mark-overdue');
    expect(await findTasksWithout(stack, id)).to.deep.equal(['mark-overdue']);
    const patched = await client.patch('/settings', { time_zone: 'Africa/Maputo' });
    expect(patched.status, patched.text).to.equal(200);
    await run('mark-overdue');
    expect(await findTasksWithout(stack, id)).to.deep.equal([]);
    await eventually(
      'the invoice is overdue',
      async () => (await client.get(`/invoices/${invoiceId}`)).body.status === 'overdue',
    );
  });

  for (const { name: task } of SCHEDULES.filter(({ name }) => !WITHOUT_TENANTS.includes(name))) {
    it(`the schedule ${task} skips one failing account and no other`, async () => {
      const [sound, poisoned, alsoSound] = await Promise.all([1, 2, 3].map(() => stack.createTenant()));
      const swept = new Set<string>();
      const db = poisonTenant(stack.runtime.db, poisoned?.id as string, (tenantIds) => {
        for (const id of tenantIds) swept.add(id);
      });
      await createClockTasks({ ...stack.runtime, db })(task);
      const all = await stack.runtime.db.listTenantIds();
      expect(all.filter((id) => !swept.has(id))).to.deep.equal([poisoned?.id]);
      expect([sound, alsoSound].every((one) => swept.has(one?.id as string))).to.equal(true);
      expect(await findTasksWithout(stack, poisoned?.id as string)).to.deep.equal([task]);
      // With the real database, the account's sweep succeeds again. A schedule that repeats its
      // sweep may have failed twice. Its next try is then due a moment later, so run it again.
      await eventually(`${task} sweeps the account again`, async () => {
        await run(task);
        return (await findTasksWithout(stack, poisoned?.id as string)).length === 0;
      });
    });
  }

  it('purge-expired deletes a sweep_faults row that has not recurred for a day', async () => {
    const { id } = await stack.createTenant();
    await stack.rows(
      id,
      `insert into sweep_faults (tenant_id, task, error, last_failed_at) values
         ($1, 'continue-replay', 'x', now() - interval '25 hours'), ($1, 'watch-exports', 'x', now())`,
      [id],
    );
    await run('purge-expired');
    expect(await findTasksWithout(stack, id)).to.deep.equal(['watch-exports']);
  });

  it('a sweep halves its accounts once, and from then on sweeps the recorded account alone', async () => {
    const tenants = await Promise.all(Array.from({ length: 8 }, () => stack.createTenant()));
    const tenantIds = tenants.map(({ id }) => id);
    const [bad] = tenantIds as [string];
    let failures = 0;
    const runPass = () =>
      sweepTenantSet(stack.runtime, {
        task: 'split-once',
        tenantIds,
        work: async (tx) => {
          const seen = await tx.query<{ tenant_id: string }>({ text: 'select tenant_id from tenants' });
          if (!seen.some(({ tenant_id }) => tenant_id === bad)) return;
          failures += 1;
          await tx.query({ text: 'select 1 / 0' });
        },
      });
    await runPass();
    expect(failures, 'of 8, 4, 2 and 1 accounts').to.equal(4);
    await runPass();
    expect(failures).to.equal(5);
  });

  /** Runs `work` while the queue's store refuses new jobs but otherwise responds. */
  async function withFullQueue<T>(work: () => Promise<T>): Promise<T> {
    const { redis } = stack.runtime;
    const role = getAppRole(stack.databaseUrl);
    const limitRedis = (bytes: number) => redis?.fast.config('SET', 'maxmemory', bytes);
    if (redis) await limitRedis(1);
    else await stack.runAsOwner(`revoke insert on all tables in schema bullmq from ${role}`);
    try {
      return await work();
    } finally {
      if (redis) await limitRedis(0);
      else await stack.runAsOwner(`grant insert on all tables in schema bullmq to ${role}`);
    }
  }

  it('a sweep fails as a whole and records no account when the queue refuses jobs', async () => {
    const { id, client } = await stack.createTenant();
    await createOverdueInvoice(client);
    const failure = await withFullQueue(() => run('mark-overdue').catch((error: Error) => error));
    expect(failure).to.be.instanceOf(Error);
    expect(await findTasksWithout(stack, id)).to.deep.equal([]);
  });

  it('a sweep fails as a whole and records no account when it fails for all accounts', async () => {
    const tenantIds = [(await stack.createTenant()).id, (await stack.createTenant()).id];
    const failing = sweepTenantSet(stack.runtime, {
      task: 'fails-for-all',
      tenantIds,
      work: async (tx) => void (await tx.query({ text: 'select from a_table_that_is_not_there' })),
    });
    const failure = await failing.catch((error: Error) => error);
    expect(String(failure)).to.include('a_table_that_is_not_there');
    for (const id of tenantIds) expect(await findTasksWithout(stack, id)).to.deep.equal([]);
  });

  it('a sweep fails as a whole when PostgreSQL ends its session halfway', async () => {
    const { id } = await stack.createTenant();
    const lost = sweepTenants(stack.runtime, `lost-${newId()}`, async (tx) => {
      await tx.query({ text: 'select 1' });
      await stack.runAsOwner(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`,
      );
      await tx.query({ text: 'select 1' });
    });
    expect(
      await lost.then(
        () => 'continued',
        () => 'failed',
      ),
    ).to.equal('failed');
    expect(await findTasksWithout(stack, id)).to.deep.equal([]);
  });
});
