import { expect } from 'chai';
import { openMessagesQueue, promptNoticeMails } from '../../shared/queues/messages.js';
import type { Json } from '../support/client.js';
import { makeNotice } from '../support/notices.js';
import { eventually } from '../support/poll.js';
import { createUser } from '../support/sign-in.js';
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
    const midnight = new Date(message.next_attempt_at);
    expect(midnight.getTime()).to.be.within(Date.now() - 5_000, Date.now() + 86_405_000);
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
