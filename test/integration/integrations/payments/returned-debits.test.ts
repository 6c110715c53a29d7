import { expect } from 'chai';
import { MailServer, type ReceivedMail } from '../../../support/network/mail-server.js';
import { eventually } from '../../../support/poll.js';
import { createApprovedInvoice } from '../../../support/vendors/approved-invoice.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { type PayingAccount, PayingStack } from '../../../support/vendors/paying.js';

const CUSTOMER = 'pay@riverside.example.com';

describe('mails about returned debits', () => {
  requireContracts();
  let mails: MailServer;
  let paying: PayingStack;
  let account: PayingAccount;

  before(async () => {
    mails = await MailServer.start();
    const environment = { SMTP_URL: mails.url, MAIL_FROM: 'invoices@tow.example.com' };
    paying = await PayingStack.start({ environment });
    account = await paying.createAccount({ methods: ['card', 'us_bank_account'] });
  });
  after(async () => {
    await paying?.stop();
    await mails?.stop();
  });
  afterEach(() => expect(paying.double.violations).to.deep.equal([]));

  /** Sends an invoice of 125 dollars, and pays it by a bank debit that is still processing. */
  async function startDebit() {
    const id = await account.createInvoice();
    await account.client.post(`/invoices/${id}/send`, {});
    await eventually('the invoice is sent', async () => {
      const { delivery } = await account.readInvoice(id);
      return delivery.state === 'sent';
    });
    const { url } = await account.openPayLink(id);
    const intent = account.double.pay(url, 'us_bank_account');
    await waitForPayment(id, 'processing');
    return { id, intent };
  }
  const waitForPayment = (id: string, status: string) =>
    eventually(
      `the payment is ${status}`,
      async () => (await account.listPayments(id))[0]?.status === status,
    );
  const listReturned = async (id: string) => {
    const { body } = await account.client.get(`/messages?invoice_id=${id}`);
    return body.data.items.filter(({ template }: { template: string }) => template === 'debit_returned');
  };
  const waitForMail = async (id: string): Promise<ReceivedMail> => {
    const message = await eventually('the mail is sent', async () => {
      const [found] = await listReturned(id);
      return found?.state === 'sent' ? found : undefined;
    });
    return mails.accepted.find(({ mail }) => mail.messageId?.includes(message.id)) as ReceivedMail;
  };

  it('a debit that comes back after it had arrived is mailed to the customer with a link to pay', async () => {
    const { id, intent } = await startDebit();
    account.double.settle(intent);
    await account.waitForInvoice(id, 'paid');
    expect(await listReturned(id)).to.be.empty;
    account.double.dispute(intent, 'insufficient_funds');
    const { to, mail } = await waitForMail(id);
    expect(to).to.deep.equal([CUSTOMER]);
    const { invoice_number: number } = await account.readInvoice(id);
    expect(mail.subject).to.contain('Your bank returned the payment of invoice').and.to.contain(number);
    expect(mail.text).to.contain('returned the debit of $125.00').and.to.contain('too little money');
    expect(mail.text).to.contain('$125.00 of the invoice are open');
    const [, token] = /\/i\/([\w-]+)/.exec(mail.text ?? '') ?? [];
    const page = await fetch(`${account.stack.origin}/i/${token}`);
    expect([page.status, await page.text()].join(' ')).to.match(/^200 .*Pay \$125\.00 online/s);
  });

  it('a debit that fails before it arrives is mailed once, however often it is reported', async () => {
    const { id, intent } = await startDebit();
    account.double.webhooks.habits.copies = 3;
    account.double.fail(intent, 'account_closed');
    await waitForPayment(id, 'failed');
    await waitForMail(id);
    account.double.webhooks.habits.copies = 1;
    await account.double.webhooks.settle();
    await account.hurry();
    expect(await listReturned(id)).to.have.length(1);
    expect((await account.readInvoice(id)).delivery.state).to.equal('sent');
  });

  it('a mail about a debit that the mail server refused keeps its words when it is sent again', async () => {
    const { id, intent } = await startDebit();
    mails.setNextBehaviors({ as: 'refuse', code: 550, text: 'No such mailbox', at: 'data' });
    account.double.fail(intent, 'insufficient_funds');
    const [failed] = await eventually('the mail is refused', async () => {
      const found = await listReturned(id);
      return found[0]?.state === 'failed' ? found : undefined;
    });
    await account.client.post(`/messages/${failed.id}/retry`, {});
    const { mail } = await waitForMail(id);
    expect(mail.subject).to.contain('Your bank returned the payment');
  });

  it('a lost dispute of a card, and a debit of an invoice that was never sent, mail nobody', async () => {
    const disputed = await startDebit();
    account.double.settle(disputed.intent);
    await account.waitForInvoice(disputed.id, 'paid');
    const dispute = account.double.dispute(disputed.intent, 'fraudulent');
    account.double.closeDispute(dispute, 'lost');
    await eventually('the money is taken back', async () => {
      return (await account.readInvoice(disputed.id)).paid_cents === 0;
    });
    expect(await listReturned(disputed.id)).to.be.empty;
    const unsent = await account.createInvoice();
    const { url } = await account.openPayLink(unsent);
    const intent = account.double.pay(url, 'us_bank_account');
    await waitForPayment(unsent, 'processing');
    account.double.fail(intent, 'insufficient_funds');
    await waitForPayment(unsent, 'failed');
    expect(await listReturned(unsent)).to.be.empty;
  });

  it('a sandbox keeps the mail in the outbox', async () => {
    const { sandbox } = account.tenant;
    const id = await createApprovedInvoice(sandbox, 9000, { billing_email: 'a@example.com' });
    const path = `/invoices/${id}`;
    await sandbox.post(`${path}/send`, {});
    const link = await sandbox.post(`${path}/pay-link`, {});
    const press = (outcome: string) =>
      fetch(`${account.stack.origin}${new URL(link.body.url).pathname}`, {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams({ outcome }),
      });
    await press('bank');
    await press('fail');
    const message = await eventually('the mail is stored', async () => {
      const { body } = await sandbox.get(`/messages?invoice_id=${id}`);
      return body.data.items.find(({ template }: { template: string }) => template === 'debit_returned');
    });
    expect(message).to.include({ state: 'sent', provider: 'outbox', recipient: 'a@example.com' });
    expect(message.subject).to.match(/^\[.*\] Your bank returned the payment/);
  });
});
