/** Notices by mail, through a real SMTP server that accepts and refuses. */
import type { Job } from 'bullmq';
import { expect } from 'chai';
import { newId } from '../../shared/platform/ids.js';
import type { ClockJob } from '../../shared/queues/clock.js';
import { openExportsQueue } from '../../shared/queues/exports.js';
import { NOTIFY, openMessagesQueue } from '../../shared/queues/messages.js';
import { openWebhooksQueue } from '../../shared/queues/webhooks.js';
import { openWritesQueue } from '../../shared/queues/writes.js';
import { findDueNoticeMails } from '../../shared/resources/notices/outbox.js';
import { createClockProcessor } from '../../workers/clock/processor.js';
import { EndpointHealth } from '../support/endpoint-health.js';
import { MailServer } from '../support/mail-server.js';
import { makeNotice } from '../support/notices.js';
import { eventually } from '../support/poll.js';
import { createUser, type TestUser } from '../support/sign-in.js';
import { TestStack, type TestTenant } from '../support/stack.js';

const MAIL_FROM = 'invoices@tow.example.com';

interface Mail {
  id: string;
  user_id: string;
  state: string;
  error: string | null;
  attempts: number;
  attempt_after: Date;
}

describe('the mail of a notice', () => {
  let server: MailServer;
  let stack: TestStack;
  let tenant: TestTenant;
  let health: EndpointHealth;
  let queue: ReturnType<typeof openMessagesQueue>;
  let user: TestUser;

  before(async () => {
    server = await MailServer.start();
    const environment = { SMTP_URL: server.url, MAIL_FROM, BASE_URL: 'https://tow.example.com' };
    stack = await TestStack.start({ environment, clock: false });
    tenant = await stack.createTenant('Hudson Towing');
    health = new EndpointHealth(stack, tenant.id);
    queue = openMessagesQueue(stack.runtime);
    user = await createUser(stack, tenant.id);
  });
  after(async () => {
    await stack.stop();
    await server.stop();
  });

  /** Disables an endpoint; resolves with its id. */
  async function disabled(): Promise<string> {
    const id = await health.endpoint();
    await health.failing(id, 121);
    await health.pass(id);
    return id;
  }

  const mailsOf = (endpointId: string) =>
    stack.rows<Mail>(
      tenant.id,
      `select m.* from notice_mails m join notices n on n.tenant_id = m.tenant_id and n.id = m.notice_id
       where n.tenant_id = $1 and n.entity_id = $2`,
      [tenant.id, endpointId],
    );

  /** The only mail about an endpoint, once it is so. */
  const mailThat = (endpointId: string, is: (mail: Mail) => boolean) =>
    eventually('the mail', async () => {
      const [mail] = await mailsOf(endpointId);
      return mail && is(mail) && mail;
    });

  async function prompt(mail: Mail, times = 1): Promise<void> {
    const job = { tenantId: tenant.id, messageId: mail.id };
    for (let nth = 0; nth < times; nth += 1) await queue.add(NOTIFY, job, { jobId: newId() });
  }

  const promptsTaken = () =>
    eventually('all prompts were taken', async () => {
      const { waiting = 0, active = 0 } = await queue.getJobCounts();
      return waiting + active === 0;
    });

  /** Ends the wait before the next attempt. */
  async function hurry(mail: Mail, set = ''): Promise<void> {
    const text = `update notice_mails set attempt_after = now(), error = null${set} where tenant_id = $1 and id = $2`;
    await stack.rows(tenant.id, text, [tenant.id, mail.id]);
    await prompt(mail);
  }

  const copies = ({ id }: Mail) => server.seen.filter(({ mail }) => mail.messageId?.includes(id)).length;

  /** What the clock does every ten seconds. */
  async function promptDue(): Promise<void> {
    const clock = createClockProcessor(stack.runtime, {
      writes: openWritesQueue(stack.runtime),
      messages: queue,
      webhooks: openWebhooksQueue(stack.runtime),
      exports: openExportsQueue(stack.runtime),
    });
    await clock({ name: 'prompt-messages', data: {} } as Job<ClockJob>, '');
  }

  it('is found by the clock and tells every active person of the account, and nobody else', async () => {
    const second = await createUser(stack, tenant.id, { name: 'Second' });
    const gone = await createUser(stack, tenant.id, { name: 'Gone' });
    const leave = 'update users set deactivated_at = now() where tenant_id = $1 and id = any($2)';
    await stack.rows(tenant.id, leave, [tenant.id, [gone.id]]);
    await createUser(stack, (await stack.createTenant('Neighbour')).id);
    const sandbox = new EndpointHealth(stack, tenant.sandboxId);
    const rehearsed = await sandbox.endpoint();
    await sandbox.lane(rehearsed, `stop_reason = 'gone'`);
    await sandbox.pass(rehearsed);
    expect(await sandbox.notices(rehearsed)).to.have.length(1);
    const endpoint = await disabled();
    await promptDue();
    await eventually('two mails', () => server.accepted.length === 2);
    const [first, other] = server.accepted.map(({ mail }) => mail);
    expect(server.accepted.flatMap(({ to }) => to)).to.have.members([user.email, second.email]);
    expect(first?.messageId).to.not.equal(other?.messageId);
    expect(first?.from).to.deep.equal({ name: 'Tow Dispatch', address: MAIL_FROM });
    expect(first?.subject).to.equal('A webhook endpoint was disabled');
    for (const part of [
      'receiver.example.com was disabled',
      'http_503',
      `/v1/webhook-endpoints/${endpoint}/recover`,
      'https://tow.example.com/docs',
      'Hudson Towing',
    ])
      expect(first?.text).to.include(part);
    expect(first?.text).to.not.include('secret').and.not.include('/hook');
    const notice = await eventually('the note', async () => {
      const [one] = await health.notices(endpoint);
      return one.mailed_at !== null && one;
    });
    expect((await tenant.client.get(`/notices/${notice.id}`)).body.mailed_at).to.be.a('string');
    expect(await stack.rows(tenant.sandboxId, 'select * from notice_mails')).to.deep.equal([]);
    await stack.rows(tenant.id, leave, [tenant.id, [second.id]]);
  });

  it('that the server refuses for good is not offered again', async () => {
    server.expect({ as: 'refuse', code: 550, text: '5.1.1 No such user', at: 'recipient' });
    const endpoint = await disabled();
    const [mail] = await mailsOf(endpoint);
    await prompt(mail as Mail);
    const failed = await mailThat(endpoint, ({ state }) => state === 'failed');
    expect(failed.attempts).to.equal(1);
    expect(failed.error).to.include('550');
    expect((await health.notices(endpoint))[0].mailed_at).to.equal(null);
    await hurry(failed);
    await promptsTaken();
    expect(copies(failed)).to.equal(0);
  });

  it('waits out a refusal for now, and arrives; after five it is given up', async () => {
    const later = { as: 'refuse', code: 451, text: '4.7.1 later', at: 'data' } as const;
    server.expect(later, later);
    const [patient, hopeless] = [await disabled(), await disabled()];
    for (const endpoint of [patient, hopeless]) await prompt((await mailsOf(endpoint))[0] as Mail);
    const waiting = await mailThat(patient, ({ error }) => error !== null);
    expect(waiting).to.include({ state: 'queued', attempts: 1 });
    expect(waiting.attempt_after.getTime()).to.be.above(Date.now());
    const last = await mailThat(hopeless, ({ error }) => error !== null);
    await hurry(waiting);
    await mailThat(patient, ({ state, attempts }) => state === 'sent' && attempts === 2);
    server.expect(later);
    await hurry(last, ', attempts = 4');
    expect((await mailThat(hopeless, ({ state }) => state === 'failed')).error).to.include('451');
  });

  it('leaves once, however often its worker is prompted', async () => {
    const endpoint = await disabled();
    const [mail] = (await mailsOf(endpoint)) as [Mail];
    await prompt(mail, 8);
    await mailThat(endpoint, ({ state }) => state === 'sent');
    await prompt(mail, 3);
    await promptsTaken();
    expect(copies(mail)).to.equal(1);
  });

  it('does not go to a person who has left meanwhile', async () => {
    const leaver = await createUser(stack, tenant.id);
    const endpoint = await disabled();
    const mails = await mailsOf(endpoint);
    const mail = mails.find(({ user_id }) => user_id === leaver.id) as Mail;
    const leave = 'update users set deactivated_at = now() where tenant_id = $1 and id = $2';
    await stack.rows(tenant.id, leave, [tenant.id, leaver.id]);
    await prompt(mail);
    const failed = await eventually('the mail is given up', async () =>
      (await mailsOf(endpoint)).find(({ id, state }) => id === mail.id && state === 'failed'),
    );
    expect(failed.error).to.include('left');
    expect(copies(mail)).to.equal(0);
  });

  it('about one endpoint leaves once an hour for each kind of notice; the notices are all there', async () => {
    const endpoint = await health.endpoint();
    const stop = async () => {
      await health.lane(endpoint, "stop_reason = 'gone'");
      await stack.rows(
        tenant.id,
        'update webhook_endpoints set enabled = true where tenant_id = $1 and id = $2',
        [tenant.id, endpoint],
      );
      await health.pass(endpoint);
      return { notices: (await health.notices(endpoint)).length, mails: (await mailsOf(endpoint)).length };
    };
    const { mails } = await stop();
    expect(mails).to.be.above(0);
    expect(await stop()).to.deep.equal({ notices: 2, mails });
    expect(await stop()).to.deep.equal({ notices: 3, mails });
    await stack.rows(
      tenant.id,
      "update notices set created_at = created_at - interval '1 hour' where tenant_id = $1 and entity_id = $2",
      [tenant.id, endpoint],
    );
    expect(await stop()).to.deep.equal({ notices: 4, mails: 2 * mails });
  });

  it('has its share of a sweep, however many wait in another account, the longest due first', async () => {
    const { db } = stack.runtime;
    const other = await stack.createTenant('Many');
    const queue = async (tenantId: string, count: number, ago: string) => {
      const notice = await makeNotice(stack, tenantId);
      const { id } = await createUser(stack, tenantId);
      await stack.rows(
        tenantId,
        `insert into notice_mails (tenant_id, notice_id, user_id, attempt_after)
         select $1, $2, $3, now() - $4::interval - make_interval(secs => n) from generate_series(1, $5::int) n`,
        [tenantId, notice, id, ago, count],
      );
    };
    const few = await stack.createTenant('Few');
    await queue(other.id, 60, '2 hours');
    await queue(few.id, 2, '1 hour');
    const due = await db.transaction([other.id, few.id], (tx) => findDueNoticeMails(tx, 30));
    const of = (id: string) => due.filter(({ tenant_id }) => tenant_id === id).length;
    expect([of(other.id), of(few.id)]).to.deep.equal([20, 2]);
    expect(due[0]?.tenant_id).to.equal(other.id);
  });
});
