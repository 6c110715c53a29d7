import { expect } from 'chai';
import type { TestClient } from '../support/client.js';
import { expectError } from '../support/expect-error.js';
import { invoiceInput } from '../support/samples.js';
import { TestStack } from '../support/stack.js';

describe('If-Match', () => {
  let stack: TestStack;
  let client: TestClient;

  before(async () => {
    stack = await TestStack.start();
    ({ client } = await stack.createTenant());
  });
  after(() => stack.stop());

  const bound = (etag: string) => ({ headers: { 'If-Match': etag } });

  it('lets a change through that knows the version, and gives the next one', async () => {
    const made = await client.post('/invoices', invoiceInput());
    const path = `/invoices/${made.body.id}`;
    const first = made.headers.etag as string;
    expect(first).to.equal(`"${made.body.updated_at}"`);
    expect((await client.get(path)).headers.etag).to.equal(first);
    const changed = await client.patch(path, { notes: 'one' }, bound(first));
    expect(changed.status).to.equal(200);
    expect(changed.headers.etag).to.not.equal(first);
    expect(
      (await client.patch(path, { notes: 'two' }, bound(`"nonsense", ${changed.headers.etag}`))).status,
    ).to.equal(200);
    expect((await client.patch(path, { notes: 'three' }, bound('*'))).status).to.equal(200);
  });

  it('refuses a change of another version with what changed since and by whom, and changes nothing', async () => {
    const { body, headers } = await client.post('/customers', { company_name: 'Old' });
    const path = `/customers/${body.id}`;
    await client.patch(path, { company_name: 'New', city: 'Yonkers' });
    const late = await client.patch(path, { company_name: 'Late' }, bound(headers.etag as string));
    expectError(late, 412, 'precondition_failed');
    expect(late.body.error.details).to.have.length(2);
    const renamed = late.body.error.details.find((one: { field: string }) => one.field === 'company_name');
    expect(renamed).to.include({
      field: 'company_name',
      from: 'Old',
      to: 'New',
      changed_by: 'test key',
    });
    expect((await client.get(path)).body.company_name).to.equal('New');
  });

  it('lets exactly one of many through that change one version at once', async () => {
    const { body, headers } = await client.post('/customers', { company_name: 'Contested' });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, nth) =>
        client.patch(
          `/customers/${body.id}`,
          { company_name: `Winner ${nth}` },
          bound(headers.etag as string),
        ),
      ),
    );
    const [winner, ...none] = answers.filter(({ status }) => status === 200);
    expect(none).to.deep.equal([]);
    for (const answer of answers.filter((one) => one !== winner)) {
      expectError(answer, 412, 'precondition_failed');
      expect(answer.body.error.details[0].to).to.equal(winner?.body.company_name);
    }
  });

  it('tells the dispatchers that came second who has the job', async () => {
    const { body: job, headers } = await client.post('/work-orders', { service_type: 'tow' });
    const trucks = await Promise.all(
      [1, 2, 3].map(
        async (nth) =>
          (await client.post('/trucks', { unit_number: `P-${nth}`, duty_class: 'light' })).body.id,
      ),
    );
    const answers = await Promise.all(
      trucks.map((truck_id) =>
        client.post(`/work-orders/${job.id}/assign`, { truck_id }, bound(headers.etag as string)),
      ),
    );
    const won = answers.filter(({ status }) => status === 200);
    expect(won).to.have.length(1);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expectError(answer, 412, 'precondition_failed');
      const truck = answer.body.error.details.find(
        (detail: { field: string }) => detail.field === 'truck_id',
      );
      expect(truck).to.include({ to: won[0]?.body.truck_id });
    }
  });

  it('must be an ETag', async () => {
    const { body } = await client.post('/customers', { company_name: 'C' });
    expectError(
      await client.patch(`/customers/${body.id}`, { city: 'X' }, bound('yesterday')),
      400,
      'validation_error',
    );
  });
});
