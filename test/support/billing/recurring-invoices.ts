import { expect } from 'chai';
import type { Command } from '../../../shared/contracts/command.js';
import { enqueueBatch, openWritesQueue } from '../../../shared/queues/writes.js';
import { buildClockCommand } from '../../../shared/records/sweeps/clock-command.js';
import { runRecurringInvoice } from '../../../shared/resources/recurring-invoices/commands.js';
import type { Json, TestClient } from '../client.js';
import { createClockTasks } from '../clock.js';
import { eventually } from '../poll.js';
import { lineItem } from '../records/samples.js';
import type { TestStack } from '../stack.js';

/** A line item as POST /recurring-invoices accepts it. */
export const STORAGE = { name: 'Lot rent', category: 'storage', quantity: 1, unit_type: 'each' };

/** Runs the clock's sweep of recurring invoices once. */
export function runRecurringClock(stack: TestStack): Promise<void> {
  return createClockTasks(stack.runtime)('create-recurring-invoices');
}

/** Returns the date of a time in a time zone, as `YYYY-MM-DD`. */
export function dateIn(timeZone: string, time: string | number): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone }).format(new Date(time));
}

/** Returns the date in a time zone, this many days from today, as `YYYY-MM-DD`. */
export function dayIn(timeZone: string, days = 0): string {
  const today = Date.parse(dateIn(timeZone, Date.now()));
  return new Date(today + days * 86_400_000).toISOString().slice(0, 10);
}

/** One account with a customer, and its recurring invoices. */
export class RecurringAccount {
  private constructor(
    readonly stack: TestStack,
    readonly tenantId: string,
    readonly client: TestClient,
    readonly customerId: string,
  ) {}

  static async open(stack: TestStack, tenantId: string, client: TestClient): Promise<RecurringAccount> {
    const { body } = await client.post('/customers', {
      company_name: 'Fleet',
      billing_email: 'fleet@example.com',
    });
    return new RecurringAccount(stack, tenantId, client, body.id);
  }

  buildInput(overrides: Record<string, unknown> = {}): Record<string, unknown> {
    const line_items = [lineItem({ ...STORAGE, unit_price_cents: 12_500 })];
    return {
      customer_id: this.customerId,
      every: 'month',
      anchor_date: '2026-01-31',
      line_items,
      ...overrides,
    };
  }

  async create(overrides: Record<string, unknown> = {}): Promise<Json> {
    const response = await this.client.post('/recurring-invoices', this.buildInput(overrides));
    expect(response.status, response.text).to.equal(201);
    return response.body;
  }

  async read(id: string): Promise<Json> {
    return (await this.client.get(`/recurring-invoices/${id}`)).body;
  }

  async patch(id: string, patch: object): Promise<Json> {
    const response = await this.client.patch(`/recurring-invoices/${id}`, patch);
    expect(response.status, response.text).to.equal(200);
    return response.body;
  }

  /**
   * Sets the next date of a recurring invoice. With a past date, it looks as if the clock had not
   * run since then.
   */
  async makeDue(id: string, date: string): Promise<void> {
    const text = 'update recurring_invoices set next_date = $3 where tenant_id = $1 and id = $2';
    await this.stack.rows(this.tenantId, text, [this.tenantId, id, date]);
  }

  /** Lists the invoices of a recurring invoice, oldest first. */
  async listInvoices(id: string): Promise<Json[]> {
    const { items } = (await this.client.get('/invoices?limit=200&expand=line_items')).body.data;
    return items.filter((invoice: Json) => invoice.recurring_invoice_id === id).reverse();
  }

  /** Builds the command that the clock would submit for a due date. */
  buildRun(id: string, date: string, environment: 'live' | 'sandbox' = 'live'): Command {
    return buildClockCommand(runRecurringInvoice, { tenant_id: this.tenantId, id, environment }, { date });
  }

  /** Submits each command as a separate job, and waits until all of them have run. */
  async submit(...commands: Command[]): Promise<void> {
    const queue = openWritesQueue(this.stack.runtime);
    await Promise.all(commands.map((command) => enqueueBatch(queue, [command], null)));
    await eventually('the commands have run', async () => {
      const text = 'select from audit_entries where tenant_id = $1 and id = any($2::uuid[])';
      const ids = commands.map(({ id }) => id);
      return (await this.stack.rows(this.tenantId, text, [this.tenantId, ids])).length === commands.length;
    });
  }

  /** Runs the clock until a recurring invoice is no longer due. Returns the record. */
  async catchUp(id: string, today: string): Promise<Json> {
    return eventually('the recurring invoice has caught up', async () => {
      await runRecurringClock(this.stack);
      const record = await this.read(id);
      return (record.next_date === null || record.next_date > today) && record;
    });
  }
}
