import { expect } from 'chai';
import type { Json } from '../client.js';
import { createClockTasks } from '../clock.js';
import { eventually } from '../poll.js';
import { lineItem } from '../records/samples.js';
import type { TestStack } from '../stack.js';
import type { PayingAccount } from '../vendors/paying.js';
import { dayIn, runRecurringClock } from './recurring-invoices.js';

export interface AutopayRule {
  when?: 'release' | 'due_date';
  type?: 'card' | 'us_bank_account';
  /** If true, the customer saves a payment method, but autopay stays off. */
  isOff?: boolean;
}

/** Runs a task of the clock, by default the one that charges invoices. */
export async function chargeDue(stack: TestStack, task = 'charge-invoices'): Promise<void> {
  await createClockTasks(stack.runtime)(task);
}

/** A customer with a saved payment method, which autopay charges for invoices. */
export class PayingCustomer {
  private constructor(
    private readonly account: PayingAccount,
    readonly id: string,
    readonly methodId: string,
    private readonly when: 'release' | 'due_date',
  ) {}

  static async open(account: PayingAccount, rule: AutopayRule): Promise<PayingCustomer> {
    const { when = 'release', type = 'card', isOff = false } = rule;
    const id = await account.createCustomer();
    const { id: methodId } = await account.saveMethod(id, { type });
    const customer = new PayingCustomer(account, id, methodId, when);
    if (!isOff) await customer.setAutopay();
    return customer;
  }

  async setAutopay(): Promise<void> {
    const autopay = { payment_method_id: this.methodId, when: this.when };
    const { status, body } = await this.account.client.patch(`/customers/${this.id}`, { autopay });
    expect(status, JSON.stringify(body)).to.equal(200);
  }

  /** Creates, approves and sends an invoice. */
  async sendInvoice(cents: number): Promise<string> {
    const id = await this.account.createInvoice(cents, this.id);
    const { status, body } = await this.account.client.post(`/invoices/${id}/send`, {});
    expect(status, JSON.stringify(body)).to.be.oneOf([200, 202]);
    return id;
  }

  async listAttempts(invoiceId: string): Promise<Json[]> {
    const { body } = await this.account.client.get(`/autopay-attempts?invoice_id=${invoiceId}`);
    return body.data.items;
  }

  /** Waits until the newest attempt to charge the invoice has this status and number. */
  async waitForAttempt(invoiceId: string, status: string, attempt = 1): Promise<Json> {
    return eventually(`attempt ${attempt} is ${status}`, async () => {
      const [newest] = await this.listAttempts(invoiceId);
      return newest?.status === status && newest.attempt === attempt && newest;
    });
  }

  /** Makes all planned charges due immediately, as if days had passed. */
  async passDays(): Promise<void> {
    const { stack, tenant } = this.account;
    const text =
      'update autopay_attempts set next_attempt_at = now() where tenant_id = $1 and next_attempt_at is not null';
    await stack.rows(tenant.id, text, [tenant.id]);
  }

  async findNotice(entityId: string): Promise<Json | undefined> {
    const { body } = await this.account.client.get('/notices');
    return body.data.items.find(({ entity_id }: Json) => entity_id === entityId);
  }

  /** Creates a recurring invoice that is due today and sent at once. */
  async createRecurring(autopay: object): Promise<string> {
    const { status, body } = await this.account.client.post('/recurring-invoices', {
      customer_id: this.id,
      every: 'month',
      anchor_date: dayIn('America/New_York'),
      line_items: [lineItem()],
      release: 'send',
      autopay,
    });
    expect(status, JSON.stringify(body)).to.equal(201);
    return body.id;
  }

  /**
   * Runs the clock until it has created the invoice of a recurring invoice, and returns the
   * invoice's id.
   */
  async runRecurring(id: string): Promise<string> {
    return eventually('the invoice exists', async () => {
      await runRecurringClock(this.account.stack);
      const { body } = await this.account.client.get(`/recurring-invoices/${id}`);
      return body.last_invoice_id ?? false;
    });
  }
}
