import { expect } from 'chai';
import type { Json } from '../client.js';
import { eventually } from '../poll.js';
import { addReader } from './doubles/stripe/readers.js';
import type { StripeObject } from './doubles/stripe/stripe-account.js';
import type { PayingAccount, PayingStack } from './paying.js';

/** An account that takes payments on a card reader of the double of Stripe. */
export class TerminalAccount {
  reader: Json = {};

  private constructor(
    readonly account: PayingAccount,
    /** The reader at the double. */
    readonly device: StripeObject,
  ) {}

  static async open(paying: PayingStack, settings: object = {}): Promise<TerminalAccount> {
    return TerminalAccount.use(await paying.createAccount(settings));
  }

  /** Registers a reader for an account that takes payments already. */
  static async use(account: PayingAccount, label = 'Front desk'): Promise<TerminalAccount> {
    const terminal = new TerminalAccount(account, addReader(account.vendor, label));
    await terminal.syncReaders('online');
    return terminal;
  }

  get client() {
    return this.account.client;
  }

  createInvoice(totalCents?: number): Promise<string> {
    return this.account.createInvoice(totalCents);
  }

  /**
   * Pulls the readers until this reader has the status. If `status` is undefined, waits until the
   * product no longer lists the reader.
   */
  async syncReaders(status: string | undefined): Promise<void> {
    await this.client.post(`/connections/${this.account.connectionId}/sync`, { stream: 'readers' });
    await eventually(`the reader is ${status ?? 'removed'}`, async () => {
      const { body } = await this.client.get('/terminal-readers');
      const { label } = this.device;
      this.reader = body.data.items.find((one: Json) => one.label === label) ?? {};
      return this.reader.status === status;
    });
  }

  async start(invoiceId: string, body: object = {}): Promise<Json> {
    const path = `/invoices/${invoiceId}/terminal-payments`;
    const response = await this.client.post(path, { reader_id: this.reader.id, ...body });
    expect(response.status, JSON.stringify(response.body)).to.equal(202);
    return response.body;
  }

  /** Waits until the reader asks for a card. */
  async waitUntilShown(): Promise<void> {
    await eventually('the reader asks for a card', () => this.isShown);
  }

  /** Makes the worker retry its calls immediately, until the reader asks for a card. */
  async hurryUntilShown(): Promise<void> {
    await eventually('the reader asks for a card', async () => {
      await this.account.hurry([]);
      return this.isShown;
    });
  }

  get isShown(): boolean {
    return Reflect.get(this.device.action ?? {}, 'status') === 'in_progress';
  }

  async read(id: string): Promise<Json> {
    return (await this.client.get(`/terminal-payments/${id}`)).body;
  }

  async waitFor(id: string, status: string): Promise<Json> {
    return eventually(`the payment is ${status}`, async () => {
      const found = await this.read(id);
      return found.status === status && found;
    });
  }

  /** Makes the worker check the reader without pauses, until the payment has the status. */
  async hurryUntil(id: string, status: string): Promise<Json> {
    return eventually(`the payment is ${status}`, async () => {
      await this.account.hurry([]);
      const found = await this.read(id);
      return found.status === status && found;
    });
  }

  /** Returns the PaymentIntent at the double for a payment of the product. */
  findIntent(id: string): StripeObject {
    const found = this.account.vendor
      .list('payment_intent')
      .find(({ metadata }) => Reflect.get(Object(metadata), 'terminal_payment_id') === id);
    if (!found) throw new Error('the double has no such PaymentIntent');
    return found;
  }

  /** Ends the time in which the reader waits for a card, as if two minutes had passed. */
  async letExpire(id: string): Promise<void> {
    const { stack, tenant } = this.account;
    const text =
      "update terminal_payments set expires_at = now() - interval '1 second' where tenant_id = $1 and id = $2";
    await stack.rows(tenant.id, text, [tenant.id, id]);
  }
}
