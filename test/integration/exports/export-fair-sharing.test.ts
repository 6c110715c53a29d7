import { expect } from 'chai';
import pg from 'pg';
import type { Json } from '../../support/client.js';
import { eventually } from '../../support/poll.js';
import type { TestTenant } from '../../support/stack.js';
import { useOwnStack } from '../../support/use-stack.js';

describe('fair sharing of exports between accounts', () => {
  const stack = useOwnStack({
    exports: true,
    environment: { EXPORTS_CONCURRENCY: '2', EXPORT_TIMEOUT_MS: '12000' },
  });
  let owner: pg.Client;

  before(async () => {
    owner = new pg.Client({ connectionString: stack.databaseUrl });
    await owner.connect();
  });
  after(() => owner.end());

  const start = async ({ client }: TestTenant, resource: string): Promise<Json> => {
    const response = await client.post('/exports', { resource, format: 'csv' });
    expect(response.status, response.text).to.equal(202);
    return response.body;
  };
  const read = async ({ client }: TestTenant, { id }: Json): Promise<Json> =>
    (await client.get(`/exports/${id}`)).body;
  const waitForStatus = (tenant: TestTenant, exportRecord: Json, status: string) =>
    eventually(`an export that is ${status}`, async () => {
      const record = await read(tenant, exportRecord);
      return record.status === status && record;
    });

  it('a small export runs while other accounts queue large exports, and a slow export times out', async () => {
    const [big, other, small] = await Promise.all([1, 2, 3].map(() => stack.createTenant()));
    const [busyTenant, largeTenant, smallTenant] = [big, other, small] as [
      TestTenant,
      TestTenant,
      TestTenant,
    ];
    // The lock prevents an estimate of the table's size, so exports of this table count as large.
    // The lock also prevents these exports from finishing.
    await owner.query('begin; lock table inspections in access exclusive mode');
    const largeExports = await Promise.all(
      Array.from({ length: 10 }, () => start(busyTenant, 'inspections')),
    );
    const second = await start(largeTenant, 'inspections');
    const statuses = async () =>
      (await Promise.all(largeExports.map((each) => read(busyTenant, each)))).map(({ status }) => status);
    const running = await eventually('one of the exports to run', async () => {
      const index = (await statuses()).indexOf('running');
      return index >= 0 && largeExports[index];
    });
    await waitForStatus(smallTenant, await start(smallTenant, 'customers'), 'completed');
    expect((await statuses()).filter((status) => status === 'running')).to.have.length(1);
    expect((await read(largeTenant, second)).status).to.equal('queued');
    const failed = await waitForStatus(busyTenant, running, 'failed');
    expect(failed.error.code).to.equal('timed_out');
    await owner.query('rollback');
    await waitForStatus(largeTenant, second, 'completed');
    const rest = largeExports.filter(({ id }) => id !== running.id);
    await Promise.all(
      rest.map((each) =>
        eventually('the export to end', async () =>
          ['completed', 'failed'].includes((await read(busyTenant, each)).status),
        ),
      ),
    );
  }).timeout(120_000);

  it('an account has at most ten unfinished exports, even if it requests them concurrently', async () => {
    const tenant = await stack.createTenant();
    await owner.query('begin; lock table inspections in access exclusive mode');
    try {
      const responses = await Promise.all(
        Array.from({ length: 14 }, () =>
          tenant.client.post('/exports', { resource: 'inspections', format: 'csv' }),
        ),
      );
      const statuses = responses.map(({ status }) => status).sort();
      expect(statuses).to.deep.equal([...Array(10).fill(202), ...Array(4).fill(409)]);
    } finally {
      await owner.query('rollback');
    }
  }).timeout(60_000);
});
