import { expect } from 'chai';
import { listValidationErrors } from '../../support/expect-error.js';
import { invoiceInput } from '../../support/records/samples.js';
import { useStack, useTenant } from '../../support/use-stack.js';

describe('expand=names', () => {
  const stack = useStack();
  const tenant = useTenant(stack);
  const ids: Record<string, string> = {};

  const create = async (path: string, body: object): Promise<string> => {
    const response = await tenant.client.post(path, body);
    expect(response.status, response.text).to.equal(201);
    return response.body.id;
  };
  const readItems = async (path: string) => (await tenant.client.get(path)).body.data.items;

  before(async () => {
    ids.customer = await create('/customers', { company_name: 'Old "Name"' });
    ids.driver = await create('/drivers', { name: 'Sam Rivera' });
    ids.truck = await create('/trucks', { unit_number: '12', duty_class: 'light', driver_id: ids.driver });
    await create('/work-orders', { service_type: 'tow' });
    ids.workOrder = await create('/work-orders', { service_type: 'tow', customer_id: ids.customer });
    await tenant.client.post(`/work-orders/${ids.workOrder}/assign`, { truck_id: ids.truck });
    await create('/invoices', invoiceInput());
    ids.invoice = await create('/invoices', invoiceInput({ customer_id: ids.customer }));
  });

  it('GET /work-orders?expand=names adds the names of customer, truck and driver, as they are now', async () => {
    const plain = await readItems('/work-orders');
    const [named, unnamed] = await readItems('/work-orders?expand=names');
    const names = { customer_name: 'Old "Name"', truck_unit_number: '12', driver_name: 'Sam Rivera' };
    expect(named).to.deep.equal({ ...plain[0], ...names });
    const none = { customer_name: null, truck_unit_number: null, driver_name: null };
    expect(unnamed).to.deep.equal({ ...plain[1], ...none });
    await tenant.client.patch(`/drivers/${ids.driver}`, { name: 'Sam Renamed' });
    expect((await readItems('/work-orders?expand=names'))[0].driver_name).to.equal('Sam Renamed');
  });

  it('GET /invoices expands names, line items or both, and refuses anything else', async () => {
    const [plain] = await readItems('/invoices');
    expect(plain).to.not.have.any.keys('customer_name', 'line_items');
    const [named, unnamed] = await readItems('/invoices?expand=names');
    expect(named).to.deep.equal({ ...plain, customer_name: 'Old "Name"' });
    expect(unnamed.customer_name).to.equal(null);
    const [both] = await readItems('/invoices?expand=line_items,names');
    const { body: whole } = await tenant.client.get(`/invoices/${ids.invoice}`);
    expect(both).to.deep.equal({ ...whole, customer_name: 'Old "Name"' });
    expect(listValidationErrors(await tenant.client.get('/invoices?expand=names,all'))).to.deep.equal([
      'expand only',
    ]);
  });

  it('GET /claims?expand=names adds the number of the invoice and the name of its customer, as it is now', async () => {
    const customer = await create('/customers', { company_name: 'Bay Garage' });
    for (const [invoice_number, customer_id] of [
      ['BAY-1', null],
      ['BAY-2', customer],
    ]) {
      const invoice_id = await create('/invoices', invoiceInput({ invoice_number, customer_id }));
      await create('/claims', { invoice_id, club: 'Interstate Motor Club' });
    }
    const plain = await readItems('/claims');
    expect(plain[0]).to.not.have.any.keys('invoice_number', 'customer_name');
    expect(await readItems('/claims?expand=names')).to.deep.equal([
      { ...plain[0], invoice_number: 'BAY-2', customer_name: 'Bay Garage' },
      { ...plain[1], invoice_number: 'BAY-1', customer_name: null },
    ]);
    await tenant.client.patch(`/customers/${customer}`, { company_name: 'Bay Motors' });
    const [found] = await readItems('/claims?search=interstate&expand=names');
    expect(found).to.include({ invoice_number: 'BAY-2', customer_name: 'Bay Motors' });
    expect(listValidationErrors(await tenant.client.get('/claims?expand=all'))).to.deep.equal([
      'expand only',
    ]);
  });

  it('GET /dispatch-board?expand=names adds the customers of its work orders alone', async () => {
    const other = await create('/customers', { company_name: 'Not on the board' });
    expect((await tenant.client.get('/dispatch-board')).body).to.not.have.property('customers');
    const { body } = await tenant.client.get('/dispatch-board?expand=names');
    expect(body.customers).to.deep.equal([{ id: ids.customer, company_name: 'Old "Name"' }]);
    expect(body.active_jobs[0]).to.include({ id: ids.workOrder, customer_id: ids.customer });
    await tenant.client.patch(`/customers/${ids.customer}`, { company_name: 'New Name' });
    const { body: renamed } = await tenant.client.get('/dispatch-board?expand=names');
    expect(renamed.customers).to.deep.equal([{ id: ids.customer, company_name: 'New Name' }]);
    expect(JSON.stringify(renamed)).to.not.include(other);
  });
});
