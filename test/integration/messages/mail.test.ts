/**
 * Sends invoices by mail through a real SMTP server, which accepts, refuses, hangs or disconnects.
 */
import { expect } from 'chai';
import { newId } from '../../../shared/platform/ids.js';
import { expectError } from '../../support/expect-error.js';
import { eventually } from '../../support/poll.js';
import { MAIL_FROM, useMailFixture } from './mail-fixture.js';

describe('sending invoices by mail', () => {
  const mail = useMailFixture();

  it('an invoice is sent only once the mail server has accepted its mail', async () => {
    const { server, tenant } = mail;
    server.setNextBehaviors({ as: 'hang' });
    const id = await mail.createApprovedInvoice();
    const seen = server.received.length;
    const response = await tenant.client.post(`/invoices/${id}/send`, {});
    expect(response.body).to.include({ status: 'sending', sent_at: null });
    expect(response.body.delivery).to.include({ state: 'queued' });
    await eventually('the data at the server', () => server.received.length === seen + 1);
    const [message] = await mail.listMessages(id);
    expect(message).to.include({ state: 'queued', provider: 'smtp', attempts: 1, sent_at: null });
    expect((await mail.read(`/invoices/${id}`)).delivery.state).to.equal('queued');
    expect(await mail.listEvents(id)).to.deep.equal([]);
    // The server never replies, so the worker gives up and plans a second attempt.
    const late = await eventually('a second attempt is planned', async () => {
      const [now] = await mail.listMessages(id);
      return now.error !== null && now;
    });
    expect(late).to.include({ state: 'queued', attempts: 1 });
    expect(Date.parse(late.next_attempt_at)).to.be.above(Date.now());
    server.release();
    await mail.retryNow(message.id);
    const invoice = await mail.waitForDelivery(id, 'sent');
    expect(invoice.status).to.equal('sending');
    expect(invoice.sent_at).to.be.a('string');
    const [event] = await mail.listEvents(id);
    expect(event.data.object).to.deep.equal(invoice);
    expect(await mail.listEvents(id)).to.have.length(1);
    expect((await mail.listMessages(id))[0]).to.include({ state: 'sent', attempts: 2, error: null });
    expect(mail.countAcceptedMails(message.id)).to.equal(1);
  });

  it('an invoice fails immediately with the reason when the server refuses its mail for good, and can be sent again', async () => {
    const text = '5.1.1 No such user <here>';
    for (const at of ['recipient', 'data'] as const) {
      mail.server.setNextBehaviors({ as: 'refuse', code: 550, text, at });
      const id = await mail.sendNewInvoice();
      const failed = await mail.waitForDelivery(id, 'failed');
      expect(failed.status).to.equal('failed');
      expect(failed.delivery.reason).to.include('550').and.to.include('No such user');
      expect(failed.allowed_actions).to.include.members(['send', 'cancel']);
      const [message] = await mail.listMessages(id);
      expect(message).to.include({ state: 'failed', attempts: 1, error: failed.delivery.reason });
      expect(message.next_attempt_at).to.equal(null);
      expect(await mail.listEvents(id)).to.deep.equal([]);
      const again = await mail.tenant.client.post(`/invoices/${id}/send`, { to: 'other@example.com' });
      expect(again.body).to.include({ status: 'sending' });
      const sent = await mail.waitForDelivery(id, 'sent');
      expect(sent).to.include({ status: 'sending' });
      expect(sent.delivery.reason).to.equal(null);
      expect(await mail.listEvents(id)).to.have.length(1);
      const [newer, older] = await mail.listMessages(id);
      expect([newer.state, older.state]).to.deep.equal(['sent', 'failed']);
      expect(newer.recipient).to.equal('other@example.com');
    }
  });

  it('POST /messages/{id}/retry sends the mail of a failed invoice with its current content', async () => {
    mail.server.setNextBehaviors({ as: 'refuse', code: 554, text: 'no', at: 'data' });
    const id = await mail.sendNewInvoice();
    await mail.waitForDelivery(id, 'failed');
    const [message] = await mail.listMessages(id);
    const before = await mail.read(`/messages/${message.id}`);
    await mail.tenant.client.patch(`/invoices/${id}`, { po_number: 'PO-LATE' });
    const retried = await mail.tenant.client.post(`/messages/${message.id}/retry`, {});
    expect(retried.status, retried.text).to.equal(200);
    expect(retried.body).to.include({ state: 'queued', attempts: 0, error: null });
    expect((await mail.waitForDelivery(id, 'sent')).status).to.equal('sending');
    const after = await mail.read(`/messages/${message.id}`);
    expect(before.body_text).to.not.include('PO-LATE');
    expect(after.body_text).to.include('PO-LATE');
    expect(mail.server.accepted.at(-1)?.mail.text).to.include('PO-LATE');
    expect(await mail.listEvents(id)).to.have.length(1);
    // A second retry changes nothing, because the message is no longer failed.
    const again = await mail.tenant.client.post(`/messages/${message.id}/retry`, {});
    expect(again.body).to.deep.equal(after);
  });

  it('a mail that the server refuses temporarily is sent at the next attempt', async () => {
    mail.server.setNextBehaviors({ as: 'refuse', code: 451, text: '4.7.1 try later', at: 'recipient' });
    const id = await mail.sendNewInvoice();
    const waiting = await eventually('the first refusal', async () => {
      const [message] = await mail.listMessages(id);
      return message.error !== null && message;
    });
    expect(waiting).to.include({ state: 'queued', attempts: 1 });
    expect(waiting.error).to.include('451');
    expect((await mail.read(`/invoices/${id}`)).status).to.equal('sending');
    await mail.retryNow(waiting.id);
    await mail.waitForDelivery(id, 'sent');
    expect((await mail.listMessages(id))[0]).to.include({ state: 'sent', attempts: 2, error: null });
  });

  it('a mail waits when the server refuses the sending account or its quota, and fails when it refuses the message', async () => {
    const refusals = [
      { code: 530, text: '5.7.0 Authentication required', state: 'queued' },
      { code: 535, text: 'no such user', state: 'queued' },
      { code: 550, text: '5.4.5 Daily sending quota exceeded', state: 'queued' },
      { code: 550, text: '5.7.1 Sender rejected for this message', state: 'failed' },
    ];
    for (const { code, text, state } of refusals) {
      mail.server.setNextBehaviors({ as: 'refuse', code, text, at: 'sender' });
      const id = await mail.sendNewInvoice();
      const message = await eventually(`the reply ${code} ${text}`, async () => {
        const [one] = await mail.listMessages(id);
        return one.error !== null && one;
      });
      expect(message, text).to.include({ state, attempts: 1 });
      expect(message.error).to.include(`${code} ${text}`);
      if (state === 'failed') continue;
      await mail.retryNow(message.id);
      await mail.waitForDelivery(id, 'sent');
    }
    // In reply to RCPT TO, code 530 refuses this message, not the sending account.
    mail.server.setNextBehaviors({
      as: 'refuse',
      code: 530,
      text: '5.7.0 not for this one',
      at: 'recipient',
    });
    await mail.waitForDelivery(await mail.sendNewInvoice(), 'failed');
  });

  it('a mail fails after five temporary refusals', async () => {
    const no = { as: 'refuse', code: 452, text: 'full', at: 'data' } as const;
    mail.server.setNextBehaviors(no, no, no, no, no);
    const id = await mail.sendNewInvoice();
    for (let attempt = 1; attempt < 5; attempt += 1) {
      const message = await eventually(`attempt ${attempt}`, async () => {
        const [one] = await mail.listMessages(id);
        return one.attempts === attempt && one.error !== null && one;
      });
      expect(message.state).to.equal('queued');
      await mail.retryNow(message.id);
    }
    expect((await mail.waitForDelivery(id, 'failed')).delivery.reason).to.include('452');
  });

  it('a mail fails after five interrupted attempts, so a mail that kills its worker is not retried forever', async () => {
    mail.server.setNextBehaviors({ as: 'refuse', code: 451, text: 'later', at: 'data' });
    const id = await mail.sendNewInvoice();
    const [message] = await eventually('the first attempt', async () => {
      const found = await mail.listMessages(id);
      return found[0].error !== null && found;
    });
    const text = 'update messages set attempts = 5 where tenant_id = $1 and id = $2';
    await mail.stack.rows(mail.tenant.id, text, [mail.tenant.id, message.id]);
    await mail.retryNow(message.id);
    expect((await mail.waitForDelivery(id, 'failed')).delivery.reason).to.include('broke off');
    expect(mail.countAcceptedMails(message.id)).to.equal(0);
  });

  it('a mail whose connection breaks before the reply is sent again with the same Message-ID', async () => {
    mail.server.setNextBehaviors({ as: 'cut' });
    const seen = mail.server.received.length;
    const id = await mail.sendNewInvoice();
    const [message] = await eventually('the break', async () => {
      const found = await mail.listMessages(id);
      return found[0].error !== null && found;
    });
    expect(await mail.listEvents(id)).to.deep.equal([]);
    await mail.retryNow(message.id);
    await mail.waitForDelivery(id, 'sent');
    const ids = mail.server.received.slice(seen).map(({ mail: one }) => one.messageId);
    expect(ids).to.deep.equal(Array(2).fill(`<${message.id}@${MAIL_FROM.split('@')[1]}>`));
  });

  it('a mail is sent once however many wake-up jobs it has', async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, () => mail.sendNewInvoice()));
    const messages = await Promise.all(ids.map(async (id) => (await mail.listMessages(id))[0].id as string));
    await Promise.all(messages.map((id) => mail.addWakeUpJobs(id, 5)));
    for (const id of ids) await mail.waitForDelivery(id, 'sent');
    await Promise.all(messages.map((id) => mail.addWakeUpJobs(id, 5)));
    for (const [index, id] of ids.entries()) {
      expect(mail.countAcceptedMails(messages[index] as string)).to.equal(1);
      expect(await mail.listEvents(id)).to.have.length(1);
    }
  });

  it('the clock finds a due mail whose wake-up job was lost', async () => {
    const id = await mail.sendNewInvoice();
    await mail.waitForDelivery(id, 'sent');
    const [message] = await mail.listMessages(id);
    await mail.stack.rows(
      mail.tenant.id,
      `update messages set state = 'queued', attempts = 0, accepted_at = null, attempt_after = now() - interval '1 hour'
       where tenant_id = $1 and id = $2`,
      [mail.tenant.id, message.id],
    );
    await eventually('the clock finds it', () => mail.countAcceptedMails(message.id) === 2);
  });

  it('an accepted mail whose outcome was not recorded is recorded without being sent again', async () => {
    const id = await mail.sendNewInvoice();
    await mail.waitForDelivery(id, 'sent');
    const [message] = await mail.listMessages(id);
    await mail.stack.rows(
      mail.tenant.id,
      `update messages set state = 'queued', attempt_after = now() where tenant_id = $1 and id = $2`,
      [mail.tenant.id, message.id],
    );
    await mail.retryNow(message.id);
    await eventually('the record', async () => (await mail.listMessages(id))[0].state === 'sent');
    expect(mail.countAcceptedMails(message.id)).to.equal(1);
    expect(await mail.listEvents(id), 'one event for one release').to.have.length(1);
  });

  it('an invoice that is paid or voided while its mail waits keeps that status, and the mail of a void one is not sent', async () => {
    const refuse = { as: 'refuse', code: 451, text: 'later', at: 'recipient' } as const;
    const waitForRefusal = async (id: string) =>
      eventually('a first refusal', async () => {
        const [message] = await mail.listMessages(id);
        return message.error !== null && (message.id as string);
      });
    mail.server.setNextBehaviors(refuse);
    const paid = await mail.sendNewInvoice();
    const paidMessage = await waitForRefusal(paid);
    await mail.tenant.client.post(`/invoices/${paid}/payments`, { amount_cents: 10_000, method: 'cash' });
    mail.server.setNextBehaviors({ as: 'refuse', code: 550, text: 'gone', at: 'recipient' });
    await mail.retryNow(paidMessage);
    expect((await mail.waitForDelivery(paid, 'failed')).status).to.equal('paid');

    mail.server.setNextBehaviors(refuse);
    const voided = await mail.sendNewInvoice();
    const voidedMessage = await waitForRefusal(voided);
    await mail.tenant.client.post(`/invoices/${voided}/void`, { reason: 'wrong car' });
    await mail.retryNow(voidedMessage);
    expect((await mail.waitForDelivery(voided, 'failed')).status).to.equal('void');
    expect(mail.countAcceptedMails(voidedMessage)).to.equal(0);
    const retried = await mail.tenant.client.post(`/messages/${voidedMessage}/retry`, {});
    expectError(retried, 409, 'invalid_status_transition');
  });

  it('an invoice sent by mail and text waits for the mail, and the outbox only stores the text', async () => {
    const id = await mail.createApprovedInvoice();
    const { body: customer } = await mail.tenant.client.post('/customers', {
      company_name: 'Club',
      primary_phone: '+1 555 0100',
    });
    const billed = await mail.createApprovedInvoice({ customer_id: customer.id });
    expectError(
      await mail.tenant.client.post(`/invoices/${id}/send`, { channel: 'both' }),
      409,
      'invalid_status_transition',
    );
    mail.server.setNextBehaviors({ as: 'refuse', code: 550, text: 'no', at: 'recipient' });
    await mail.tenant.client.post(`/invoices/${billed}/send`, { channel: 'both' });
    expect((await mail.waitForDelivery(billed, 'failed')).status).to.equal('failed');
    const messages = await mail.listMessages(billed);
    const findByChannel = (channel: string) => messages.find((message) => message.channel === channel);
    expect(findByChannel('sms')).to.include({ state: 'sent', provider: 'outbox', recipient: '+1 555 0100' });
    expect(findByChannel('email')).to.include({ state: 'failed', provider: 'smtp' });
    expect(await mail.listEvents(billed)).to.deep.equal([]);
    // The outbox only stores texts. An invoice that is sent only by text counts as sent once the
    // outbox has stored the text.
    const text = await mail.createApprovedInvoice({ customer_id: customer.id });
    const response = await mail.tenant.client.post(`/invoices/${text}/send`, { channel: 'sms' });
    expect(response.body.delivery.state).to.equal('sent');
  });

  it('an invoice that is sent again after a dispute cancels the mail that still waits', async () => {
    const { client } = mail.tenant;
    mail.server.setNextBehaviors({ as: 'refuse', code: 451, text: 'later', at: 'recipient' });
    const id = await mail.sendNewInvoice();
    const old = await eventually('a first refusal', async () => {
      const [message] = await mail.listMessages(id);
      return message.error !== null && (message.id as string);
    });
    await client.post(`/invoices/${id}/dispute`, { reason: 'too dear' });
    await client.post(`/invoices/${id}/return`, {});
    for (const action of ['approve', 'send']) await client.post(`/invoices/${id}/${action}`, {});
    await mail.waitForDelivery(id, 'sent');
    await mail.retryNow(old);
    const messages = await mail.listMessages(id);
    expect(messages.map(({ state }) => state)).to.deep.equal(['sent', 'failed']);
    expect(mail.countAcceptedMails(old)).to.equal(0);
    expect(await mail.listEvents(id)).to.have.length(1);
  });

  it('PATCH /invoices/{id} with the status sending sends the mail', async () => {
    const id = await mail.createApprovedInvoice();
    const patched = await mail.tenant.client.patch(`/invoices/${id}`, { status: 'sending' });
    expect(patched.body.delivery.state).to.equal('queued');
    await mail.waitForDelivery(id, 'sent');
    expect(await mail.listEvents(id)).to.have.length(1);
  });

  it('no mail leaves a sandbox', async () => {
    const { sandbox, sandboxId } = mail.tenant;
    const before = mail.server.connections;
    const { body } = await sandbox.post('/invoices', {
      invoice_number: newId(),
      billing_email: 'b@example.com',
      line_items: [],
    });
    await sandbox.patch(`/invoices/${body.id}`, {
      line_items: [
        { name: 'Tow', category: 'tow', quantity: 1, unit_type: 'each', unit_price_cents: 1, total_cents: 1 },
      ],
    });
    await sandbox.post(`/invoices/${body.id}/approve`, {});
    const sent = await sandbox.post(`/invoices/${body.id}/send`, {});
    expect(sent.body.delivery.state).to.equal('sent');
    const [message] = (await sandbox.get(`/messages?invoice_id=${body.id}`)).body.data.items;
    expect(message).to.include({ state: 'sent', provider: 'outbox' });
    // The sandbox must not send a message even if the row names the provider smtp.
    await mail.stack.rows(
      sandboxId,
      `update messages set state = 'queued', provider = 'smtp' where tenant_id = $1 and id = $2`,
      [sandboxId, message.id],
    );
    await mail.addWakeUpJobs(message.id, 3);
    const control = await mail.sendNewInvoice();
    await mail.waitForDelivery(control, 'sent');
    expect(mail.server.connections, 'only the control mail').to.equal(before + 1);
    expect((await sandbox.get(`/messages/${message.id}`)).body.attempts).to.equal(0);
  });

  it('a dry run of POST /invoices/{id}/send stores no message and does not connect to the mail server', async () => {
    const id = await mail.createApprovedInvoice();
    const before = mail.server.connections;
    const headers = { 'X-Service-Dry-Run': 'true' };
    const { body } = await mail.tenant.client.post(`/invoices/${id}/send`, {}, { headers });
    expect(body.data.delivery.state).to.equal('queued');
    expect(body.data).to.not.have.property('view_url');
    expect(await mail.listMessages(id)).to.deep.equal([]);
    expect(mail.server.connections).to.equal(before);
  });
});
