import { expect } from 'chai';
import type { TestResponse } from '../../support/client.js';
import { useStack, useTenant } from '../../support/use-stack.js';

/**
 * The response's members in sequence: the 12 fields of the specification, then the fields added
 * later.
 */
const MEMBERS = [
  'id',
  'company_name',
  'company_type',
  'billing_email',
  'primary_phone',
  'address',
  'city',
  'state',
  'zip',
  'is_active',
  'terms_days',
  'tax_exempt',
  'tax_rate_bps',
  'rate_card_id',
  'balance_cents',
  'overdue_cents',
  'credit_cents',
  'created_at',
  'updated_at',
];

describe('customers', () => {
  const stack = useStack();
  const tenant = useTenant(stack, 'Hudson Towing');

  const createCustomer = async (body: unknown): Promise<TestResponse['body']> => {
    const response = await tenant.client.post('/customers', body);
    expect(response.status, response.text).to.equal(201);
    return response.body;
  };

  it('POST /customers needs only company_name, returns exactly the published members, and reads return the same bytes', async () => {
    const response = await tenant.client.post('/customers', { company_name: 'Hudson Auto Club' });
    expect(response.status, response.text).to.equal(201);
    expect(Object.keys(response.body)).to.deep.equal(MEMBERS);
    expect(response.body).to.include({ company_type: 'other', is_active: true, tax_exempt: false });
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
    expect(unset.map((member) => response.body[member])).to.deep.equal(unset.map(() => null));
    expect(response.headers.location).to.equal(`/v1/customers/${response.body.id}`);
    expect((await tenant.client.get(`/customers/${response.body.id}`)).text).to.equal(response.text);
    expect((await tenant.client.get('/customers?limit=1')).body.data.items).to.deep.equal([response.body]);
  });

  const VALUES = {
    company_name: 'Club',
    company_type: 'motor_club',
    billing_email: 'ap@example.com',
    primary_phone: '+1 212 555 0100',
    address: '1 Main St\nSuite 2',
    city: 'Albany',
    state: 'NY',
    zip: '12207',
    terms_days: 45,
    tax_exempt: true,
    tax_rate_bps: 800,
  };

  it('POST /customers returns every value that was sent', async () => {
    expect(await createCustomer(VALUES)).to.include(VALUES);
  });

  it('two customers can have the same name', async () => {
    const [one, two] = [
      await createCustomer({ company_name: 'Twin' }),
      await createCustomer({ company_name: 'Twin' }),
    ];
    expect(one.id).to.not.equal(two.id);
  });

  it('POST /customers accepts any slug as company_type', async () => {
    expect((await createCustomer({ company_name: 'S', company_type: 'space_agency' })).company_type).to.equal(
      'space_agency',
    );
  });

  it('PATCH /customers/{id} changes every member, including is_active', async () => {
    const customer = await createCustomer({ company_name: 'Before' });
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

  it('a new customer is active even if POST sends is_active false', async () => {
    expect((await createCustomer({ company_name: 'Active', is_active: false })).is_active).to.equal(true);
  });

  it('a customer of the sandbox is not visible in the live account', async () => {
    const { body } = await tenant.sandbox.post('/customers', { company_name: 'Sandboxed' });
    expect((await tenant.sandbox.get(`/customers/${body.id}`)).status).to.equal(200);
    expect((await tenant.client.get(`/customers/${body.id}`)).status).to.equal(404);
    const names = (await tenant.client.get('/customers?limit=200')).body.data.items;
    expect(names.map((item: { company_name: string }) => item.company_name)).to.not.include('Sandboxed');
  });
});
