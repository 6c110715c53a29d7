import { expect } from 'chai';
import pg from 'pg';
import type { Json } from '../support/client.js';
import { eventually } from '../support/poll.js';
import { TestStack, type TestTenant } from '../support/stack.js';

describe('exports of several accounts at once', () => {
  let stack: TestStack;
  let owner: pg.Client;

  before(async () => {
    const environment = { EXPORTS_CONCURRENCY: '2', EXPORT_TIMEOUT_MS: '12000' };
    stack = await TestStack.start({ exports: true, environment });
    owner = new pg.Client({ connectionString: stack.databaseUrl });
    await owner.connect();
  });
  after(async () => {
    await owner.end();
    await stack.stop();
  });

  const start = async ({ client }: TestTenant, resource: string): Promise<Json> => {
    const answer = await client.post('/exports', { resource, format: 'csv' });
    expect(answer.status, answer.text).to.equal(202);
    return answer.body;
  };
  const read = async ({ client }: TestTenant, { id }: Json): Promise<Json> =>
    (await client.get(`/exports/${id}`)).body;
  const isIn = (tenant: TestTenant, one: Json, status: string) =>
    eventually(`an export that is ${status}`, async () => {
      const record = await read(tenant, one);
      return record.status === status && record;
    });

  it('leave room for a small one, however many huge ones there are, and end when they take too long', async () => {
    const [big, other, small] = await Promise.all([1, 2, 3].map(() => stack.createTenant()));
    const [one, two, three] = [big, other, small] as [TestTenant, TestTenant, TestTenant];
    // Nobody can be told how large it is while the table is locked, so both count as large; and they do not come to their end.
    await owner.query('begin; lock table inspections in access exclusive mode');
    const huge = await Promise.all(Array.from({ length: 10 }, () => start(one, 'inspections')));
    const second = await start(two, 'inspections');
    const statuses = async () =>
      (await Promise.all(huge.map((each) => read(one, each)))).map(({ status }) => status);
    const running = await eventually('one of them to run', async () => {
      const index = (await statuses()).indexOf('running');
      return index >= 0 && huge[index];
    });
    await isIn(three, await start(three, 'customers'), 'completed');
    expect((await statuses()).filter((status) => status === 'running')).to.have.length(1);
    expect((await read(two, second)).status).to.equal('queued');
    const failed = await isIn(one, running, 'failed');
    expect(failed.error.code).to.equal('timed_out');
    await owner.query('rollback');
    await isIn(two, second, 'completed');
    const left = huge.filter(({ id }) => id !== running.id);
    await Promise.all(
      left.map((each) =>
        eventually('its end', async () => ['completed', 'failed'].includes((await read(one, each)).status)),
      ),
    );
  }).timeout(120_000);

  it('are ten of an account at most, also of those that are asked for at the same moment', async () => {
    const tenant = await stack.createTenant();
    await owner.query('begin; lock table inspections in access exclusive mode');
    try {
      const answers = await Promise.all(
        Array.from({ length: 14 }, () =>
          tenant.client.post('/exports', { resource: 'inspections', format: 'csv' }),
        ),
      );
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses).to.deep.equal([...Array(10).fill(202), ...Array(4).fill(409)]);
    } finally {
      await owner.query('rollback');
    }
  }).timeout(60_000);
});
