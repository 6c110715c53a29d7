/** Checks that many mails or slow PDFs of one account do not delay the mails of another account. */
import { expect } from 'chai';
import { openInvoicePdfs } from '../../../shared/documents/pdf/invoice-pdfs.js';
import { TooManyWaitingError } from '../../../shared/platform/limits/fair-limit.js';
import { openMessagesQueue, promptMessages } from '../../../shared/queues/messages.js';
import { eventually } from '../../support/poll.js';
import { invoiceInput } from '../../support/records/samples.js';
import type { TestTenant } from '../../support/stack.js';
import { useMailFixture } from './mail-fixture.js';

const MANY = 300;

describe('fair sharing of mails between accounts', () => {
  const mail = useMailFixture({ isPerTest: true });
  let other: TestTenant;

  beforeEach(async () => {
    other = await mail.stack.createTenant('Other Towing');
  });

  /**
   * Sends an invoice of the other account, and waits until the mail server has accepted its mail.
   * Returns the mail's position among the mails accepted after the request to send it.
   */
  async function sendInvoiceOfOther(): Promise<number> {
    const { client } = other;
    const address = `other-${other.id}@example.com`;
    const { body } = await client.post('/invoices', invoiceInput({ billing_email: address }));
    await client.post(`/invoices/${body.id}/approve`, {});
    await client.post(`/invoices/${body.id}/send`, {});
    const before = mail.server.accepted.length;
    const findPlace = () => mail.server.accepted.findIndex(({ to }) => to.includes(address)) + 1;
    const place = await eventually('the mail of the other account', async () => findPlace() || false);
    return place - before;
  }

  /**
   * Queues `MANY` copies of a sent message, each with a wake-up job, as if many invoices were
   * released.
   */
  async function queueMany(): Promise<void> {
    const { id: tenantId } = mail.tenant;
    const invoice = await mail.sendNewInvoice();
    await mail.waitForDelivery(invoice, 'sent');
    const rows = await mail.stack.rows<{ id: string }>(
      tenantId,
      `insert into messages (tenant_id, id, invoice_id, channel, recipient, subject, body_text, state, provider)
       select m.tenant_id, gen_random_uuid(), m.invoice_id, m.channel, m.recipient, m.subject, m.body_text, 'queued', 'smtp'
       from messages m, generate_series(1, $2::int) where m.invoice_id = $1 returning id`,
      [invoice, MANY],
    );
    const prompts = rows.map(({ id: messageId }) => ({ tenantId, messageId, attempts: 0 }));
    const queue = openMessagesQueue(mail.stack.runtime);
    // Add only 20 jobs at a time. A queue on PostgreSQL has four connections, and a call fails
    // after it has waited 3 s for one of them.
    for (let start = 0; start < MANY; start += 20)
      await Promise.all(prompts.slice(start, start + 20).map((one) => promptMessages(queue, [one])));
  }

  it('slow PDFs of one account do not delay the mails of another account', async () => {
    const pdfs = openInvoicePdfs(mail.stack.runtime);
    const get = pdfs.get.bind(pdfs);
    const waiting: (() => void)[] = [];
    pdfs.get = async (request) => {
      if (request.tenantId === mail.tenant.id) await new Promise<void>((resolve) => waiting.push(resolve));
      return get(request);
    };
    const slow = await Promise.all(Array.from({ length: 6 }, () => mail.sendNewInvoice()));
    await eventually('the slow PDFs are being drawn', () => waiting.length >= 3);
    await sendInvoiceOfOther();
    expect(waiting, 'concurrently for one account').to.have.length(3);
    pdfs.get = get;
    for (const resolve of waiting) resolve();
    for (const invoice of slow) await mail.waitForDelivery(invoice, 'sent');
  });

  it('a mail whose PDF cannot be drawn yet uses no attempt and counts once against the daily limit', async () => {
    const pdfs = openInvoicePdfs(mail.stack.runtime);
    const get = pdfs.get.bind(pdfs);
    pdfs.get = () => Promise.reject(new TooManyWaitingError('too many are waiting'));
    const invoice = await mail.sendNewInvoice();
    const message = await eventually('the message waits', async () => {
      const [one] = await mail.listMessages(invoice);
      return one.error !== null && one;
    });
    expect(message).to.include({ state: 'queued', attempts: 0 });
    expect(message.error).to.match(/Too many PDFs/);
    expect(Date.parse(message.next_attempt_at)).to.be.within(Date.now() + 30_000, Date.now() + 61_000);
    pdfs.get = get;
    await mail.retryNow(message.id);
    await mail.waitForDelivery(invoice, 'sent');
    expect((await mail.listMessages(invoice))[0]).to.include({ state: 'sent', attempts: 1 });
    const dailyCounts = await mail.stack.rows<{ mails: number }>(
      mail.tenant.id,
      'select mails from mail_days',
    );
    expect(dailyCounts).to.deep.equal([{ mails: 1 }]);
  });

  it('mails of two accounts alternate however many one account has queued, four at a time', async () => {
    const { length: before } = mail.server.accepted;
    mail.server.delayMs = 250;
    await queueMany();
    expect(await sendInvoiceOfOther(), 'mails before it').to.be.at.most(8);
    expect(mail.server.accepted.length - before, 'the first account has many left').to.be.below(MANY / 2);
    expect(mail.server.maxConcurrent).to.be.within(3, 4);
  });
});
