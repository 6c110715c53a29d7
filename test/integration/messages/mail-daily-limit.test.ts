import { expect } from 'chai';
import { openMessagesQueue, promptNoticeMails } from '../../../shared/queues/messages.js';
import { findDueMessages } from '../../../shared/resources/messages/outbox.js';
import type { Json } from '../../support/client.js';
import { eventually } from '../../support/poll.js';
import { insertNotice } from '../../support/records/notices.js';
import { invoiceInput } from '../../support/records/samples.js';
import { createUser } from '../../support/records/sign-in.js';
import type { TestTenant } from '../../support/stack.js';
import { useMailFixture } from './mail-fixture.js';

const PER_DAY = 3;

describe('daily mail limit of an account', () => {
  const mails = useMailFixture({ environment: { MAILS_PER_DAY: `${PER_DAY}` }, isPerTest: true });

  const waitUntilDeferred = (invoice: string): Promise<Json> =>
    eventually('its message waits for tomorrow', async () => {
      const [message] = await mails.listMessages(invoice);
      return /waits for tomorrow/.test(message.error) && message;
    });
  const secondsSinceMidnight = (instant: string) => (Date.parse(instant) / 1000) % 86_400;
  /** Simulates the next day by moving the count of today's mails to yesterday. */
  const startNextDay = async () => {
    const { id } = mails.tenant;
    await mails.stack.rows(id, 'update mail_days set day = day - 1 where tenant_id = $1', [id]);
  };

  it('mails beyond the daily limit stay queued until the next day and are then sent once', async () => {
    const sent = [];
    for (let nth = 0; nth < PER_DAY; nth += 1) sent.push(await mails.sendNewInvoice());
    for (const invoice of sent) await mails.waitForDelivery(invoice, 'sent');
    const waiting = await mails.sendNewInvoice();
    const message = await waitUntilDeferred(waiting);
    expect(message).to.include({ state: 'queued', attempts: 0, sent_at: null });
    expect(secondsSinceMidnight(message.next_attempt_at), 'seconds into the next day').to.be.within(0, 3_602);
    expect(Date.parse(message.next_attempt_at)).to.be.within(Date.now() - 5_000, Date.now() + 90_005_000);
    expect((await mails.read(`/invoices/${waiting}`)).delivery.state).to.equal('queued');
    expect(mails.countAcceptedMails(message.id)).to.equal(0);
    const resent = await mails.retryNow(message.id).then(() => waitUntilDeferred(waiting));
    expect(resent, 'after another attempt on the same day').to.include({ attempts: 0 });

    await startNextDay();
    await mails.retryNow(message.id);
    await mails.waitForDelivery(waiting, 'sent');
    expect(mails.countAcceptedMails(message.id)).to.equal(1);
    expect((await mails.listMessages(waiting))[0]).to.include({ state: 'sent', attempts: 1, error: null });
    expect(await mails.listEvents(waiting)).to.have.length(1);
  });

  it('a mail beyond the daily limit fails immediately once its invoice is void, and does not count', async () => {
    for (let nth = 0; nth < PER_DAY; nth += 1)
      await mails.waitForDelivery(await mails.sendNewInvoice(), 'sent');
    const waiting = await mails.sendNewInvoice();
    const message = await waitUntilDeferred(waiting);
    await mails.tenant.client.post(`/invoices/${waiting}/void`, { reason: 'wrong car' });
    await mails.retryNow(message.id);
    expect((await mails.waitForDelivery(waiting, 'failed')).status).to.equal('void');
    expect((await mails.listMessages(waiting))[0].error).to.match(/void before the message left/);
    expect(mails.countAcceptedMails(message.id)).to.equal(0);
  });

  for (const [step, table, triggerEvent] of [
    ['counting', 'mail_days', 'before insert or update'],
    ['deferring', 'messages', 'before update of error'],
  ] as const)
    it(`the daily mail limit holds when ${step} a mail fails once`, async () => {
      for (let nth = 0; nth < PER_DAY; nth += 1)
        await mails.waitForDelivery(await mails.sendNewInvoice(), 'sent');
      await mails.stack.runAsOwner(
        `create sequence faults; grant all on faults to public;
         create function fail() returns trigger language plpgsql as $$
           begin perform nextval('faults'); raise exception 'a fault' using errcode = '55P03'; end $$;
         create trigger fails ${triggerEvent} on ${table} for each row execute function fail();`,
      );
      const waiting = await mails.sendNewInvoice();
      await eventually('the failure', async () => {
        const [row] = await mails.stack.rows<{ is_called: boolean }>(
          mails.tenant.id,
          'select is_called from faults',
        );
        return row?.is_called;
      });
      await mails.stack.runAsOwner(
        `drop trigger fails on ${table}; drop function fail(); drop sequence faults`,
      );
      const [message] = await mails.listMessages(waiting);
      await mails.retryNow(message.id);
      expect(await waitUntilDeferred(waiting)).to.include({ state: 'queued', attempts: 0 });
      expect(mails.countAcceptedMails(message.id)).to.equal(0);
    });

  it('the daily limit counts text messages, except those that the outbox only stores', async () => {
    const { id } = mails.tenant;
    const readCounts = async () =>
      (await mails.stack.rows<{ mails: number }>(id, 'select mails from mail_days')).map(
        (readNoticeMail) => readNoticeMail.mails,
      );
    for (let nth = 0; nth <= PER_DAY; nth += 1) {
      const invoice = await mails.createApprovedInvoice();
      const text = { channel: 'sms', to: '+15185550142' };
      expect((await mails.tenant.client.post(`/invoices/${invoice}/send`, text)).status).to.equal(200);
    }
    expect(await readCounts()).to.deep.equal([]);
    for (let nth = 0; nth < PER_DAY; nth += 1)
      await mails.waitForDelivery(await mails.sendNewInvoice(), 'sent');
    const waiting = await mails.sendNewInvoice();
    const message = await waitUntilDeferred(waiting);
    // Turn the waiting mail into a text message. The provider of this row stays the mail server, so
    // the test needs no vendor of text messages.
    await mails.stack.rows(id, `update messages set channel = 'sms' where id = $1`, [message.id]);
    await mails.retryNow(message.id);
    expect((await waitUntilDeferred(waiting)).error).to.match(/3 mails and text messages of today/);
    await startNextDay();
    await mails.retryNow(message.id);
    await mails.waitForDelivery(waiting, 'sent');
    expect(await readCounts()).to.deep.equal([1]);
  });

  it('a sweep of due messages serves accounts round-robin, the longest due of each account first', async () => {
    const { db } = mails.stack.runtime;
    const few = await mails.stack.createTenant('Few');
    // The messages belong to sandboxes, so that no worker sends them during the test.
    const createSandboxInvoice = async ({ sandbox }: TestTenant) =>
      (await sandbox.post('/invoices', invoiceInput())).body.id as string;
    const queueMessages = async (tenant: TestTenant, count: number, ago: string) => {
      await mails.stack.rows(
        tenant.sandboxId,
        `insert into messages (tenant_id, id, invoice_id, channel, recipient, body_text, state, provider, attempt_after)
         select $1, gen_random_uuid(), $2, 'email', 'a@example.com', nth, 'queued', 'nobody', now() - $3::interval - make_interval(secs => nth)
         from generate_series(1, $4::int) nth`,
        [tenant.sandboxId, await createSandboxInvoice(tenant), ago, count],
      );
    };
    await queueMessages(mails.tenant, 400, '2 hours');
    await queueMessages(few, 2, '1 hour');
    const findDue = (limit: number) =>
      db.transaction([mails.tenant.sandboxId, few.sandboxId], (tx) => findDueMessages(tx, limit));
    const due = await findDue(6);
    expect(due.map(({ tenant_id }) => tenant_id === few.sandboxId)).to.deep.equal([
      false,
      true,
      false,
      true,
      false,
      false,
    ]);
    const [oldest] = await mails.stack.rows<{ id: string }>(
      mails.tenant.sandboxId,
      'select id from messages order by attempt_after limit 1',
    );
    expect(due[0]?.id).to.equal(oldest?.id);
    expect(await findDue(1000), 'one account cannot fill a sweep').to.have.length(252);
  });

  it('concurrent mails of an account count once each, and another account has its own daily limit', async () => {
    const invoices = await Promise.all(Array.from({ length: 3 * PER_DAY }, () => mails.sendNewInvoice()));
    const finished = await eventually('each is sent or waits', async () => {
      const all = (await Promise.all(invoices.map((invoice) => mails.listMessages(invoice)))).flat();
      return all.every(({ state, error }) => state === 'sent' || error !== null) && all;
    });
    expect(finished.filter(({ state }) => state === 'sent')).to.have.length(PER_DAY);
    const other = await mails.stack.createTenant('Other Towing');
    const { body } = await other.client.post('/invoices', {
      invoice_number: 'O-1',
      billing_email: 'billing@example.com',
      line_items: [
        { name: 'Tow', category: 'tow', quantity: 1, unit_type: 'each', unit_price_cents: 1, total_cents: 1 },
      ],
    });
    await other.client.post(`/invoices/${body.id}/approve`, {});
    await other.client.post(`/invoices/${body.id}/send`, {});
    await eventually('its mail is sent', async () => {
      return (await other.client.get(`/invoices/${body.id}`)).body.delivery.state === 'sent';
    });
  });

  it('the daily limit counts mails about notices, which wait for the next day and are then sent', async () => {
    const { id: tenantId } = mails.tenant;
    const queue = openMessagesQueue(mails.stack.runtime);
    const user = await createUser(mails.stack, tenantId);
    for (let nth = 0; nth < PER_DAY; nth += 1)
      await mails.waitForDelivery(await mails.sendNewInvoice(), 'sent');
    const notice = await insertNotice(mails.stack, tenantId);
    const [noticeMail] = await mails.stack.rows<Json>(
      tenantId,
      'insert into notice_mails (tenant_id, notice_id, user_id) values ($1, $2, $3) returning id',
      [tenantId, notice, user.id],
    );
    const row = async () =>
      (
        await mails.stack.rows<Json>(tenantId, 'select * from notice_mails where id = $1', [noticeMail.id])
      )[0];
    const addWakeUpJob = () =>
      promptNoticeMails(queue, [{ tenantId, messageId: noticeMail.id, attempts: 0 }]);
    await addWakeUpJob();
    const waiting = await eventually('the mail waits', async () => {
      const found = await row();
      return /waits for tomorrow/.test(found.error) && found;
    });
    expect(waiting).to.include({ state: 'queued', attempts: 0 });
    await startNextDay();
    await mails.stack.rows(tenantId, 'update notice_mails set attempt_after = now() where tenant_id = $1', [
      tenantId,
    ]);
    await queue.add('notify', { tenantId, messageId: noticeMail.id }, { jobId: `again-${noticeMail.id}` });
    await eventually('the mail is sent', async () => (await row()).state === 'sent');
  });
});
