import { expect } from 'chai';
import type { TestResponse } from '../../support/client.js';
import { expectError, listValidationErrors } from '../../support/expect-error.js';
import { describeResource } from '../../support/records/describe-resource.js';
import { useStack, useTenant } from '../../support/use-stack.js';

describe('drivers', () => {
  const stack = useStack();
  const tenant = useTenant(stack, 'Hudson Towing');

  const createDriver = async (body: unknown): Promise<TestResponse['body']> => {
    const response = await tenant.client.post('/drivers', body);
    expect(response.status, response.text).to.equal(201);
    return response.body;
  };
  const listIds = async (query: string): Promise<string[]> => {
    const response = await tenant.client.get(`/drivers?limit=200&${query}`);
    expect(response.status, response.text).to.equal(200);
    return response.body.data.items.map((item: { id: string }) => item.id);
  };

  describeResource(tenant, {
    path: '/drivers',
    schema: 'Driver',
    smallest: () => ({ name: 'Sam Rivera' }),
    defaults: { name: 'Sam Rivera', duty_classes: [], status: 'active' },
    values: () => ({
      name: 'Ada',
      phone: '+1 212 555 0100',
      duty_classes: ['heavy', 'light'],
      status: 'inactive',
    }),
    nullable: ['phone'],
  });

  it('concurrent changes of a driver each get their own updated_at', async () => {
    const driver = await createDriver({ name: 'Busy' });
    const phones = Array.from({ length: 5 }, (_, index) => String(index));
    const responses = await Promise.all(
      phones.map((phone) => tenant.client.patch(`/drivers/${driver.id}`, { phone })),
    );
    expect(new Set(responses.map(({ body }) => body.updated_at)).size).to.equal(phones.length);
  });

  it('POST and PATCH /drivers report every validation error', async () => {
    const invalid = { name: ' ', phone: 1, duty_classes: ['light', 'light', 'super'], status: 'asleep' };
    const expected = [
      'duty_classes[1] unique',
      'duty_classes[2] only',
      'name empty',
      'phone base',
      'status only',
    ];
    expect(listValidationErrors(await tenant.client.post('/drivers', invalid))).to.deep.equal(expected);
    const driver = await createDriver({ name: 'F' });
    expect(listValidationErrors(await tenant.client.patch(`/drivers/${driver.id}`, invalid))).to.deep.equal(
      expected,
    );
    expect(listValidationErrors(await tenant.client.post('/drivers', {}))).to.deep.equal(['name required']);
    const nulls = { name: null, status: null, duty_classes: null };
    expect(listValidationErrors(await tenant.client.patch(`/drivers/${driver.id}`, nulls))).to.deep.equal([
      'duty_classes base',
      'name base',
      'status base',
      'status only',
    ]);
  });

  it('GET /drivers filters by status and part of the name, and pages', async () => {
    const one = await createDriver({ name: 'Listed_one' });
    const two = await createDriver({ name: 'listedXone', status: 'inactive' });
    expect(await listIds('search=LISTED_')).to.deep.equal([one.id]);
    expect(await listIds('search=listed')).to.deep.equal([two.id, one.id]);
    expect(await listIds('search=listed&status=inactive')).to.deep.equal([two.id]);
    const { cursor } = (await tenant.client.get('/drivers?search=listed&limit=1')).body.data;
    expect(await listIds(`search=listed&cursor=${cursor}`)).to.deep.equal([one.id]);
    expect(listValidationErrors(await tenant.client.get('/drivers?status=asleep'))).to.deep.equal([
      'status only',
    ]);
  });

  it('agents with read_dispatch can read drivers, and no agent can write them', async () => {
    const driver = await createDriver({ name: 'Seen' });
    const key = await stack.createKey(tenant.id, { kind: 'agent', scopes: ['read_dispatch'] });
    const agent = stack.createClient(key);
    expect((await agent.get(`/drivers/${driver.id}`)).body).to.deep.equal(driver);
    expect((await agent.get('/drivers')).status).to.equal(200);
    expectError(await agent.post('/drivers', { name: 'x' }), 403, 'forbidden');
    expectError(await agent.patch(`/drivers/${driver.id}`, {}), 403, 'forbidden');
    const other = await stack.createKey(tenant.id, { kind: 'agent', scopes: ['read_customers'] });
    expectError(await stack.createClient(other).get('/drivers'), 403, 'insufficient_scope');
  });
});
