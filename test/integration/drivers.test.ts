import { expect } from 'chai';
import type { Answer } from '../support/client.js';
import { expectError, faultsOf } from '../support/expect-error.js';
import { UNKNOWN_ID } from '../support/samples.js';
import { TestStack, type TestTenant } from '../support/stack.js';

const MEMBERS = ['id', 'name', 'phone', 'duty_classes', 'status', 'created_at', 'updated_at'];
const DRY_RUN = { headers: { 'x-service-dry-run': 'true' } };

describe('drivers', () => {
  let stack: TestStack;
  let tenant: TestTenant;

  before(async () => {
    stack = await TestStack.start();
    tenant = await stack.createTenant('Hudson Towing');
  });
  after(() => stack.stop());

  const created = async (body: unknown): Promise<Answer['body']> => {
    const answer = await tenant.client.post('/drivers', body);
    expect(answer.status, answer.text).to.equal(201);
    return answer.body;
  };
  const listed = async (query: string): Promise<string[]> => {
    const answer = await tenant.client.get(`/drivers?limit=200&${query}`);
    expect(answer.status, answer.text).to.equal(200);
    return answer.body.data.items.map((item: { id: string }) => item.id);
  };

  it('need a name alone, have exactly the published members, and are read back byte for byte', async () => {
    const answer = await tenant.client.post('/drivers', { name: 'Sam Rivera' });
    expect(answer.status, answer.text).to.equal(201);
    expect(Object.keys(answer.body)).to.deep.equal(MEMBERS);
    expect(answer.body).to.deep.include({
      name: 'Sam Rivera',
      phone: null,
      duty_classes: [],
      status: 'active',
    });
    expect(answer.headers.location).to.equal(`/v1/drivers/${answer.body.id}`);
    expect((await tenant.client.get(`/drivers/${answer.body.id}`)).text).to.equal(answer.text);
    expect((await tenant.client.get('/drivers?limit=1')).body.data.items).to.deep.equal([answer.body]);
  });

  const VALUES = {
    ...{ name: 'Ada', phone: '+1 212 555 0100' },
    ...{ duty_classes: ['heavy', 'light'], status: 'inactive' },
  };

  it('give back every value they were made with, and take every one by PATCH', async () => {
    expect(await created(VALUES)).to.deep.include(VALUES);
    const driver = await created({ name: 'Before' });
    const patched = await tenant.client.patch(`/drivers/${driver.id}`, VALUES);
    expect(patched.status, patched.text).to.equal(200);
    expect(patched.body).to.deep.equal({ ...driver, ...VALUES, updated_at: patched.body.updated_at });
    expect(Date.parse(patched.body.updated_at)).to.be.greaterThan(Date.parse(driver.updated_at));
    for (const nothing of [VALUES, {}, undefined]) {
      expect((await tenant.client.patch(`/drivers/${driver.id}`, nothing)).body).to.deep.equal(patched.body);
    }
    const cleared = await tenant.client.patch(`/drivers/${driver.id}`, { phone: null, duty_classes: [] });
    expect(cleared.body).to.deep.include({ name: 'Ada', phone: null, duty_classes: [] });
  });

  it('changed twice in one moment have two versions', async () => {
    const driver = await created({ name: 'Busy' });
    const phones = Array.from({ length: 5 }, (_, index) => String(index));
    const answers = await Promise.all(
      phones.map((phone) => tenant.client.patch(`/drivers/${driver.id}`, { phone })),
    );
    expect(new Set(answers.map(({ body }) => body.updated_at)).size).to.equal(phones.length);
  });

  it('name every fault at once', async () => {
    const faulty = { name: ' ', phone: 1, duty_classes: ['light', 'light', 'super'], status: 'asleep' };
    const expected = [
      ...['duty_classes[1] unique', 'duty_classes[2] only', 'name empty', 'phone base', 'status only'],
    ];
    expect(faultsOf(await tenant.client.post('/drivers', faulty))).to.deep.equal(expected);
    const driver = await created({ name: 'F' });
    expect(faultsOf(await tenant.client.patch(`/drivers/${driver.id}`, faulty))).to.deep.equal(expected);
    expect(faultsOf(await tenant.client.post('/drivers', {}))).to.deep.equal(['name required']);
    const nulls = { name: null, status: null, duty_classes: null };
    expect(faultsOf(await tenant.client.patch(`/drivers/${driver.id}`, nulls))).to.deep.equal([
      ...['duty_classes base', 'name base', 'status base', 'status only'],
    ]);
  });

  it('are listed by status and a part of the name, page by page', async () => {
    const one = await created({ name: 'Listed_one' });
    const two = await created({ name: 'listedXone', status: 'inactive' });
    expect(await listed('search=LISTED_')).to.deep.equal([one.id]);
    expect(await listed('search=listed')).to.deep.equal([two.id, one.id]);
    expect(await listed('search=listed&status=inactive')).to.deep.equal([two.id]);
    const { cursor } = (await tenant.client.get('/drivers?search=listed&limit=1')).body.data;
    expect(await listed(`search=listed&cursor=${cursor}`)).to.deep.equal([one.id]);
    expect(faultsOf(await tenant.client.get('/drivers?status=asleep'))).to.deep.equal(['status only']);
  });

  it('are tried by a dry run without being made', async () => {
    const preview = await tenant.client.post('/drivers', { name: 'Rehearsed' }, DRY_RUN);
    expect(preview.status, preview.text).to.equal(200);
    expect(preview.body.data.name).to.equal('Rehearsed');
    expect(await listed('search=Rehearsed')).to.deep.equal([]);
  });

  it('are read by agents with read_dispatch, and written by none', async () => {
    const driver = await created({ name: 'Seen' });
    const key = await stack.createKey(tenant.id, { kind: 'agent', scopes: ['read_dispatch'] });
    const agent = stack.clientWith(key);
    expect((await agent.get(`/drivers/${driver.id}`)).body).to.deep.equal(driver);
    expect((await agent.get('/drivers')).status).to.equal(200);
    expectError(await agent.post('/drivers', { name: 'x' }), 403, 'forbidden');
    expectError(await agent.patch(`/drivers/${driver.id}`, {}), 403, 'forbidden');
    const other = await stack.createKey(tenant.id, { kind: 'agent', scopes: ['read_customers'] });
    expectError(await stack.clientWith(other).get('/drivers'), 403, 'insufficient_scope');
  });

  it('of another tenant, the sandbox twin included, are not there', async () => {
    const { body } = await tenant.sandbox.post('/drivers', { name: 'Sandboxed' });
    expect((await tenant.sandbox.get(`/drivers/${body.id}`)).status).to.equal(200);
    for (const id of [body.id, UNKNOWN_ID, 'x']) {
      expectError(await tenant.client.get(`/drivers/${id}`), 404, 'not_found');
      expectError(await tenant.client.patch(`/drivers/${id}`, { phone: '1' }), 404, 'not_found');
    }
    expect(await listed('search=Sandboxed')).to.deep.equal([]);
  });
});
