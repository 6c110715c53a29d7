import { expect } from 'chai';
import { openMessagesQueue, promptNoticeMails } from '../../shared/queues/messages.js';
import { findDueMessages } from '../../shared/resources/messages/outbox.js';
import type { Json } from '../support/client.js';
import { makeNotice } from '../support/notices.js';
import { eventually } from '../support/poll.js';
import { invoiceInput } from '../support/samples.js';
import { createUser } from '../support/sign-in.js';
import type { TestTenant } from '../support/stack.js';
import { MailFixture } from './mail-fixture.js';

const PER_DAY = 3;

describe('the mails of an account in a day', () => {
  let mails: MailFixture;

  beforeEach(async () => {
    mails = await MailFixture.start({ MAILS_PER_DAY: `${PER_DAY}` });
  });
  afterEach(() => mails.stop());

  const held = (invoice: string): Promise<Json> =>
    eventually('its message to wait for tomorrow', async () => {
      const [message] = await mails.messages(invoice);
      return /waits for tomorrow/.test(message.error) && message;
    });
  /** Seconds of the day, in UTC. */
  const sinceMidnight = (instant: string) => (Date.parse(instant) / 1000) % 86_400;
  /** As the next day finds them: what counted is of yesterday, and what waits is due. */
  const nextDay = async () => {
    const { id } = mails.tenant;
    await mails.stack.rows(id, 'update mail_days set day = day - 1 where tenant_id = $1', [id]);
  };

  it('beyond the bound wait for the next, are queued still, and then are sent once', async () => {
    const sent = [];
    for (let nth = 0; nth < PER_DAY; nth += 1) sent.push(await mails.sending());
    for (const invoice of sent) await mails.delivered(invoice, 'sent');
    const waiting = await mails.sending();
    const message = await held(waiting);
    expect(message).to.include({ state: 'queued', attempts: 0, sent_at: null });
    expect(sinceMidnight(message.next_attempt_at), 's of the next day').to.be.within(0, 3_602);
    expect(Date.parse(message.next_attempt_at)).to.be.within(Date.now() - 5_000, Date.now() + 90_005_000);
    expect((await mails.read(`/invoices/${waiting}`)).delivery.state).to.equal('queued');
    expect(mails.copies(message.id)).to.equal(0);
    const resent = await mails.hurry(message.id).then(() => held(waiting));
    expect(resent, 'the same day, asked again').to.include({ attempts: 0 });

    await nextDay();
    await mails.hurry(message.id);
    await mails.delivered(waiting, 'sent');
    expect(mails.copies(message.id)).to.equal(1);
    expect((await mails.messages(waiting))[0]).to.include({ state: 'sent', attempts: 1, error: null });
    expect(await mails.events(waiting)).to.have.length(1);
  });

  it('leave out one whose invoice was voided: it is refused at once, and takes none of the day', async () => {
    for (let nth = 0; nth < PER_DAY; nth += 1) await mails.delivered(await mails.sending(), 'sent');
    const waiting = await mails.sending();
    const message = await held(waiting);
    await mails.tenant.client.post(`/invoices/${waiting}/void`, { reason: 'wrong car' });
    await mails.hurry(message.id);
    expect((await mails.delivered(waiting, 'failed')).status).to.equal('void');
    expect((await mails.messages(waiting))[0].error).to.match(/void before the message left/);
    expect(mails.copies(message.id)).to.equal(0);
  });

  for (const [what, table, fault] of [
    ['counting', 'mail_days', 'before insert or update'],
    ['putting off', 'messages', 'before update of error'],
  ] as const)
    it(`do not pass the bound when ${what} fails once`, async () => {
      for (let nth = 0; nth < PER_DAY; nth += 1) await mails.delivered(await mails.sending(), 'sent');
      await mails.stack.asOwner(
        `create sequence faults; grant all on faults to public;
         create function fail() returns trigger language plpgsql as $$
           begin perform nextval('faults'); raise exception 'a fault' using errcode = '55P03'; end $$;
         create trigger fails ${fault} on ${table} for each row execute function fail();`,
      );
      const waiting = await mails.sending();
      await eventually('the fault', async () => {
        const [row] = await mails.stack.rows<{ is_called: boolean }>(
          mails.tenant.id,
          'select is_called from faults',
        );
        return row?.is_called;
      });
      await mails.stack.asOwner(`drop trigger fails on ${table}`);
      const [message] = await mails.messages(waiting);
      await mails.hurry(message.id);
      expect(await held(waiting)).to.include({ state: 'queued', attempts: 0 });
      expect(mails.copies(message.id)).to.equal(0);
    });

  it('include text messages, but none that only lies in the outbox', async () => {
    const { id } = mails.tenant;
    const counted = async () =>
      (await mails.stack.rows<{ mails: number }>(id, 'select mails from mail_days')).map((row) => row.mails);
    for (let nth = 0; nth <= PER_DAY; nth += 1) {
      const invoice = await mails.approved();
      const text = { channel: 'sms', to: '+15185550142' };
      expect((await mails.tenant.client.post(`/invoices/${invoice}/send`, text)).status).to.equal(200);
    }
    expect(await counted()).to.deep.equal([]);
    for (let nth = 0; nth < PER_DAY; nth += 1) await mails.delivered(await mails.sending(), 'sent');
    const waiting = await mails.sending();
    const message = await held(waiting);
    // As with a vendor of text messages, which there is none of yet: the mail server stands in.
    await mails.stack.rows(id, `update messages set channel = 'sms' where id = $1`, [message.id]);
    await mails.hurry(message.id);
    expect((await held(waiting)).error).to.match(/3 mails and text messages of today/);
    await nextDay();
    await mails.hurry(message.id);
    await mails.delivered(waiting, 'sent');
    expect(await counted()).to.deep.equal([1]);
  });

  it('take turns between accounts in a sweep, each with its longest due first', async () => {
    const { db } = mails.stack.runtime;
    const few = await mails.stack.createTenant('Few');
    // Of sandboxes, so that no worker takes them meanwhile.
    const invoiceOf = async ({ sandbox }: TestTenant) =>
      (await sandbox.post('/invoices', invoiceInput())).body.id as string;
    const queue = async (tenant: TestTenant, count: number, ago: string) => {
      await mails.stack.rows(
        tenant.sandboxId,
        `insert into messages (tenant_id, id, invoice_id, channel, recipient, body_text, state, provider, attempt_after)
         select $1, gen_random_uuid(), $2, 'email', 'a@example.com', nth, 'queued', 'nobody', now() - $3::interval - make_interval(secs => nth)
         from generate_series(1, $4::int) nth`,
        [tenant.sandboxId, await invoiceOf(tenant), ago, count],
      );
    };
    await queue(mails.tenant, 400, '2 hours');
    await queue(few, 2, '1 hour');
    const find = (limit: number) =>
      db.transaction([mails.tenant.sandboxId, few.sandboxId], (tx) => findDueMessages(tx, limit));
    const due = await find(6);
    expect(due.map(({ tenant_id }) => tenant_id === few.sandboxId)).to.deep.equal([
      ...[false, true, false, true, false, false],
    ]);
    const [oldest] = await mails.stack.rows<{ id: string }>(
      mails.tenant.sandboxId,
      'select id from messages order by attempt_after limit 1',
    );
    expect(due[0]?.id).to.equal(oldest?.id);
    expect(await find(1000), 'no account fills a pass').to.have.length(252);
  });

  it('are counted once each however many are handed over at once, and another account has its own', async () => {
    const invoices = await Promise.all(Array.from({ length: 3 * PER_DAY }, () => mails.sending()));
    const settled = await eventually('each to be sent or to wait', async () => {
      const all = (await Promise.all(invoices.map((invoice) => mails.messages(invoice)))).flat();
      return all.every(({ state, error }) => state === 'sent' || error !== null) && all;
    });
    expect(settled.filter(({ state }) => state === 'sent')).to.have.length(PER_DAY);
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
    await eventually('its mail to be sent', async () => {
      return (await other.client.get(`/invoices/${body.id}`)).body.delivery.state === 'sent';
    });
  });

  it('include those about notices, which wait as well and are not lost', async () => {
    const { id: tenantId } = mails.tenant;
    const queue = openMessagesQueue(mails.stack.runtime);
    const user = await createUser(mails.stack, tenantId);
    for (let nth = 0; nth < PER_DAY; nth += 1) await mails.delivered(await mails.sending(), 'sent');
    const notice = await makeNotice(mails.stack, tenantId);
    const [mail] = await mails.stack.rows<Json>(
      tenantId,
      'insert into notice_mails (tenant_id, notice_id, user_id) values ($1, $2, $3) returning id',
      [tenantId, notice, user.id],
    );
    const row = async () =>
      (await mails.stack.rows<Json>(tenantId, 'select * from notice_mails where id = $1', [mail.id]))[0];
    const prompt = () => promptNoticeMails(queue, [{ tenantId, messageId: mail.id, attempts: 0 }]);
    await prompt();
    const waiting = await eventually('it to wait', async () => {
      const found = await row();
      return /waits for tomorrow/.test(found.error) && found;
    });
    expect(waiting).to.include({ state: 'queued', attempts: 0 });
    await nextDay();
    await mails.stack.rows(tenantId, 'update notice_mails set attempt_after = now() where tenant_id = $1', [
      tenantId,
    ]);
    await queue.add('notify', { tenantId, messageId: mail.id }, { jobId: `again-${mail.id}` });
    await eventually('it to be sent', async () => (await row()).state === 'sent');
  });
});
