import { expect } from 'chai';
import type { TestClient } from '../../support/client.js';
import { expectError } from '../../support/expect-error.js';
import { invoiceInput } from '../../support/records/samples.js';
import { useStack } from '../../support/use-stack.js';

describe('plain dates in due_date and service_date of an invoice', () => {
  const stack = useStack();
  let client: TestClient;

  before(async () => {
    const tenant = await stack.createTenant('New York');
    client = stack.createClient(
      await stack.createKey(tenant.id, { permissions: ['read', 'write', 'admin'] }),
    );
    await client.patch('/settings', { time_zone: 'America/New_York' });
  });

  it("a plain date means midnight in the account's time zone, in summer and in winter, and is returned as a date-time", async () => {
    const body = invoiceInput({ service_date: '2026-07-04', due_date: '2026-12-21' });
    const created = await client.post('/invoices', body);
    expect(created.status, created.text).to.equal(201);
    const expected = { service_date: '2026-07-04T04:00:00.000Z', due_date: '2026-12-21T05:00:00.000Z' };
    expect(created.body).to.include(expected);
    expect((await client.get(`/invoices/${created.body.id}`)).body).to.include(expected);
  });

  it('PATCH /invoices/{id} accepts a plain date and leaves an equal date unchanged', async () => {
    const { body } = await client.post('/invoices', invoiceInput());
    const patched = await client.patch(`/invoices/${body.id}`, { due_date: '2026-03-08' });
    expect(patched.body.due_date).to.equal('2026-03-08T05:00:00.000Z');
    const again = await client.patch(`/invoices/${body.id}`, { due_date: '2026-03-08' });
    expect(again.body.updated_at).to.equal(patched.body.updated_at);
  });

  it('GET /invoices finds a plain due_date in the range of its day and not in the range of the day before', async () => {
    const { body } = await client.post('/invoices', invoiceInput({ due_date: '2031-05-05' }));
    const listIds = async (since: string, until: string) => {
      const page = await client.get(`/invoices?date_field=due_date&since=${since}&until=${until}`);
      return page.body.data.items.map(({ id }: { id: string }) => id);
    };
    expect(await listIds('2031-05-05', '2031-05-06')).to.deep.equal([body.id]);
    expect(await listIds('2031-05-04', '2031-05-05')).to.deep.equal([]);
  });

  it('POST /invoices keeps a date-time and refuses dates that do not exist or are out of range', async () => {
    const kept = await client.post('/invoices', invoiceInput({ due_date: '2026-12-21T10:00:00+02:00' }));
    expect(kept.body.due_date).to.equal('2026-12-21T08:00:00.000Z');
    for (const due_date of ['2026-02-30', '2026-2-3', '0000-01-01', '0001-01-01', '9999-12-31', 'tomorrow']) {
      const refused = await client.post('/invoices', invoiceInput({ due_date }));
      const details = expectError(refused, 400, 'validation_error');
      expect(
        details.map(({ field }) => field),
        due_date,
      ).to.deep.equal(['due_date']);
    }
    const earliest = await client.post(
      '/invoices',
      invoiceInput({ due_date: '0001-01-02', service_date: '9999-12-30' }),
    );
    expect(earliest.status, earliest.text).to.equal(201);
  });
});
