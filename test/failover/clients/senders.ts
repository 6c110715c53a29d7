import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Json } from '../../support/client.js';
import type { DeployedTenant, Deployment } from '../../support/load/deployment.js';
import type { MailServer, ReceivedMail } from '../../support/network/mail-server.js';
import { eventually } from '../../support/poll.js';
import { invoiceInput } from '../../support/records/samples.js';
import { type ClientReport, compareIds } from './client-call.js';
import { type Attempt, RepeatingClients, send } from './repeating-clients.js';

const DOMAIN = 'senders.example.com';
/**
 * Longer than the lease of a mail, which is three minutes. If PostgreSQL dies with the answer to a
 * lease, nobody sends the mail until the lease ends.
 */
const MAILED_MS = 240_000;
/** The server takes its time, so that a mail is under way at most moments. */
const SERVER_DELAY_MS = 200;

/** An invoice whose sending was acknowledged. */
interface SentInvoice {
  id: string;
  /** The only recipient, which no other invoice has. */
  address: string;
}

/** Clients that release one invoice after the other, each to an address of its own. */
export class Senders extends RepeatingClients {
  readonly sent: SentInvoice[] = [];
  /** The answers that a client cannot repeat a request after. */
  readonly refusals: string[] = [];

  constructor(
    private readonly origin: string,
    private readonly tenant: DeployedTenant,
    private readonly server: MailServer,
    { clients, thinkMs }: { clients: number; thinkMs: number },
  ) {
    super(clients, thinkMs);
    server.delayMs = SERVER_DELAY_MS;
  }

  /** Returns the settings of a product that sends its mails to a server. */
  static buildSettings({ url }: MailServer): Record<string, string> {
    return { SMTP_URL: url, MAIL_FROM: 'invoices@tow.example.com' };
  }

  protected begin(): Attempt {
    const invoice = invoiceInput({ billing_email: `${randomUUID()}@${DOMAIN}` });
    // Each request has one key, so that its repetition acts once.
    const keys = { create: randomUUID(), approve: randomUUID(), send: randomUUID() };
    return async () => {
      const id = await this.#post('/invoices', keys.create, invoice);
      if (!id || !(await this.#post(`/invoices/${id}/approve`, keys.approve))) return false;
      if (!(await this.#post(`/invoices/${id}/send`, keys.send))) return false;
      this.sent.push({ id, address: invoice.billing_email as string });
      return true;
    };
  }

  /** Sends a write. Returns the invoice's id, or undefined if a client should send it again. */
  async #post(path: string, key: string, body: object = {}): Promise<string | undefined> {
    const reply = await send(`${this.origin}/v1${path}`, this.tenant.key, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(body),
    });
    if (reply && reply.status >= 400 && !isRetried(reply))
      this.refusals.push(`${path}: ${reply.status} ${JSON.stringify(reply.body.error)}`);
    // 202 means that the write is stored: its repetition returns the invoice.
    return reply && reply.status < 202 ? reply.body.id : undefined;
  }

  get #mails(): ReceivedMail[] {
    return this.server.accepted.filter(({ to }) => to.some((address) => address.endsWith(`@${DOMAIN}`)));
  }

  /** Waits until `by` more mails have arrived. */
  async waitForMails(by: number, timeoutMs: number): Promise<void> {
    const goal = this.#mails.length + by;
    await eventually(`${by} more mails`, () => this.#mails.length >= goal, timeoutMs);
  }

  /** Waits until the server has the data of a mail, and has not answered. */
  async waitForMailUnderWay(): Promise<void> {
    await eventually('a mail under way', () => !this.server.isIdle);
  }

  /**
   * Ends the leases of mails that the server has accepted. If Redis loses the job that records such
   * a mail, another worker records it once the lease ends, after up to three minutes.
   */
  async endLeasesOfAccepted(deployment: Deployment): Promise<void> {
    const text = `update messages set attempt_after = now() - interval '1 minute'
                  where tenant_id = $1 and state = 'queued' and accepted_at is not null`;
    const db = await deployment.db();
    const values = [this.tenant.id];
    await db.transaction(values, (tx) => tx.query({ text, values }));
  }

  /**
   * Ends the clients. Asserts that each invoice was mailed once, and that the product recorded this
   * once: with one message and one event. The product promises less, that a mail arrives at least
   * once. Once is right only while no process that sends mails is killed, and no outage of a store
   * outlasts the lease of a mail.
   */
  async expectEachMailed(deployment: Deployment): Promise<void> {
    await this.stop();
    expect(this.refusals).to.deep.equal([]);
    const failed = this.calls.filter(({ succeededAt }) => !succeededAt);
    expect(failed, 'invoices whose sending was never acknowledged').to.deep.equal([]);
    const db = await deployment.db();
    const read = <Row>(text: string) => db.transaction([this.tenant.id], (tx) => tx.query<Row>({ text }));
    let open: unknown[] = [];
    const areRecorded = async () => {
      open = await read("select invoice_id, state, attempts, error from messages where state <> 'sent'");
      return open.length === 0;
    };
    await eventually('every mail to be recorded as sent', areRecorded, MAILED_MS).catch((error: Error) => {
      throw new Error(`${error.message}; ${open.length} are not: ${JSON.stringify(open.slice(0, 3))}`);
    });
    const ids = this.sent.map(({ id }) => id).sort();
    const list = async (text: string) => (await read<{ id: string }>(text)).map(({ id }) => id).sort();
    expect(await list('select invoice_id as id from messages'), 'messages').to.deep.equal(ids);
    const events = `select body::jsonb #>> '{data,object,id}' as id from events where type = 'invoice.sent'`;
    expect(await list(events), 'the events that an invoice was sent').to.deep.equal(ids);
    // Checked first: copies with different ids would be a fault also where copies may arrive.
    expect(
      this.#listAddressesWithOtherIds(),
      'addresses that got copies of a mail with another Message-ID',
    ).to.deep.equal([]);
    expect(this.#listMailedIds(), 'the invoices that were mailed').to.deep.equal(ids);
    const withPdf = this.#mails.filter(({ mail }) => mail.attachments.length === 1);
    expect(withPdf.length, 'mails with a PDF').to.equal(ids.length);
  }

  /** Returns what the recipients saw: for each invoice its mail, and further copies as tries. */
  report(): ClientReport {
    const calls = this.sent.map(({ address }) => {
      const copies = this.#mails.filter(({ to }) => to.includes(address));
      return { tries: copies.length, succeededAt: copies[0]?.at };
    });
    const ids = this.sent.map(({ id }) => id);
    return { kind: 'mail of an invoice', calls, ...compareIds(ids, this.#listMailedIds()) };
  }

  /** Lists the addresses that got mails with different Message-IDs. */
  #listAddressesWithOtherIds(): string[] {
    const idsOf = (address: string) =>
      new Set(this.#mails.filter(({ to }) => to.includes(address)).map(({ mail }) => mail.messageId));
    return this.sent.map(({ address }) => address).filter((address) => idsOf(address).size > 1);
  }

  /** Lists the invoice of each mail that arrived, in the sequence of their ids. */
  #listMailedIds(): string[] {
    const byAddress = new Map(this.sent.map(({ id, address }) => [address, id]));
    return this.#mails.map(({ to }) => byAddress.get(to[0] ?? '') ?? `an unknown invoice of ${to}`).sort();
  }
}

function isRetried({ status, body }: { status: number; body: Json }): boolean {
  return status === 429 || body.error?.code === 'idempotency_in_progress';
}
