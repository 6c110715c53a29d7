import { expect } from 'chai';
import { expectError } from '../../support/expect-error.js';
import { useMailFixture } from './mail-fixture.js';

const ATTACK = '<img src=x onerror=alert(1)>';

describe("an account's own texts of messages", () => {
  const mail = useMailFixture({ isPerTest: true });
  const lastMail = () => mail.server.accepted.at(-1)?.mail;

  it('a mail has the subject and the first words of the account, with the facts of the invoice', async () => {
    const { client } = mail.tenant;
    const changed = await client.patch('/settings', {
      mail_subject: '{company}: {invoice_number}',
      mail_text: `Thank you ${ATTACK}\nYou owe {balance}, due {due_date}. {link}`,
    });
    expect(changed.status, changed.text).to.equal(200);
    const id = await mail.sendNewInvoice({ due_date: '2027-01-16T12:00:00Z' });
    const invoice = await mail.waitForDelivery(id, 'sent');
    expect(lastMail()?.subject).to.equal(`Hudson Towing: ${invoice.invoice_number}`);
    expect(lastMail()?.text).to.match(
      /^Thank you .+\nYou owe \$\d+\.\d\d, due Jan 16, 2027\. https:\/\/\S+\/i\/\S+\n/,
    );
    expect(lastMail()?.text).to.include(ATTACK);
    expect(lastMail()?.html).to.not.include(ATTACK);
    expect(lastMail()?.html).to.match(/Thank you (?:&lt;|&#60;)img/);
  });

  it('null returns to the texts of the service', async () => {
    const { client } = mail.tenant;
    await client.patch('/settings', { mail_subject: 'Mine', mail_text: 'Mine' });
    const { body } = await client.patch('/settings', { mail_subject: null, mail_text: null });
    expect([body.mail_subject, body.mail_text]).to.deep.equal([null, null]);
    const id = await mail.sendNewInvoice();
    const invoice = await mail.waitForDelivery(id, 'sent');
    expect(lastMail()?.subject).to.equal(`Invoice ${invoice.invoice_number} from Hudson Towing`);
    expect(lastMail()?.text).to.not.include('Mine');
  });

  it('a text message has the words of the account and the link', async () => {
    const { client } = mail.tenant;
    await client.patch('/settings', {
      sms_text: 'Pay {balance} for {invoice_number} to {company} {due_date}: {link}',
    });
    const { body: customer } = await client.post('/customers', {
      company_name: 'Road & Sons',
      primary_phone: '+1 555 0100',
    });
    const id = await mail.createApprovedInvoice({ customer_id: customer.id });
    await client.post(`/invoices/${id}/send`, { channel: 'sms' });
    const [message] = await mail.listMessages(id);
    const { body } = await client.get(`/messages/${message.id}`);
    expect(body.body_text).to.match(/^Pay \$\d+\.\d\d for \S+ to Hudson Towing .+: https:\/\/\S+\/i\/\S+$/);
  });

  it('an unknown placeholder and a text message without a link are refused, each with its reason', async () => {
    const response = await mail.tenant.client.patch('/settings', {
      mail_subject: 'Dear {customer}',
      sms_text: 'You owe {balance}',
    });
    const errors = expectError(response, 400, 'validation_error');
    expect(errors.map(({ field }) => field)).to.have.members(['mail_subject', 'sms_text']);
    expect(errors[0]?.message).to.include('only {company}, {invoice_number}');
    expect(errors[1]?.message).to.include('must contain {link}, and');
  });
});
