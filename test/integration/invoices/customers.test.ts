import { expect } from 'chai';
import type { TestResponse } from '../../support/client.js';
import { describeResource } from '../../support/records/describe-resource.js';
import { useStack, useTenant } from '../../support/use-stack.js';

describe('customers', () => {
  const stack = useStack();
  const tenant = useTenant(stack, 'Hudson Towing');

  const createCustomer = async (body: unknown): Promise<TestResponse['body']> => {
    const response = await tenant.client.post('/customers', body);
    expect(response.status, response.text).to.equal(201);
    return response.body;
  };

  describeResource(tenant, {
    path: '/customers',
    schema: 'Customer',
    smallest: () => ({ company_name: 'Hudson Auto Club' }),
    defaults: {
      company_name: 'Hudson Auto Club',
      company_type: 'other',
      is_active: true,
      tax_exempt: false,
      balance_cents: 0,
      overdue_cents: 0,
      credit_cents: 0,
    },
    values: () => ({
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
      coverage: { loaded_miles: 12.5, amount_cents: 15_000, service_types: ['tow', 'jump_start'] },
    }),
    nullable: [
      'billing_email',
      'primary_phone',
      'address',
      'city',
      'state',
      'zip',
      'terms_days',
      'tax_rate_bps',
      'coverage',
    ],
  });

  it('a limit that is left out of a coverage is null, and a limit out of range is refused', async () => {
    const { coverage } = await createCustomer({ company_name: 'Miles Club', coverage: { loaded_miles: 0 } });
    expect(coverage).to.deep.equal({ loaded_miles: 0, amount_cents: null, service_types: null });
    for (const [member, value] of Object.entries({
      loaded_miles: 1.00001,
      amount_cents: 0,
      service_types: [],
    })) {
      const body = { company_name: 'Miles Club', coverage: { [member]: value } };
      const refused = await tenant.client.post('/customers', body);
      expect(refused.status, member).to.equal(400);
      expect(refused.body.error.details[0].field).to.equal(`coverage.${member}`);
    }
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

  it('PATCH /customers/{id} deactivates a customer', async () => {
    const { id } = await createCustomer({ company_name: 'Before' });
    const patched = await tenant.client.patch(`/customers/${id}`, { is_active: false });
    expect(patched.body.is_active, patched.text).to.equal(false);
  });

  it('a new customer is active even if POST sends is_active false', async () => {
    expect((await createCustomer({ company_name: 'Active', is_active: false })).is_active).to.equal(true);
  });
});
