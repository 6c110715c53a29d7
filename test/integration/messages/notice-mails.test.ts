/** Sends notice mails to a real SMTP server, which accepts some and refuses others. */
import type { Job } from 'bullmq';
import { expect } from 'chai';
import { newId } from '../../../shared/platform/ids.js';
import type { ClockJob } from '../../../shared/queues/clock.js';
import { NOTICE_MAIL_JOB, openMessagesQueue } from '../../../shared/queues/messages.js';
import { findDueNoticeMails } from '../../../shared/resources/notices/outbox.js';
import { createClockProcessor } from '../../../workers/clock/processor.js';
import { MailServer } from '../../support/network/mail-server.js';
import { eventually } from '../../support/poll.js';
import { insertNotice } from '../../support/records/notices.js';
import { createUser, type TestUser } from '../../support/records/sign-in.js';
import { TestStack, type TestTenant } from '../../support/stack.js';
import { EndpointHealth } from '../../support/webhooks/endpoint-health.js';

const MAIL_FROM = 'invoices@tow.example.com';

interface Mail {
  id: string;
  user_id: string;
  state: string;
  error: string | null;
  attempts: number;
  attempt_after: Date;
}

describe('mails about notices', () => {
  let server: MailServer;
  let stack: TestStack;
  let tenant: TestTenant;
  let health: EndpointHealth;
  let queue: ReturnType<typeof openMessagesQueue>;
  let user: TestUser;

  before(async () => {
    server = await MailServer.start();
    const environment = { SMTP_URL: server.url, MAIL_FROM, BASE_URL: 'https://tow.example.com' };
    stack = await TestStack.start({ environment });
    tenant = await stack.createTenant('Hudson Towing');
    health = new EndpointHealth(stack, tenant.id);
    queue = openMessagesQueue(stack.runtime);
    user = await createUser(stack, tenant.id);
  });
  after(async () => {
    await stack.stop();
    await server.stop();
  });

  async function createDisabledEndpoint(): Promise<string> {
    const id = await health.createEndpoint();
    await health.setFailing(id, 121);
    await health.runCommands(id);
    return id;
  }

  const listMails = (endpointId: string) =>
    stack.rows<Mail>(
      tenant.id,
      `select m.* from notice_mails m join notices n on n.tenant_id = m.tenant_id and n.id = m.notice_id
       where n.tenant_id = $1 and n.entity_id = $2`,
      [tenant.id, endpointId],
    );

  /** Waits until the only mail about an endpoint meets the condition, and returns the mail. */
  const waitForMail = (endpointId: string, isExpected: (mail: Mail) => boolean) =>
    eventually('the mail', async () => {
      const [mail] = await listMails(endpointId);
      return mail && isExpected(mail) && mail;
    });

  async function addWakeUpJobs(mail: Mail, times = 1): Promise<void> {
    const job = { tenantId: tenant.id, messageId: mail.id };
    for (let nth = 0; nth < times; nth += 1) await queue.add(NOTICE_MAIL_JOB, job, { jobId: newId() });
  }

  const waitForEmptyQueue = () =>
    eventually('the queue is empty', async () => {
      const { waiting = 0, active = 0 } = await queue.getJobCounts();
      return waiting + active === 0;
    });

  /** Makes the next attempt due immediately, and adds a wake-up job. */
  async function makeDue(mail: Mail, set = ''): Promise<void> {
    const text = `update notice_mails set attempt_after = now(), error = null${set} where tenant_id = $1 and id = $2`;
    await stack.rows(tenant.id, text, [tenant.id, mail.id]);
    await addWakeUpJobs(mail);
  }

  const countCopies = ({ id }: Mail) =>
    server.received.filter(({ mail }) => mail.messageId?.includes(id)).length;

  /** Runs the task that the clock runs every ten seconds. */
  async function runClockTask(): Promise<void> {
    const clock = createClockProcessor(stack.runtime);
    await clock({ name: 'prompt-messages', data: {} } as Job<ClockJob>, '');
  }

  it('the clock mails a notice to every active person of the live account and to no other person', async () => {
    const second = await createUser(stack, tenant.id, { name: 'Second' });
    const deactivated = await createUser(stack, tenant.id, { name: 'Gone' });
    const deactivateQuery = 'update users set deactivated_at = now() where tenant_id = $1 and id = any($2)';
    await stack.rows(tenant.id, deactivateQuery, [tenant.id, [deactivated.id]]);
    await createUser(stack, (await stack.createTenant('Neighbour')).id);
    const sandbox = new EndpointHealth(stack, tenant.sandboxId);
    const sandboxEndpoint = await sandbox.createEndpoint();
    await sandbox.updateQueue(sandboxEndpoint, `stop_reason = 'gone'`);
    await sandbox.runCommands(sandboxEndpoint);
    expect(await sandbox.readNotices(sandboxEndpoint)).to.have.length(1);
    const endpoint = await createDisabledEndpoint();
    await runClockTask();
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
    const notice = await eventually('mailed_at is set', async () => {
      const [one] = await health.readNotices(endpoint);
      return one.mailed_at !== null && one;
    });
    expect((await tenant.client.get(`/notices/${notice.id}`)).body.mailed_at).to.be.a('string');
    expect(await stack.rows(tenant.sandboxId, 'select * from notice_mails')).to.deep.equal([]);
    await stack.rows(tenant.id, deactivateQuery, [tenant.id, [second.id]]);
  });

  it('a mail that the SMTP server refuses with 550 fails and is not sent again', async () => {
    server.setNextBehaviors({ as: 'refuse', code: 550, text: '5.1.1 No such user', at: 'recipient' });
    const endpoint = await createDisabledEndpoint();
    const [mail] = await listMails(endpoint);
    await addWakeUpJobs(mail as Mail);
    const failed = await waitForMail(endpoint, ({ state }) => state === 'failed');
    expect(failed.attempts).to.equal(1);
    expect(failed.error).to.include('550');
    expect((await health.readNotices(endpoint))[0].mailed_at).to.equal(null);
    await makeDue(failed);
    await waitForEmptyQueue();
    expect(countCopies(failed)).to.equal(0);
  });

  it('a mail refused with 451 is retried later and fails after the fifth attempt', async () => {
    const later = { as: 'refuse', code: 451, text: '4.7.1 later', at: 'data' } as const;
    server.setNextBehaviors(later, later);
    const [patient, hopeless] = [await createDisabledEndpoint(), await createDisabledEndpoint()];
    for (const endpoint of [patient, hopeless]) await addWakeUpJobs((await listMails(endpoint))[0] as Mail);
    const waiting = await waitForMail(patient, ({ error }) => error !== null);
    expect(waiting).to.include({ state: 'queued', attempts: 1 });
    expect(waiting.attempt_after.getTime()).to.be.above(Date.now());
    const last = await waitForMail(hopeless, ({ error }) => error !== null);
    await makeDue(waiting);
    await waitForMail(patient, ({ state, attempts }) => state === 'sent' && attempts === 2);
    server.setNextBehaviors(later);
    await makeDue(last, ', attempts = 4');
    expect((await waitForMail(hopeless, ({ state }) => state === 'failed')).error).to.include('451');
  });

  it('a mail is sent once although several wake-up jobs name it', async () => {
    const endpoint = await createDisabledEndpoint();
    const [mail] = (await listMails(endpoint)) as [Mail];
    await addWakeUpJobs(mail, 8);
    await waitForMail(endpoint, ({ state }) => state === 'sent');
    await addWakeUpJobs(mail, 3);
    await waitForEmptyQueue();
    expect(countCopies(mail)).to.equal(1);
  });

  it('a mail to a person who was deactivated meanwhile fails and is not sent', async () => {
    const leaver = await createUser(stack, tenant.id);
    const endpoint = await createDisabledEndpoint();
    const mails = await listMails(endpoint);
    const mail = mails.find(({ user_id }) => user_id === leaver.id) as Mail;
    const deactivateQuery = 'update users set deactivated_at = now() where tenant_id = $1 and id = $2';
    await stack.rows(tenant.id, deactivateQuery, [tenant.id, leaver.id]);
    await addWakeUpJobs(mail);
    const failed = await eventually('the mail has failed', async () =>
      (await listMails(endpoint)).find(({ id, state }) => id === mail.id && state === 'failed'),
    );
    expect(failed.error).to.include('left');
    expect(countCopies(mail)).to.equal(0);
  });

  it('notices of one kind about one endpoint cause mails once an hour, and every notice is stored', async () => {
    const endpoint = await health.createEndpoint();
    const stopEndpoint = async () => {
      await health.updateQueue(endpoint, "stop_reason = 'gone'");
      await stack.rows(
        tenant.id,
        'update webhook_endpoints set enabled = true where tenant_id = $1 and id = $2',
        [tenant.id, endpoint],
      );
      await health.runCommands(endpoint);
      return {
        notices: (await health.readNotices(endpoint)).length,
        mails: (await listMails(endpoint)).length,
      };
    };
    const { mails } = await stopEndpoint();
    expect(mails).to.be.above(0);
    expect(await stopEndpoint()).to.deep.equal({ notices: 2, mails });
    expect(await stopEndpoint()).to.deep.equal({ notices: 3, mails });
    await stack.rows(
      tenant.id,
      "update notices set created_at = created_at - interval '1 hour' where tenant_id = $1 and entity_id = $2",
      [tenant.id, endpoint],
    );
    expect(await stopEndpoint()).to.deep.equal({ notices: 4, mails: 2 * mails });
  });

  it('a sweep of due mails gives each account a share and lists the longest due first', async () => {
    const { db } = stack.runtime;
    const other = await stack.createTenant('Many');
    const insertDueMails = async (tenantId: string, count: number, ago: string) => {
      const notice = await insertNotice(stack, tenantId);
      const { id } = await createUser(stack, tenantId);
      await stack.rows(
        tenantId,
        `insert into notice_mails (tenant_id, notice_id, user_id, attempt_after)
         select $1, $2, $3, now() - $4::interval - make_interval(secs => n) from generate_series(1, $5::int) n`,
        [tenantId, notice, id, ago, count],
      );
    };
    const few = await stack.createTenant('Few');
    await insertDueMails(other.id, 60, '2 hours');
    await insertDueMails(few.id, 2, '1 hour');
    const due = await db.transaction([other.id, few.id], (tx) => findDueNoticeMails(tx, 30));
    const countDue = (id: string) => due.filter(({ tenant_id }) => tenant_id === id).length;
    expect([countDue(other.id), countDue(few.id)]).to.deep.equal([20, 2]);
    expect(due[0]?.tenant_id).to.equal(other.id);
  });
});
