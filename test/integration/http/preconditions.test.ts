import { expect } from 'chai';
import type { TestClient } from '../../support/client.js';
import { expectError } from '../../support/expect-error.js';
import { invoiceInput } from '../../support/records/samples.js';
import { useStack } from '../../support/use-stack.js';

describe('If-Match', () => {
  const stack = useStack();
  let client: TestClient;

  before(async () => {
    ({ client } = await stack.createTenant());
  });

  const withIfMatch = (etag: string) => ({ headers: { 'If-Match': etag } });

  it('PATCH with the current ETag in If-Match succeeds and returns the next ETag', async () => {
    const made = await client.post('/invoices', invoiceInput());
    const path = `/invoices/${made.body.id}`;
    const first = made.headers.etag as string;
    expect(first).to.equal(`"${made.body.updated_at}"`);
    expect((await client.get(path)).headers.etag).to.equal(first);
    const changed = await client.patch(path, { notes: 'one' }, withIfMatch(first));
    expect(changed.status).to.equal(200);
    expect(changed.headers.etag).to.not.equal(first);
    expect(
      (await client.patch(path, { notes: 'two' }, withIfMatch(`"nonsense", ${changed.headers.etag}`))).status,
    ).to.equal(200);
    expect((await client.patch(path, { notes: 'three' }, withIfMatch('*'))).status).to.equal(200);
  });

  it('PATCH with an outdated ETag returns 412 with the changes since and their author, and changes nothing', async () => {
    const { body, headers } = await client.post('/customers', { company_name: 'Old' });
    const path = `/customers/${body.id}`;
    await client.patch(path, { company_name: 'New', city: 'Yonkers' });
    const outdated = await client.patch(path, { company_name: 'Late' }, withIfMatch(headers.etag as string));
    expectError(outdated, 412, 'precondition_failed');
    expect(outdated.body.error.details).to.have.length(2);
    const renamed = outdated.body.error.details.find(
      (detail: { field: string }) => detail.field === 'company_name',
    );
    expect(renamed).to.include({
      field: 'company_name',
      from: 'Old',
      to: 'New',
      changed_by: 'test key',
    });
    expect((await client.get(path)).body.company_name).to.equal('New');
  });

  it('exactly one of 20 concurrent PATCH requests with the same ETag succeeds', async () => {
    const { body, headers } = await client.post('/customers', { company_name: 'Contested' });
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, nth) =>
        client.patch(
          `/customers/${body.id}`,
          { company_name: `Winner ${nth}` },
          withIfMatch(headers.etag as string),
        ),
      ),
    );
    const [winner, ...none] = responses.filter(({ status }) => status === 200);
    expect(none).to.deep.equal([]);
    for (const response of responses.filter((one) => one !== winner)) {
      expectError(response, 412, 'precondition_failed');
      expect(response.body.error.details[0].to).to.equal(winner?.body.company_name);
    }
  });

  it('concurrent assignments of one work order return 412 with the assigned truck to all but the first', async () => {
    const { body: job, headers } = await client.post('/work-orders', { service_type: 'tow' });
    const trucks = await Promise.all(
      [1, 2, 3].map(
        async (nth) =>
          (await client.post('/trucks', { unit_number: `P-${nth}`, duty_class: 'light' })).body.id,
      ),
    );
    const responses = await Promise.all(
      trucks.map((truck_id) =>
        client.post(`/work-orders/${job.id}/assign`, { truck_id }, withIfMatch(headers.etag as string)),
      ),
    );
    const won = responses.filter(({ status }) => status === 200);
    expect(won).to.have.length(1);
    for (const response of responses.filter(({ status }) => status !== 200)) {
      expectError(response, 412, 'precondition_failed');
      const truck = response.body.error.details.find(
        (detail: { field: string }) => detail.field === 'truck_id',
      );
      expect(truck).to.include({ to: won[0]?.body.truck_id });
    }
  });

  it('PATCH with an If-Match that is not an ETag returns 400', async () => {
    const { body } = await client.post('/customers', { company_name: 'C' });
    expectError(
      await client.patch(`/customers/${body.id}`, { city: 'X' }, withIfMatch('yesterday')),
      400,
      'validation_error',
    );
  });
});
