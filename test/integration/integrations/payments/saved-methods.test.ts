import { expect } from 'chai';
import { newId } from '../../../../shared/platform/ids.js';
import { expectError } from '../../../support/expect-error.js';
import { eventually } from '../../../support/poll.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { type PayingAccount, usePayingStack } from '../../../support/vendors/paying.js';

describe('saved payment methods', () => {
  requireContracts();
  const paying = usePayingStack();
  let account: PayingAccount;

  before(async () => {
    account = await paying.createAccount({ methods: ['card', 'us_bank_account', 'link'] });
  });

  it('a set-up link leads to a page where the customer saves a card, without a charge', async () => {
    const customerId = await account.createCustomer();
    const opened = await account.openSetupLink(customerId);
    expect(opened).to.include({ customer_id: customerId, status: 'open', type: 'unknown' });
    const [, session] = account.double.findSession(opened.url);
    expect(session).to.include({ mode: 'setup', customer_email: 'pay@riverside.example.com' });
    account.double.saveMethod(opened.url);
    const method = await account.waitForMethod(opened.id, 'active');
    expect(method).to.include({ type: 'card', brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2030 });
    const { body } = await account.client.get(`/customers/${customerId}/payment-methods`);
    expect(body.data.items.map(({ id }: { id: string }) => id)).to.deep.equal([opened.id]);
    expect(account.vendor.list('payment_intent')).to.deep.equal([]);
  });

  it('a second method of the customer belongs to the same customer of the vendor', async () => {
    const customerId = await account.createCustomer();
    const first = await account.saveMethod(customerId);
    const second = await account.saveMethod(customerId, { type: 'us_bank_account' });
    expect(second).to.include({ type: 'us_bank_account', brand: 'STRIPE TEST BANK', last4: '6789' });
    const owners = account.vendor
      .list('payment_method')
      .slice(0, 2)
      .map(({ customer }) => customer);
    expect(new Set(owners).size).to.equal(1);
    expect(first.id).to.not.equal(second.id);
  });

  it('a bank account that is verified by deposits is usable only after the customer confirmed them', async () => {
    const customerId = await account.createCustomer();
    for (const isRight of [true, false]) {
      const opened = await account.openSetupLink(customerId);
      const { intent } = account.double.saveMethod(opened.url, { type: 'us_bank_account', byDeposits: true });
      const waiting = await account.waitForMethod(opened.id, 'verifying');
      expect(waiting.verification_url).to.equal('https://payments.stripe.com/microdeposit/x');
      const body = { autopay: { payment_method_id: opened.id, when: 'release' } };
      expectError(await account.client.patch(`/customers/${customerId}`, body), 400, 'validation_error');
      account.double.verifyDeposits(intent, isRight);
      const ended = await account.waitForMethod(opened.id, isRight ? 'active' : 'failed');
      expect(ended.verification_url).to.equal(null);
      expect(ended.error).to.equal(
        isRight ? null : 'You have exceeded the number of allowed verification attempts.',
      );
    }
  });

  it('a method that was saved while webhooks were lost is found by the next pull', async () => {
    const opened = await account.openSetupLink(await account.createCustomer());
    const { habits } = account.double.webhooks;
    habits.isLost = true;
    account.double.saveMethod(opened.url);
    habits.isLost = false;
    await account.hurry(['payment_methods']);
    await account.waitForMethod(opened.id, 'active');
  });

  it('a removed method is detached at the vendor, and one removed there is removed here', async () => {
    const customerId = await account.createCustomer();
    const ours = await account.saveMethod(customerId);
    const path = `/customers/${customerId}/payment-methods/${ours.id}`;
    expect((await account.client.delete(path)).body.status).to.equal('removed');
    const [method] = account.vendor.list('payment_method');
    await eventually('the method is detached', () => method?.customer === null);
    expect((await account.client.delete(path)).status).to.equal(200);

    const theirs = await account.saveMethod(customerId);
    account.double.detachMethod(account.vendor.list('payment_method')[0] as never);
    await account.waitForMethod(theirs.id, 'removed');
  });

  it('an open page that is removed closes at the vendor', async () => {
    const customerId = await account.createCustomer();
    const opened = await account.openSetupLink(customerId);
    const [, session] = account.double.findSession(opened.url);
    await account.client.delete(`/customers/${customerId}/payment-methods/${opened.id}`);
    await eventually('the page is closed', () => session.status === 'expired');
  });

  it('a method that autopay uses, or of another customer, is not removed', async () => {
    const customerId = await account.createCustomer();
    const { id } = await account.saveMethod(customerId);
    const autopay = { payment_method_id: id, when: 'due_date' };
    const set = await account.client.patch(`/customers/${customerId}`, { autopay });
    expect(set.body.autopay).to.include(autopay);
    const path = (customer: string) => `/customers/${customer}/payment-methods/${id}`;
    expectError(await account.client.delete(path(customerId)), 409, 'conflict');
    expectError(await account.client.delete(path(await account.createCustomer())), 404, 'not_found');
    await account.client.patch(`/customers/${customerId}`, { autopay: null });
    expect((await account.client.delete(path(customerId))).status).to.equal(200);
  });

  it('autopay refuses a method of another customer, and needs the permission approve', async () => {
    const { id } = await account.saveMethod(await account.createCustomer());
    const other = await account.createCustomer();
    const body = { autopay: { payment_method_id: id, when: 'release' } };
    const refused = await account.client.patch(`/customers/${other}`, body);
    expectError(refused, 400, 'validation_error');
    expect(refused.body.error.details).to.deep.include({
      field: 'autopay.payment_method_id',
      code: 'unknown',
      message: 'autopay.payment_method_id is not a payment method of this customer',
    });
    const key = await account.stack.createKey(account.tenant.id, { permissions: ['read', 'write'] });
    const writer = account.stack.createClient(key);
    expectError(await writer.patch(`/customers/${other}`, body), 403, 'insufficient_scope');
    const unknown = await account.client.patch(`/customers/${newId()}`, body);
    expectError(unknown, 404, 'not_found');
  });

  it('without a connected vendor, a set-up link is refused with a sentence', async () => {
    const tenant = await paying.stack.createTenant();
    const customer = await tenant.client.post('/customers', { company_name: 'A' });
    const refused = await tenant.client.post(`/customers/${customer.body.id}/payment-methods`, {});
    expectError(refused, 409, 'conflict');
  });
});
