import { expect } from 'chai';
import { type AutopayRule, chargeDue, PayingCustomer } from '../../../support/billing/paying-customer.js';
import type { Json } from '../../../support/client.js';
import { eventually } from '../../../support/poll.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { type PayingAccount, usePayingStack } from '../../../support/vendors/paying.js';

describe('automatic charges', () => {
  requireContracts();
  const paying = usePayingStack();
  let account: PayingAccount;

  before(async () => {
    account = await paying.createAccount({ methods: ['card', 'us_bank_account'] });
  });
  afterEach(() => {
    account.vendor.nextDecline = undefined;
  });

  const countCharges = () => account.vendor.list('payment_intent').length;

  const openCustomer = (rule: AutopayRule = {}) => PayingCustomer.open(account, rule);

  it('an invoice is charged when it is sent, once, and a receipt goes to the customer', async () => {
    const customer = await openCustomer();
    const id = await customer.sendInvoice(8000);
    await chargeDue(paying.stack);
    await account.waitForInvoice(id, 'paid');
    const attempt = await customer.waitForAttempt(id, 'succeeded');
    expect(attempt).to.include({ attempt: 1, amount_cents: 8000, next_attempt_at: null });
    const [payment] = await account.listPayments(id);
    expect(payment).to.include({ provider_payment_id: attempt.provider_payment_id, method: 'card' });
    const [intent] = account.vendor.list('payment_intent');
    expect(intent).to.include({ amount: 8000, receipt_email: 'pay@riverside.example.com' });
    await chargeDue(paying.stack);
    await chargeDue(paying.stack);
    expect(await customer.listAttempts(id)).to.have.length(1);
    expect(countCharges()).to.equal(1);
  });

  it('the charge is recorded even if its webhooks are lost', async () => {
    const customer = await openCustomer();
    const id = await customer.sendInvoice(8100);
    const { habits } = account.double.webhooks;
    habits.isLost = true;
    await chargeDue(paying.stack);
    await account.waitForInvoice(id, 'paid').finally(() => Object.assign(habits, { isLost: false }));
  });

  it('an invoice that is due later is charged on its due date', async () => {
    const customer = await openCustomer({ when: 'due_date' });
    const id = await customer.sendInvoice(8200);
    await chargeDue(paying.stack);
    expect(await customer.listAttempts(id)).to.deep.equal([]);
    const text = `update invoices set due_date = now() where tenant_id = $1 and id = $2`;
    await paying.stack.rows(account.tenant.id, text, [account.tenant.id, id]);
    await chargeDue(paying.stack);
    await account.waitForInvoice(id, 'paid');
  });

  it('an invoice that was sent before autopay was set is not charged', async () => {
    const customer = await openCustomer({ isOff: true });
    const id = await customer.sendInvoice(8300);
    await customer.setAutopay();
    await chargeDue(paying.stack);
    expect(await customer.listAttempts(id)).to.deep.equal([]);
  });

  it('a decline that may pass is tried again after 1, 3 and 5 days, then the account gets a notice', async () => {
    const customer = await openCustomer();
    const id = await customer.sendInvoice(8400);
    for (const [index, days] of [1, 3, 5, null].entries()) {
      account.vendor.nextDecline = 'insufficient_funds';
      await chargeDue(paying.stack);
      const attempt = await customer.waitForAttempt(id, 'failed', index + 1);
      expect(attempt).to.include({ attempt: index + 1, decline_code: 'insufficient_funds' });
      if (days === null) expect(attempt.next_attempt_at).to.equal(null);
      else {
        const wait = Date.parse(attempt.next_attempt_at) - Date.parse(attempt.updated_at);
        expect(Math.round(wait / 86_400_000)).to.equal(days);
      }
      await chargeDue(paying.stack);
      expect(await customer.listAttempts(id)).to.have.length(index + 1);
      await customer.passDays();
    }
    await chargeDue(paying.stack);
    expect(await customer.listAttempts(id)).to.have.length(4);
    expect(await customer.findNotice(id)).to.include({ kind: 'autopay_failed' });
    expect((await account.readInvoice(id)).balance_due_cents).to.equal(8400);
  });

  for (const [code, advice, toCustomer] of [
    ['authentication_required', 'The customer has to pay another way', 'Your bank wants you to confirm'],
    ['stolen_card', 'It is not tried again', 'We could not charge $85.00'],
  ] as const)
    it(`after ${code}, the charge is not tried again and the notice says what to do`, async () => {
      const customer = await openCustomer();
      const id = await customer.sendInvoice(8500);
      account.vendor.nextDecline = code;
      await chargeDue(paying.stack);
      const attempt = await customer.waitForAttempt(id, 'failed');
      expect(attempt.next_attempt_at).to.equal(null);
      expect((await customer.findNotice(id))?.text).to.contain(advice);
      const text = `select body_text from messages where tenant_id = $1 and invoice_id = $2 and template = 'charge_failed'`;
      const [mail] = await paying.stack.rows<{ body_text: string }>(account.tenant.id, text, [
        account.tenant.id,
        id,
      ]);
      expect(mail?.body_text).to.contain(toCustomer).and.contain('See and pay the invoice: http');
      expect(mail?.body_text).to.not.contain('stolen');
    });

  it('a bank debit is processing until it settles, and one that fails after days is not tried again', async () => {
    const customer = await openCustomer({ type: 'us_bank_account' });
    const settled = await customer.sendInvoice(8600);
    await chargeDue(paying.stack);
    await customer.waitForAttempt(settled, 'processing');
    await chargeDue(paying.stack);
    expect(await customer.listAttempts(settled)).to.have.length(1);
    account.double.settle(account.vendor.list('payment_intent')[0] as never);
    await account.waitForInvoice(settled, 'paid');
    await eventually('the attempt has succeeded', async () => {
      await chargeDue(paying.stack);
      const [attempt] = await customer.listAttempts(settled);
      return attempt?.status === 'succeeded';
    });

    const failed = await customer.sendInvoice(8700);
    await chargeDue(paying.stack);
    await customer.waitForAttempt(failed, 'processing');
    await eventually('the debit is here', async () => (await account.listPayments(failed)).length === 1);
    account.double.fail(account.vendor.list('payment_intent')[0] as never, 'insufficient_funds');
    await eventually('the attempt has failed', async () => {
      await chargeDue(paying.stack);
      const [attempt] = await customer.listAttempts(failed);
      return attempt?.status === 'failed' && attempt.next_attempt_at === null;
    });
  });

  it('an invoice that is paid before its charge leaves is not charged', async () => {
    const customer = await openCustomer();
    const id = await customer.sendInvoice(8800);
    const before = countCharges();
    let refused = 0;
    account.double.misbehave = (name) => {
      if (name === 'POST /v1/payment_intents') refused += 1;
      return { kind: 'limit', seconds: 60 };
    };
    await chargeDue(paying.stack);
    await customer.waitForAttempt(id, 'charging');
    // A worker that has read the invoice would charge it if it called later than the payment.
    await eventually('the charge is refused', () => refused > 0);
    await account.client.post(`/invoices/${id}/payments`, { amount_cents: 8800, method: 'cash' });
    account.double.misbehave = () => undefined;
    await eventually('the attempt is cancelled', async () => {
      await account.hurry([]);
      return (await customer.listAttempts(id))[0]?.status === 'cancelled';
    });
    expect(countCharges()).to.equal(before);
  });

  it('a charge whose answer was lost is found by its payment, and charged once', async () => {
    const customer = await openCustomer();
    const id = await customer.sendInvoice(9100);
    const { habits } = account.double.webhooks;
    let isLost = false;
    account.double.misbehave = (name) => {
      if (isLost || name !== 'POST /v1/payment_intents') return undefined;
      isLost = true;
      return { kind: 'cut_after' };
    };
    habits.isLost = true;
    const before = countCharges();
    await chargeDue(paying.stack);
    await eventually('the attempt has succeeded', async () => {
      await account.hurry([]);
      return (await customer.listAttempts(id))[0]?.status === 'succeeded';
    }).finally(() => Object.assign(habits, { isLost: false }));
    account.double.misbehave = () => undefined;
    await account.waitForInvoice(id, 'paid');
    expect(countCharges()).to.equal(before + 1);
  });

  it('a charge that was cut off before it arrived is not repeated if the customer has paid meanwhile', async () => {
    const customer = await openCustomer();
    const id = await customer.sendInvoice(9150);
    const before = countCharges();
    account.double.misbehave = (name) =>
      name === 'POST /v1/payment_intents' ? { kind: 'cut_before' } : undefined;
    await chargeDue(paying.stack);
    await eventually('the outcome is unknown', async () => {
      const text =
        'select from outbound_operations where tenant_id = $1 and may_have_arrived and kind = $2 and next_at is not null';
      return (
        (await paying.stack.rows(account.tenant.id, text, [account.tenant.id, 'autopay_attempt'])).length > 0
      );
    });
    await account.client.post(`/invoices/${id}/payments`, { amount_cents: 9150, method: 'cash' });
    account.double.misbehave = () => undefined;
    await eventually('the attempt is cancelled', async () => {
      await account.hurry([]);
      return (await customer.listAttempts(id))[0]?.status === 'cancelled';
    });
    expect(countCharges()).to.equal(before);
  });

  it('a charge that nobody answers is not tried again, and nobody is asked to pay again', async () => {
    const customer = await openCustomer();
    const id = await customer.sendInvoice(9200);
    account.double.misbehave = (name) =>
      name.endsWith('/v1/payment_intents') ? { kind: 'status', status: 500 } : undefined;
    await chargeDue(paying.stack);
    const attempt = await eventually('the attempt is given up', async () => {
      await account.hurry([]);
      const [newest] = await customer.listAttempts(id);
      return newest?.status === 'failed' && newest;
    }).finally(() => {
      account.double.misbehave = () => undefined;
    });
    expect(attempt).to.include({ decline_code: 'outcome_unknown', next_attempt_at: null });
    expect((await customer.findNotice(id))?.text).to.contain('whether the customer was charged');
    const text = `select from messages where tenant_id = $1 and invoice_id = $2 and template = 'charge_failed'`;
    expect(await paying.stack.rows(account.tenant.id, text, [account.tenant.id, id])).to.deep.equal([]);
    await chargeDue(paying.stack);
    expect(await customer.listAttempts(id)).to.have.length(1);
  });

  it('a planned charge does not run after autopay was switched off, and no reader takes its invoice', async () => {
    const customer = await openCustomer();
    const id = await customer.sendInvoice(9300);
    await account.client.post(`/connections/${account.connectionId}/pause`, {});
    // The clock plans nothing while the connection is paused.
    await chargeDue(paying.stack);
    expect(await customer.listAttempts(id)).to.deep.equal([]);
    await account.client.post(`/connections/${account.connectionId}/resume`, {});
    await account.waitForStatus('active');
    account.double.misbehave = () => ({ kind: 'limit', seconds: 60 });
    await chargeDue(paying.stack);
    await customer.waitForAttempt(id, 'charging');
    await account.client.patch(`/customers/${customer.id}`, { autopay: null });
    account.double.misbehave = () => undefined;
    await eventually('the attempt is cancelled', async () => {
      await account.hurry([]);
      return (await customer.listAttempts(id))[0]?.status === 'cancelled';
    });
    expect((await account.readInvoice(id)).balance_due_cents).to.equal(9300);
  });

  it('after the last failure, another payment method in autopay charges the invoice', async () => {
    const customer = await openCustomer();
    const id = await customer.sendInvoice(9400);
    account.vendor.nextDecline = 'expired_card';
    await chargeDue(paying.stack);
    await customer.waitForAttempt(id, 'failed');
    const next = await account.saveMethod(customer.id);
    const autopay = { payment_method_id: next.id, when: 'release' };
    await account.client.patch(`/customers/${customer.id}`, { autopay });
    await chargeDue(paying.stack);
    await account.waitForInvoice(id, 'paid');
  });

  it('a method that was removed at the vendor is not charged, and the account gets a notice', async () => {
    const customer = await openCustomer();
    account.double.detachMethod(account.vendor.list('payment_method')[0] as never);
    await account.waitForMethod(customer.methodId, 'removed');
    const id = await customer.sendInvoice(8900);
    await chargeDue(paying.stack);
    const attempt = await customer.waitForAttempt(id, 'failed');
    expect(attempt).to.include({ decline_code: 'payment_method_removed', next_attempt_at: null });
    expect(await customer.findNotice(id)).to.include({ kind: 'autopay_failed' });
  });

  it('after a disconnection, a planned charge ends with a notice and is not planned again', async () => {
    const own = await paying.createAccount({ methods: ['card'] });
    const customer = await PayingCustomer.open(own, {});
    const id = await customer.sendInvoice(9000);
    let isLimited = false;
    own.double.misbehave = () => {
      isLimited = true;
      return { kind: 'limit', seconds: 60 };
    };
    await chargeDue(paying.stack);
    await customer.waitForAttempt(id, 'charging');
    await eventually('the vendor has refused a call', () => isLimited);
    await own.client.delete(`/connections/${own.connectionId}`);
    own.double.misbehave = () => undefined;
    await customer.waitForAttempt(id, 'cancelled');
    await chargeDue(paying.stack);
    await customer.waitForAttempt(id, 'failed', 2);
    await chargeDue(paying.stack);
    expect(await customer.listAttempts(id)).to.have.length(2);
    expect((await customer.findNotice(id))?.text).to.contain('was disconnected');
  });

  it("a recurring invoice's own autopay takes precedence over the customer's", async () => {
    const customer = await openCustomer({ when: 'due_date' });
    const own = await account.saveMethod(customer.id, { type: 'us_bank_account' });
    const recurring = await customer.createRecurring({ payment_method_id: own.id, when: 'release' });
    const invoice = await customer.runRecurring(recurring);
    await chargeDue(paying.stack);
    const attempt = await customer.waitForAttempt(invoice, 'processing');
    expect(attempt.payment_method_id).to.equal(own.id);
  });

  it('an expiring card that autopay uses is announced once', async () => {
    const customer = await openCustomer();
    const text = `update saved_methods set exp_year = extract(year from now()), exp_month = extract(month from now())
      where tenant_id = $1 and id = $2`;
    await paying.stack.rows(account.tenant.id, text, [account.tenant.id, customer.methodId]);
    const find = async (): Promise<Json[]> => {
      const { body } = await account.client.get('/notices');
      return body.data.items.filter((one: Json) => one.entity_id === customer.methodId);
    };
    await chargeDue(paying.stack, 'announce-expiring-cards');
    await eventually('the expiry is announced', async () => (await find()).length === 1);
    await chargeDue(paying.stack, 'announce-expiring-cards');
    expect((await find()).map(({ kind }) => kind)).to.deep.equal(['card_expiring']);
  });
});
