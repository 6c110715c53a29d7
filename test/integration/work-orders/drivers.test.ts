import { expect } from 'chai';
import type { TestResponse } from '../../support/client.js';
import { expectError, listValidationErrors } from '../../support/expect-error.js';
import { listPublishedMembers } from '../../support/openapi-validator.js';
import { UNKNOWN_ID } from '../../support/records/samples.js';
import { useStack, useTenant } from '../../support/use-stack.js';

const DRY_RUN = { headers: { 'x-service-dry-run': 'true' } };

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

  it('POST /drivers needs only a name, returns exactly the published members, and reads return the same bytes', async () => {
    const response = await tenant.client.post('/drivers', { name: 'Sam Rivera' });
    expect(response.status, response.text).to.equal(201);
    expect(Object.keys(response.body)).to.deep.equal(listPublishedMembers('Driver'));
    expect(response.body).to.deep.include({
      name: 'Sam Rivera',
      phone: null,
      duty_classes: [],
      status: 'active',
    });
    expect(response.headers.location).to.equal(`/v1/drivers/${response.body.id}`);
    expect((await tenant.client.get(`/drivers/${response.body.id}`)).text).to.equal(response.text);
    expect((await tenant.client.get('/drivers?limit=1')).body.data.items).to.deep.equal([response.body]);
  });

  const VALUES = {
    name: 'Ada',
    phone: '+1 212 555 0100',
    duty_classes: ['heavy', 'light'],
    status: 'inactive',
  };

  it('POST and PATCH /drivers return every value that was sent, and an equal PATCH changes nothing', async () => {
    expect(await createDriver(VALUES)).to.deep.include(VALUES);
    const driver = await createDriver({ name: 'Before' });
    const patched = await tenant.client.patch(`/drivers/${driver.id}`, VALUES);
    expect(patched.status, patched.text).to.equal(200);
    expect(patched.body).to.deep.equal({ ...driver, ...VALUES, updated_at: patched.body.updated_at });
    expect(Date.parse(patched.body.updated_at)).to.be.greaterThan(Date.parse(driver.updated_at));
    for (const unchanged of [VALUES, {}, undefined]) {
      expect((await tenant.client.patch(`/drivers/${driver.id}`, unchanged)).body).to.deep.equal(
        patched.body,
      );
    }
    const cleared = await tenant.client.patch(`/drivers/${driver.id}`, { phone: null, duty_classes: [] });
    expect(cleared.body).to.deep.include({ name: 'Ada', phone: null, duty_classes: [] });
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

  it('a dry run of POST /drivers returns the driver and creates none', async () => {
    const preview = await tenant.client.post('/drivers', { name: 'Rehearsed' }, DRY_RUN);
    expect(preview.status, preview.text).to.equal(200);
    expect(preview.body.data.name).to.equal('Rehearsed');
    expect(await listIds('search=Rehearsed')).to.deep.equal([]);
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

  it('a driver of another tenant or of the sandbox gets 404', async () => {
    const { body } = await tenant.sandbox.post('/drivers', { name: 'Sandboxed' });
    expect((await tenant.sandbox.get(`/drivers/${body.id}`)).status).to.equal(200);
    for (const id of [body.id, UNKNOWN_ID, 'x']) {
      expectError(await tenant.client.get(`/drivers/${id}`), 404, 'not_found');
      expectError(await tenant.client.patch(`/drivers/${id}`, { phone: '1' }), 404, 'not_found');
    }
    expect(await listIds('search=Sandboxed')).to.deep.equal([]);
  });
});
