/**
 * Kills a process while it sends a mail. The mail must never be lost. At worst it arrives twice,
 * with the same Message-ID.
 */
import { expect } from 'chai';
import { TestClient } from '../support/client.js';
import { registerConcurrentTests } from '../support/concurrent-tests.js';
import type { DeployedService } from '../support/load/deployed-service.js';
import { Deployment } from '../support/load/deployment.js';
import { MailServer } from '../support/network/mail-server.js';
import { eventually } from '../support/poll.js';
import { invoiceInput } from '../support/records/samples.js';

const BASE_URL = 'https://billing.example.com';
const MAIL_FROM = 'invoices@tow.example.com';

interface Scene {
  deployment: Deployment;
  server: MailServer;
  tenantId: string;
  client: TestClient;
  /** The process that sends mails. */
  mailer: DeployedService;
}

describe('a mail whose sending process dies', () => {
  async function withScene(work: (scene: Scene) => Promise<void>): Promise<void> {
    const server = await MailServer.start();
    const settings = { SMTP_URL: server.url, BASE_URL, MAIL_FROM };
    await Deployment.run({ settings }, async (deployment) => {
      await deployment.start();
      const [tenant] = await deployment.createTenants(1);
      const client = new TestClient(deployment.web.origin, tenant?.key ?? '');
      const mailer = deployment.messages ?? deployment.web;
      await work({ deployment, server, tenantId: tenant?.id ?? '', client, mailer });
    }).finally(() => server.stop());
  }

  async function approvedInvoice({ client }: Scene): Promise<string> {
    const { body } = await client.post('/invoices', invoiceInput({ billing_email: 'b@example.com' }));
    await client.post(`/invoices/${body.id}/approve`, {});
    return body.id;
  }

  /** Lets the dead process's lease expire immediately instead of after three minutes. */
  async function endLease({ deployment, tenantId }: Scene): Promise<void> {
    const db = await deployment.db();
    await db.transaction([tenantId], (tx) =>
      tx.query({
        text: `update messages set attempt_after = now() - interval '1 minute' where tenant_id = $1`,
        values: [tenantId],
      }),
    );
  }

  const sentEvents = async ({ client }: Scene) =>
    (await client.get('/events?type=invoice.sent')).body.data.count as number;

  async function expectSentOnRetry(one: Scene, id: string): Promise<void> {
    await one.mailer.start();
    const { body } = await one.client.get(`/invoices/${id}`);
    expect(body.delivery.state, 'the outcome is not recorded yet').to.equal('queued');
    expect(await sentEvents(one)).to.equal(0);
    await endLease(one);
    await eventually(
      'the mail is recorded as sent',
      async () => (await one.client.get(`/invoices/${id}`)).body.delivery.state === 'sent',
      40_000,
    );
    expect(await sentEvents(one)).to.equal(1);
  }

  const scenarios = {
    'a mail that was accepted but not recorded is sent again with the same Message-ID, with one event': () =>
      withScene(async (one) => {
        const id = await approvedInvoice(one);
        await one.mailer.stop('SIGTERM');
        const dying = one.mailer.launch({ FAILPOINTS: 'after_accepted' });
        if (one.mailer === one.deployment.web) await dying.waitUntilReady(one.mailer.origin);
        // An all-in-one process may die before it responds, so ignore an error of this request. The
        // invoice is released even then.
        await one.client.post(`/invoices/${id}/send`, {}).catch(() => undefined);
        expect(await dying.waitForExit()).to.deep.equal({ code: null, signal: 'SIGKILL' });
        expect(one.server.accepted).to.have.length(1);
        await expectSentOnRetry(one, id);
        const ids = one.server.accepted.map(({ mail }) => mail.messageId);
        expect(ids).to.have.length(2);
        expect(new Set(ids).size).to.equal(1);
      }),

    'a mail that the server had not answered arrives once': () =>
      withScene(async (one) => {
        const id = await approvedInvoice(one);
        one.server.setNextBehaviors({ as: 'hang' });
        await one.client.post(`/invoices/${id}/send`, {});
        await eventually('the data at the server', () => one.server.received.length === 1);
        await one.mailer.kill();
        await expectSentOnRetry(one, id);
        expect(one.server.accepted).to.have.length(1);
        expect(one.server.received[0]?.mail.messageId).to.equal(one.server.accepted[0]?.mail.messageId);
      }),
  };

  registerConcurrentTests(scenarios, { maxConcurrent: 2, timeoutMs: 120_000 });
});
