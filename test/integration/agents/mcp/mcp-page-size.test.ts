import { expect } from 'chai';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { TOOLS } from '../../../../mcp/tools/index.js';
import { connectAgent, type TestAgent } from '../../../support/agents/agent.js';
import type { Json } from '../../../support/client.js';
import { useSharedAccount } from '../../../support/records/accounts.js';
import { invoiceInput, lineItem } from '../../../support/records/samples.js';
import type { TestStack, TestTenant } from '../../../support/stack.js';

/**
 * One default page may have at most this many tokens, counting its structured result and its text.
 */
const MAX_TOKENS = 8000;
const RECORDS = 50;
const NAME = 'Northeast Regional Motor Club & Recovery Services LLC, branch';
const PLACE = 'I-95 northbound, exit 12, right shoulder behind the blue sign, Bronx, NY 10461';
const NOTES = 'Called the customer twice, keys are with the security desk. '.repeat(30);

describe('size of a default page of a list tool', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  let agent: TestAgent;

  useSharedAccount(async (account) => {
    ({ stack, tenant } = account);
    agent = await connectAgent(stack, tenant);
    await agent.client.listTools();
    const jobs = await Promise.all(Array.from({ length: RECORDS }, (_, nth) => createJob(nth)));
    // Last, because their audit entries are the longest.
    await Promise.all(jobs.map(createInvoice));
    return () => agent.client.close();
  });

  async function create(path: string, body: Record<string, unknown>): Promise<string> {
    const response = await tenant.client.post(path, body);
    expect(response.status, response.text).to.equal(201);
    return response.body.id;
  }

  /** Creates a customer, and a work order with every field. */
  async function createJob(nth: number): Promise<{ customer_id: string; work_order_id: string }> {
    const customer_id = await create('/customers', {
      company_name: `${NAME} ${nth}`,
      company_type: 'motor_club',
      billing_email: `accounts.payable.${nth}@northeast-regional.example.com`,
      primary_phone: '+1 212 555 0100',
      address: '1180 West Side Highway, Suite 4400',
      city: 'New York',
      state: 'NY',
      zip: '10036',
    });
    const work_order_id = await create('/work-orders', {
      service_type: 'light_duty_tow',
      customer_id,
      pickup: { address: PLACE, lat: 40.8448, lng: -73.8648 },
      dropoff: {
        address: 'Hudson Auto Body, 1180 West Side Highway, New York, NY 10036',
        lat: 40.7644,
        lng: -73.9993,
      },
      vehicle: { make: 'Mercedes-Benz', model: 'Sprinter 2500', year: 2021 },
      vin: '1HGCM82633A004352',
      contact_name: 'Alexandra Papadopoulos',
      contact_phone: '+1 718 555 0144',
      notes: NOTES,
      customer_notes: NOTES,
    });
    return { customer_id, work_order_id };
  }

  const createInvoice = (ids: { customer_id: string; work_order_id: string }, nth: number) =>
    create(
      '/invoices',
      invoiceInput({
        invoice_number: `INV-2026-${100_000 + nth}`,
        ...ids,
        po_number: `PO-88-${nth}`,
        due_date: '2026-12-31T05:00:00Z',
        service_date: '2026-11-30T05:00:00Z',
        vehicle_description: '2021 Mercedes-Benz Sprinter 2500, white',
        notes: NOTES,
        line_items: [lineItem({ description: NOTES.slice(0, 500) })],
      }),
    );

  for (const name of ['list_invoices', 'list_work_orders', 'list_customers', 'search_audit_log']) {
    it(`${name} returns 50 long records in under ${MAX_TOKENS} tokens, and each matches the output schema`, async () => {
      const result = await agent.call(name);
      const { items, count } = result.structuredContent as Json;
      expect(count).to.equal(RECORDS);
      const tokens = encode(JSON.stringify(result)).length;
      expect(tokens).to.be.below(MAX_TOKENS);
      const output = TOOLS.find((tool) => tool.name === name)?.output;
      for (const item of items) {
        expect(output?.validate(item).error, JSON.stringify(item)).to.equal(undefined);
        expect(JSON.stringify(item)).to.not.include('null');
      }
    });
  }

  it('the texts of list tools name records by number, customer, place and actor', async () => {
    const textOf = async (name: string) => {
      const { content } = await agent.call(name);
      return (content[0] as { text: string }).text;
    };
    const shortName = NAME.slice(0, 40);
    expect(await textOf('list_invoices')).to.match(/- "INV-2026-1\d{5}" draft, for "Northeast Regional/);
    expect(await textOf('list_invoices')).to.include(shortName);
    expect(await textOf('list_work_orders'))
      .to.match(/- WO-\d{6} light_duty_tow at "I-95 northbound/)
      .and.to.include(`for "${shortName}`);
    expect(await textOf('list_customers')).to.include(`- "${shortName}`);
    expect(await textOf('search_audit_log')).to.include('"test key" invoice.created');
  });

  it('search_audit_log names the changed fields on a default page, and a page of 10 has the changes', async () => {
    const findUpdate = ({ items }: Json) => items.find(({ action }: Json) => action === 'customer.updated');
    const { items: customers } = await agent.callOk('list_customers', { limit: 1 });
    const patch = { billing_email: null, city: 'Yonkers', state: 'NJ', zip: '10701' };
    await tenant.client.patch(`/customers/${customers[0].id}`, patch);
    const brief = findUpdate(await agent.callOk('search_audit_log'));
    expect(brief.changed).to.match(/^\w+, \w+ and 2 more$/);
    expect(brief).to.not.have.property('changes');
    const whole = findUpdate(await agent.callOk('search_audit_log', { limit: 10 }));
    expect(whole.id).to.equal(brief.id);
    expect(whole.changes).to.deep.include({ field: 'city', from: 'New York', to: 'Yonkers' });
    expect(whole).to.not.have.property('changed');
  });
});
