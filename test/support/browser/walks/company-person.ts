import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import type { BrowserContext, Page } from 'playwright-core';
import type { TestClient } from '../../client.js';
import { makeRateCard } from '../../records/priced-work-orders.js';
import type { TestUser } from '../../records/sign-in.js';
import type { StrictEndpoint } from '../../webhooks/strict-receiver.js';
import { MousePerson } from '../mouse-person.js';

export const CUSTOMER = 'Bay Street Garage';
const BILLING_EMAIL = 'ap@bay-street.example';

/**
 * A person of a tow company. The methods do one task each, by clicks on visible elements and never
 * by opening an address.
 */
export class CompanyPerson extends MousePerson {
  async signIn(user: Pick<TestUser, 'email' | 'password'>): Promise<void> {
    await this.page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await this.type(this.page.getByLabel('E-mail'), user.email);
    await this.type(this.page.getByLabel('Password', { exact: true }), user.password);
    await this.page.getByRole('button', { name: 'Sign in' }).click();
    await this.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  }

  /**
   * Creates an API key. Asserts that the copied curl command works, and that the dashboard shows
   * the key only once.
   */
  async createApiKey(): Promise<string> {
    await this.openScreen('Settings');
    await this.click('tab', 'API keys');
    await this.click('button', 'Create API key');
    const form = this.dialog('Create API key');
    await this.type(form.getByLabel('Name'), 'Body shop');
    await form.getByRole('button', { name: 'Create API key' }).click();
    const dialog = this.dialog('API key Body shop');
    await dialog.getByRole('button', { name: 'Copy', exact: true }).click();
    await dialog.getByRole('button', { name: 'Copied' }).waitFor();
    const key = await this.readClipboard();
    await dialog.getByRole('button', { name: 'Copy curl' }).click();
    await dialog.getByRole('button', { name: 'Copied' }).nth(1).waitFor();
    const { stdout } = await promisify(execFile)('sh', ['-c', `${await this.readClipboard()} --silent`]);
    expect(JSON.parse(stdout).key.name).to.equal('Body shop');
    await dialog.getByRole('button', { name: 'I stored it' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await this.page.getByText(key).count(), 'the key after "I stored it"').to.equal(0);
    return key;
  }

  async addEndpoint(target: StrictEndpoint): Promise<void> {
    await this.openScreen('Webhooks');
    await this.page.getByRole('button', { name: 'Add endpoint' }).first().click();
    const form = this.dialog('Add endpoint');
    await this.type(form.getByLabel('URL'), target.url);
    await form.getByRole('button', { name: 'Add endpoint' }).click();
    const added = this.dialog('Endpoint added');
    target.secrets = [(await added.getByText(/^whsec_/).textContent()) ?? ''];
    await added.getByRole('button', { name: 'I stored it' }).click();
  }

  async sendTestAndReplay(target: StrictEndpoint): Promise<void> {
    await this.click('button', 'Send test event');
    await this.dialog('Send test event').getByRole('button', { name: 'Send test event' }).click();
    const delivery = this.dialog('Delivery of invoice.created');
    await delivery.getByRole('article', { name: 'Attempt 1' }).getByText('HTTP 200').waitFor();
    await delivery.getByRole('button', { name: 'Replay' }).click();
    await delivery.getByText('Open the first delivery').waitFor();
    await delivery.getByRole('article', { name: 'Attempt 1' }).getByText('HTTP 200').waitFor();
    expect(target.problems).to.deep.equal([]);
    const [first, second] = (await target.waitFor(2)).filter(({ event }) => event.type === 'invoice.created');
    expect(second?.id, 'the id of the replayed event').to.equal(first?.id);
    await this.close(delivery);
    await this.close(this.dialog(target.url));
  }

  async createCustomer(): Promise<void> {
    await this.openScreen('Customers');
    await this.page.getByRole('button', { name: 'New customer' }).first().click();
    const form = this.dialog('New customer');
    await this.type(form.getByLabel('Name'), CUSTOMER);
    await this.type(form.getByLabel('Billing e-mail'), BILLING_EMAIL);
    await form.getByRole('button', { name: 'Create customer' }).click();
    await this.close(this.dialog(CUSTOMER));
  }

  /** @param phone the number of the contact; without it, the work order has none */
  async createWorkOrder(phone?: string): Promise<string> {
    await this.openScreen('Work orders');
    await this.page.getByRole('button', { name: 'New work order' }).first().click();
    const form = this.dialog('New work order');
    await this.choose(form.getByRole('combobox', { name: 'Service type' }), 'Flatbed tow');
    await this.choose(form.getByRole('combobox', { name: 'Customer' }), CUSTOMER);
    await this.type(form.getByLabel('Pickup', { exact: true }), '48 Warren Street');
    if (phone !== undefined) await this.type(form.getByLabel('Phone'), phone);
    await form.getByRole('button', { name: 'Create work order' }).click();
    const drawer = this.dialog(/^Work order WO-/);
    const title = await drawer.getByRole('heading', { name: /^Work order WO-/ }).textContent();
    await this.close(drawer);
    return title?.replace('Work order ', '') ?? '';
  }

  /** Assigns the first free truck. */
  async assign(number: string): Promise<void> {
    await this.openScreen('Dispatch');
    const card = this.card('Unassigned', number);
    // A card has its form only near the visible part of the column. The mouse scrolls to the card.
    await card.hover();
    const trucks = card.getByLabel('Truck');
    await trucks
      .getByRole('option', { name: /^Truck \S+ \(/ })
      .first()
      .waitFor({ state: 'attached' });
    await trucks.selectOption({ index: 1 });
    await card.getByRole('button', { name: 'Assign' }).click();
    await this.card('Dispatched', number).waitFor();
  }

  /** Logs two of the driver's steps, then starts and completes the work order. */
  async complete(number: string): Promise<void> {
    const dispatched = this.card('Dispatched', number);
    for (const name of ['Log acknowledged', 'Log en route', 'Start'])
      await dispatched.getByRole('button', { name }).click();
    await this.card('In progress', number).getByRole('button', { name: 'Complete' }).click();
    const dialog = this.dialog(`Complete ${number}`);
    await this.type(dialog.getByLabel('Loaded miles'), '12.5');
    await dialog.getByRole('button', { name: 'Complete' }).click();
    await this.card('Completed today', number).getByRole('link', { name: number }).waitFor();
  }

  /** Creates the invoice that the rate card proposes, and returns its number. */
  async createInvoice(number: string): Promise<string> {
    await this.openScreen('Work orders');
    await this.page.getByRole('link', { name: number, exact: true }).click();
    const drawer = this.dialog(`Work order ${number}`);
    await drawer.getByRole('tab', { name: 'Price' }).click();
    await drawer.getByRole('button', { name: 'Create invoice' }).click();
    const form = this.dialog('New invoice');
    await form.getByRole('table', { name: 'Lines by the rate card' }).waitFor();
    const invoiceNumber = await form.getByLabel('Number').inputValue();
    await form.getByRole('button', { name: 'Create invoice' }).click();
    await this.dialog(invoiceNumber).waitFor();
    return invoiceNumber;
  }

  /**
   * Approves and sends the invoice. Waits until each dialog shows the total of the open invoice,
   * and returns it in cents.
   */
  async approveAndSend(number: string): Promise<number> {
    const drawer = this.dialog(number);
    const total = await drawer
      .getByRole('row', { name: /^Total / })
      .getByRole('cell')
      .innerText();
    for (const verb of ['Approve', 'Send']) {
      await drawer.getByRole('button', { name: verb, exact: true }).click();
      const dialog = this.dialog(`${verb} ${number}`);
      await dialog.getByText(total).first().waitFor();
      await dialog.getByText(CUSTOMER).waitFor();
      await dialog.getByRole('button', { name: verb, exact: true }).click();
      await dialog.waitFor({ state: 'detached' });
    }
    return Math.round(Number(total.replace(/[$,]/g, '')) * 100);
  }

  /** Opens the customer's page from the link in the message. Returns the new tab of the page. */
  async openCustomersPage(context: BrowserContext, number: string): Promise<Page> {
    const drawer = this.dialog(number);
    await drawer.getByRole('tab', { name: 'Messages' }).click();
    await drawer.getByRole('cell', { name: BILLING_EMAIL }).waitFor();
    await drawer.getByRole('button', { name: 'Show' }).click();
    const message = this.page.getByRole('dialog').filter({ hasText: 'What the customer sees' }).last();
    const [tab] = await Promise.all([
      context.waitForEvent('page'),
      message.getByRole('link', { name: /What the customer sees/ }).click(),
    ]);
    await tab.getByRole('heading', { name: new RegExp(number) }).waitFor();
    await tab.getByText('Balance due').first().waitFor();
    await message.getByRole('button', { name: 'Close' }).click();
    await drawer.getByText('Viewed', { exact: true }).first().waitFor();
    return tab;
  }

  async recordPayment(number: string): Promise<void> {
    const drawer = this.dialog(number);
    await drawer.getByRole('button', { name: 'Record payment' }).click();
    const dialog = this.dialog('Record payment');
    await dialog.getByLabel('Method').selectOption('cash');
    await dialog.getByRole('button', { name: 'Record payment' }).click();
    await dialog.waitFor({ state: 'detached' });
    await drawer.getByText('Paid', { exact: true }).first().waitFor();
    await drawer.getByRole('tab', { name: 'Details' }).click();
    await drawer.getByRole('row', { name: 'Balance $0.00' }).waitFor();
    await this.close(drawer);
    await this.page.getByRole('row', { name: new RegExp(`${number} .*Paid`) }).waitFor();
  }

  /** Exports all invoices, downloads the file, and finds the invoice in it. */
  async exportInvoices(expected: { invoiceNumber: string; totalCents: number }): Promise<void> {
    await this.openScreen('Exports');
    await this.page.getByRole('button', { name: 'New export' }).first().click();
    await this.dialog('New export').getByRole('button', { name: 'Start export' }).click();
    const link = this.dialog('Invoices as CSV').getByRole('link', { name: 'Download' });
    const [download] = await Promise.all([this.page.waitForEvent('download'), link.click()]);
    const file = gunzipSync(await readFile(await download.path()));
    const rows: Record<string, string>[] = parse(file, { columns: true, bom: true });
    const [row, ...others] = rows.filter((one) => one.invoice_number === expected.invoiceNumber);
    expect(others).to.deep.equal([]);
    expect(row).to.include({ status: 'paid', total_cents: String(expected.totalCents) });
    await this.close(this.dialog('Invoices as CSV'));
  }

  /** Creates an agent key. Returns the address and the key that the dialog shows for the agent. */
  async createAgentKey(name: string): Promise<{ url: string; key: string }> {
    await this.openScreen('Settings');
    await this.click('tab', 'Agent keys');
    await this.click('button', 'Create agent key');
    const form = this.dialog('Create agent key');
    await this.type(form.getByLabel('Name'), name);
    await form.getByRole('checkbox', { name: 'write_invoices_draft' }).click();
    await form.getByRole('button', { name: 'Create agent key' }).click();
    const dialog = this.dialog(`Agent key ${name}`);
    const json = await dialog.getByRole('region', { name: 'MCP client JSON', exact: true }).innerText();
    const { url, headers } = JSON.parse(json).mcpServers.tow;
    await dialog.getByRole('button', { name: 'I stored it' }).click();
    return { url, key: headers.Authorization.replace('Bearer ', '') };
  }

  /** Switches the approval threshold off, then on with the $1,000.00 that the form proposes. */
  async setThreshold(): Promise<void> {
    await this.click('tab', 'Account');
    const toggle = this.page.getByRole('switch', { name: 'Hold drafts by work order or payer' });
    const amount = this.page.getByLabel('Amount for one work order or payer');
    const unsaved = this.page.getByText('1 change is not saved.');
    for (const state of ['detached', 'visible'] as const) {
      await toggle.click();
      await amount.waitFor({ state });
      await unsaved.waitFor();
      await this.click('button', 'Save');
      await unsaved.waitFor({ state: 'detached' });
    }
    await this.page.getByText('Settings saved').first().waitFor();
  }

  /** Approves the draft that the agent has asked for, and reads that the draft was created. */
  async approveHeld(agentName: string, { name }: { name: string }): Promise<void> {
    await this.openScreen('Approvals');
    const row = this.page.getByRole('row', { name: new RegExp(`^Create invoice.*${agentName}`) });
    await row.getByRole('link', { name: /^Create invoice/ }).click();
    await this.click('button', 'Approve');
    const review = this.dialog('Approve this request?');
    await review.getByText('$1,200.00').waitFor();
    await review.getByRole('button', { name: 'Approve' }).click();
    await review.waitFor({ state: 'detached' });
    const request = this.page.getByRole('dialog', { name: /^Create invoice/ });
    await request.getByText(new RegExp(`^Approved by ${name}`)).waitFor();
    await this.close(request);
    await row.waitFor({ state: 'detached' });
  }

  /** Sees that the endpoint got each of the events. */
  async seeDeliveries(eventTypes: readonly string[]): Promise<void> {
    await this.openScreen('Webhooks');
    await this.click('tab', 'Deliveries');
    for (const type of eventTypes)
      await this.page
        .getByRole('row', { name: new RegExp(`^${type}.*Succeeded`) })
        .first()
        .waitFor();
  }

  private readClipboard(): Promise<string> {
    return this.page.evaluate('navigator.clipboard.readText()') as Promise<string>;
  }
}

/**
 * Forwards the browser's requests for invoice links to the stack under test. The links in the
 * stack's messages name port 3000, but the stack listens on another port.
 */
export async function serveLinks(context: BrowserContext, origin: string): Promise<void> {
  await context.route('http://127.0.0.1:3000/i/**', async (route) => {
    const url = `${origin}${new URL(route.request().url()).pathname}`;
    await route.fulfill({ response: await route.fetch({ url }) });
  });
}

/**
 * Creates a truck, its driver and a rate card by API, as the company's own program would. The
 * dashboard has no screens for them.
 */
export async function setUpFleetAndPrices(client: TestClient): Promise<void> {
  const { body: driver } = await client.post('/drivers', { name: 'Sam Rivera' });
  await client.post('/trucks', {
    unit_number: '12',
    duty_class: 'light',
    status: 'available',
    driver_id: driver.id,
  });
  await makeRateCard(client, { is_default: true });
}
