import { expect } from 'chai';
import type { Answer } from '../support/client.js';
import { TestStack, type TestTenant } from '../support/stack.js';

/** The 12 fields of the specification and the additive ones, in the order of the answer. */
const MEMBERS = [
  ...[
    'id',
    'company_name',
    'company_type',
    'billing_email',
    'primary_phone',
    'address',
    'city',
    'state',
    'zip',
  ],
  ...['is_active', 'terms_days', 'tax_exempt', 'tax_rate_bps', 'rate_card_id'],
  ...['balance_cents', 'overdue_cents', 'credit_cents', 'created_at', 'updated_at'],
];

describe('customers', () => {
  let stack: TestStack;
  let tenant: TestTenant;

  before(async () => {
    stack = await TestStack.start();
    tenant = await stack.createTenant('Hudson Towing');
  });
  after(() => stack.stop());

  const created = async (body: unknown): Promise<Answer['body']> => {
    const answer = await tenant.client.post('/customers', body);
    expect(answer.status, answer.text).to.equal(201);
    return answer.body;
  };

  it('need company_name alone, have exactly the published members, and are read back byte for byte', async () => {
    const answer = await tenant.client.post('/customers', { company_name: 'Hudson Auto Club' });
    expect(answer.status, answer.text).to.equal(201);
    expect(Object.keys(answer.body)).to.deep.equal(MEMBERS);
    expect(answer.body).to.include({ company_type: 'other', is_active: true, tax_exempt: false });
    const unset = [
      'billing_email',
      'primary_phone',
      'address',
      'city',
      'state',
      'zip',
      'terms_days',
      'tax_rate_bps',
    ];
    expect(unset.map((member) => answer.body[member])).to.deep.equal(unset.map(() => null));
    expect(answer.headers.location).to.equal(`/v1/customers/${answer.body.id}`);
    expect((await tenant.client.get(`/customers/${answer.body.id}`)).text).to.equal(answer.text);
    expect((await tenant.client.get('/customers?limit=1')).body.data.items).to.deep.equal([answer.body]);
  });

  const VALUES = {
    ...{
      company_name: 'Club',
      company_type: 'motor_club',
      billing_email: 'ap@example.com',
      primary_phone: '+1 212 555 0100',
    },
    ...{ address: '1 Main St\nSuite 2', city: 'Albany', state: 'NY', zip: '12207' },
    ...{ terms_days: 45, tax_exempt: true, tax_rate_bps: 800 },
  };

  it('give back every value they were made with', async () => {
    expect(await created(VALUES)).to.include(VALUES);
  });

  it('may share a name: nothing but the id is unique', async () => {
    const [one, two] = [await created({ company_name: 'Twin' }), await created({ company_name: 'Twin' })];
    expect(one.id).to.not.equal(two.id);
  });

  it('take any slug as company_type', async () => {
    expect((await created({ company_name: 'S', company_type: 'space_agency' })).company_type).to.equal(
      'space_agency',
    );
  });

  it('are changed in every member by PATCH, is_active included', async () => {
    const customer = await created({ company_name: 'Before' });
    const patched = await tenant.client.patch(`/customers/${customer.id}`, { ...VALUES, is_active: false });
    expect(patched.status, patched.text).to.equal(200);
    expect(patched.body).to.deep.equal({
      ...customer,
      ...VALUES,
      is_active: false,
      updated_at: patched.body.updated_at,
    });
    expect((await tenant.client.get(`/customers/${customer.id}`)).text).to.equal(patched.text);
  });

  it('start active whatever the body says: a client ends them by PATCH', async () => {
    expect((await created({ company_name: 'Active', is_active: false })).is_active).to.equal(true);
  });

  it('of the sandbox twin are none of the live tenant', async () => {
    const { body } = await tenant.sandbox.post('/customers', { company_name: 'Sandboxed' });
    expect((await tenant.sandbox.get(`/customers/${body.id}`)).status).to.equal(200);
    expect((await tenant.client.get(`/customers/${body.id}`)).status).to.equal(404);
    const names = (await tenant.client.get('/customers?limit=200')).body.data.items;
    expect(names.map((item: { company_name: string }) => item.company_name)).to.not.include('Sandboxed');
  });
});
