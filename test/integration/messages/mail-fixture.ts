import { newId } from '../../../shared/platform/ids.js';
import { openMessagesQueue } from '../../../shared/queues/messages.js';
import type { Json } from '../../support/client.js';
import { MailServer } from '../../support/network/mail-server.js';
import { eventually } from '../../support/poll.js';
import { invoiceInput } from '../../support/records/samples.js';
import { TestStack, type TestTenant } from '../../support/stack.js';
import { createHandle, useShared } from '../../support/use-stack.js';

export const MAIL_FROM = 'invoices@tow.example.com';
export const BASE_URL = 'https://billing.example.com';

interface FixtureOptions {
  /** Environment variables. Files with equal variables share the server and the stack. */
  environment?: Record<string, string>;
  /** If true, each test gets a new tenant; default: the tests of the `describe` share one. */
  isPerTest?: boolean;
}

/**
 * Returns a fixture with a new tenant. After the tests, it cancels the waiting mails of all
 * accounts, so that none of them is sent during later tests.
 */
export function useMailFixture({ environment = {}, isPerTest = false }: FixtureOptions = {}): MailFixture {
  const shared = useShared(
    JSON.stringify(['mail', environment]),
    () => MailFixture.start(environment),
    (running) => running.stop(),
  );
  let fixture: MailFixture | undefined;
  const [set, clear] = isPerTest ? [beforeEach, afterEach] : [before, after];
  set(async () => {
    fixture = await shared.withNewTenant();
  });
  clear(() => fixture?.cancelMails());
  return createHandle(() => fixture);
}

/** Runs the product with a mail server, and a tenant that sends invoices through this server. */
export class MailFixture {
  private constructor(
    readonly server: MailServer,
    readonly stack: TestStack,
    readonly tenant: TestTenant,
    private readonly queue: ReturnType<typeof openMessagesQueue>,
  ) {}

  static async start(environment: Record<string, string> = {}): Promise<MailFixture> {
    const server = await MailServer.start();
    // With this timeout, the SMTP client gives up on a hanging server after five seconds instead of
    // a minute. On a busy machine, a server that does not hang may take two seconds.
    const SMTP_URL = `${server.url}?socketTimeout=5000`;
    const stack = await TestStack.start({
      environment: { SMTP_URL, MAIL_FROM, BASE_URL, ...environment },
      clock: true,
    });
    const tenant = await stack.createTenant('Hudson Towing');
    return new MailFixture(server, stack, tenant, openMessagesQueue(stack.runtime));
  }

  /** Returns a fixture with the same server and stack, but with a new tenant. */
  async withNewTenant(): Promise<MailFixture> {
    const tenant = await this.stack.createTenant('Hudson Towing');
    return new MailFixture(this.server, this.stack, tenant, this.queue);
  }

  /**
   * Cancels the waiting mails of all accounts, and resets how the server treats mails. Waits until
   * no mail is being sent, so that no old mail uses up a behavior that a later test sets.
   */
  async cancelMails(): Promise<void> {
    this.server.reset();
    const { db } = this.stack.runtime;
    await db.transaction(await db.listTenantIds(), (tx) =>
      tx.query({ text: "update messages set state = 'failed' where state = 'queued'" }),
    );
    await eventually('the queue is empty', async () => {
      const { waiting = 0, active = 0 } = await this.queue.getJobCounts();
      return waiting + active === 0 && this.server.isIdle;
    });
  }

  async stop(): Promise<void> {
    await this.stack.stop();
    await this.server.stop();
  }

  async read(path: string): Promise<Json> {
    return (await this.tenant.client.get(path)).body;
  }

  async createApprovedInvoice(overrides: Record<string, unknown> = {}): Promise<string> {
    const { client } = this.tenant;
    const { body } = await client.post(
      '/invoices',
      invoiceInput({ billing_email: 'billing@example.com', ...overrides }),
    );
    await client.post(`/invoices/${body.id}/approve`, {});
    return body.id;
  }

  async sendNewInvoice(overrides: Record<string, unknown> = {}): Promise<string> {
    const id = await this.createApprovedInvoice(overrides);
    await this.tenant.client.post(`/invoices/${id}/send`, {});
    return id;
  }

  /** Waits until the invoice's delivery has this state, and returns the invoice. */
  async waitForDelivery(id: string, state: 'sent' | 'failed'): Promise<Json> {
    return eventually(`delivery ${state}`, async () => {
      const invoice = await this.read(`/invoices/${id}`);
      return invoice.delivery.state === state && invoice;
    });
  }

  /** Lists the invoice's messages, newest first. */
  async listMessages(invoiceId: string): Promise<Json[]> {
    return (await this.read(`/messages?invoice_id=${invoiceId}`)).data.items;
  }

  countAcceptedMails(messageId: string): number {
    return this.server.accepted.filter(({ mail }) => mail.messageId?.includes(messageId)).length;
  }

  async listEvents(invoiceId: string, type = 'invoice.sent'): Promise<Json[]> {
    const rows = await this.stack.rows<{ body: string }>(
      this.tenant.id,
      `select body from events where tenant_id = $1 and type = $3 and body::jsonb #>> '{data,object,id}' = $2 order by id`,
      [this.tenant.id, invoiceId, type],
    );
    return rows.map(({ body }) => JSON.parse(body));
  }

  /** Makes the next attempt due now, clears the last error, and adds a wake-up job. */
  async retryNow(messageId: string): Promise<void> {
    await this.stack.rows(
      this.tenant.id,
      'update messages set attempt_after = now(), error = null where tenant_id = $1 and id = $2',
      [this.tenant.id, messageId],
    );
    await this.addWakeUpJobs(messageId, 1);
  }

  /** Adds several wake-up jobs for one message, as a queue that repeats jobs would. */
  async addWakeUpJobs(messageId: string, times: number): Promise<void> {
    for (let nth = 0; nth < times; nth += 1)
      await this.queue.add('deliver', { tenantId: this.tenant.id, messageId }, { jobId: newId() });
  }
}
