/** Does the tasks of a day by keyboard alone. No test in this file clicks. */
import { expect } from 'chai';
import type { Locator } from 'playwright-core';
import { buildDraft } from '../../support/agents/approvals.js';
import { type OpenDashboard, type OpenOptions, useDashboard } from '../../support/browser/dashboard.js';
import { KeyboardPerson } from '../../support/browser/keyboard-person.js';
import { waitUntilLoaded } from '../../support/browser/wait-in-page.js';
import { StrictReceiver } from '../../support/webhooks/strict-receiver.js';

describe('the dashboard by keyboard alone', function () {
  this.timeout(240_000);
  const dashboard = useDashboard();
  let receiver: StrictReceiver;
  before(async () => {
    receiver = await StrictReceiver.start();
  });
  after(() => receiver?.stop());

  let person: KeyboardPerson;
  /** Opens the dashboard for a person who then uses the keyboard. */
  async function open(path: string, options: OpenOptions = {}): Promise<OpenDashboard> {
    const opened = await dashboard.open(path, options);
    person = new KeyboardPerson(opened.page);
    return opened;
  }
  const dialog = (name: string | RegExp): Locator => person.page.getByRole('dialog', { name, exact: true });
  const button = (name: string): Locator => person.page.getByRole('button', { name, exact: true });
  async function openScreen(name: string): Promise<void> {
    await person.activate('link', name);
    await person.page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
  }

  it('a person signs in, and every stop of the focus is seen', async () => {
    const { user } = await open('customers', { isSignedOut: true });
    await person.page.getByLabel('E-mail').waitFor();
    await person.fill('textbox', 'E-mail', user.email);
    await person.press('Tab');
    await person.page.keyboard.type(user.password);
    await person.activate('button', 'Sign in');
    await person.page.getByRole('heading', { level: 1, name: 'Customers' }).waitFor();
    person.expectWrites('POST /session');
  });

  it('a person creates an API key; Esc and "I stored it" return the focus to Create API key', async () => {
    const { tenant } = await open('');
    await openScreen('Settings');
    await person.tabTo('tab', 'Account');
    await person.press('ArrowRight');
    await person.activate('button', 'Create API key');
    await person.waitForFocus(dialog('Create API key'));
    await person.press('Escape');
    await dialog('Create API key').waitFor({ state: 'detached' });
    await person.waitForFocus(button('Create API key'));
    await person.press('Enter');
    await person.waitForFocus(dialog('Create API key').getByLabel('Name'));
    await person.page.keyboard.type('Body shop');
    await person.tabTo('checkbox', 'write');
    await person.press('Space');
    await person.tabTo('textbox', 'Name', { isBackwards: true });
    await person.press('Enter');
    await person.waitForFocus(dialog('API key Body shop'));
    await person.activate('button', 'Copy curl');
    await person.hear('Copied');
    await person.activate('button', 'I stored it');
    await person.waitForFocus(button('Create API key'));
    const { body } = await tenant.client.get('/api-keys');
    const created = body.data.items.find(({ name }: { name: string }) => name === 'Body shop');
    expect(created.permissions).to.deep.equal(['read']);
    person.expectWrites('POST /api-keys');
  });

  it('a person adds an endpoint, sends it a test event, and replays the delivery', async () => {
    const target = receiver.add();
    await open('webhooks');
    await person.activate('button', 'Add endpoint');
    await person.waitForFocus(dialog('Add endpoint').getByLabel('URL'));
    await person.page.keyboard.type(target.url);
    await person.press('Enter');
    const added = dialog('Endpoint added');
    await person.waitForFocus(added);
    target.secrets = [(await added.getByText(/^whsec_/).textContent()) ?? ''];
    await person.activate('button', 'I stored it');
    await person.waitForFocus(dialog(target.url));
    await person.activate('button', 'Send test event');
    await person.waitForFocus(dialog('Send test event'));
    await person.activate('button', 'Send test event');
    const delivery = dialog('Delivery of invoice.created');
    await delivery.getByText('HTTP 200').waitFor();
    await person.waitForFocus(delivery);
    await person.activate('button', 'Replay');
    await person.hear('Replay started');
    await delivery.getByText('Open the first delivery').waitFor();
    await target.waitFor(2);
    await person.waitForFocus(delivery);
    await person.press('Escape');
    await person.waitForFocus(dialog(target.url));
    await person.press('Escape');
    await dialog(target.url).waitFor({ state: 'detached' });
    await person.waitForFocus(button('Add endpoint'));
    expect(target.problems).to.deep.equal([]);
    person.expectWrites(
      'POST /webhook-endpoints',
      'POST /webhook-endpoints/{id}/test',
      'POST /webhook-deliveries/{id}/replay',
    );
  });

  it('a dispatcher assigns a truck on the board, hears it, and the focus follows the card', async () => {
    const { page, tenant } = await open('');
    const { body: truck } = await tenant.client.post('/trucks', {
      unit_number: '2',
      duty_class: 'light',
      status: 'available',
    });
    const { body: order } = await tenant.client.post('/work-orders', { service_type: 'tow' });
    await openScreen('Dispatch');
    await page.getByRole('article', { name: order.job_number }).waitFor();
    await person.tabTo('combobox', 'Truck');
    await person.press('ArrowDown');
    await person.activate('button', 'Assign');
    await person.hear(`${order.job_number} assigned to Truck 2`);
    const column = page.getByRole('region', { name: 'Dispatched', exact: true });
    await person.waitForFocus(column.getByRole('link', { name: order.job_number }));
    const { body } = await tenant.client.get(`/work-orders/${order.id}`);
    expect(body).to.include({ status: 'dispatched', truck_id: truck.id });
    person.expectWrites('POST /work-orders/{id}/assign');
  });

  it('a person approves a draft, and the focus stays in the drawer, whose Esc returns it to the list', async () => {
    const { page, tenant } = await open('');
    const { body: draft } = await tenant.client.post(
      '/invoices',
      buildDraft(12_500, { billing_email: 'ap@bay.example' }),
    );
    await openScreen('Invoices');
    await person.activate('link', draft.invoice_number);
    await person.waitForFocus(dialog(draft.invoice_number));
    await person.activate('button', 'Approve');
    await person.waitForFocus(dialog(`Approve ${draft.invoice_number}`));
    await person.press('Escape');
    await person.waitForFocus(button('Approve'));
    await person.press('Enter');
    await person.waitForFocus(dialog(`Approve ${draft.invoice_number}`));
    await person.activate('button', 'Approve');
    await person.hear(`Invoice ${draft.invoice_number} approved`);
    await person.waitForFocus(dialog(draft.invoice_number));
    await person.press('Escape');
    await dialog(draft.invoice_number).waitFor({ state: 'detached' });
    await person.waitForFocus(page.getByRole('link', { name: draft.invoice_number, exact: true }));
    const { body } = await tenant.client.get(`/invoices/${draft.id}`);
    expect(body.status).to.equal('approved');
    person.expectWrites('POST /invoices/{id}/approve');
  });

  it('a person writes an invoice with two lines, sends it and records its payment', async () => {
    const { page, tenant } = await open('invoices');
    await tenant.client.post('/customers', { company_name: 'Bay Street Garage' });
    await person.activate('button', 'New invoice');
    const form = dialog('New invoice');
    await person.waitForFocus(form);
    await writeTwoLines(form);
    await person.activate('button', 'Create invoice');
    await person.hear('Invoice created');
    const drawer = dialog('BAY-1');
    await drawer.waitFor();
    for (const verb of ['Approve', 'Send']) {
      await person.waitForFocus(drawer);
      await person.activate('button', verb);
      await person.waitForFocus(dialog(`${verb} BAY-1`));
      await person.activate('button', verb);
      await dialog(`${verb} BAY-1`).waitFor({ state: 'detached' });
    }
    await person.activate('button', 'Record payment');
    await person.waitForFocus(dialog('Record payment').getByLabel('Amount'));
    await person.press('Enter');
    await person.hear('Payment on BAY-1 recorded');
    await drawer.getByText('Paid', { exact: true }).first().waitFor();
    await person.waitForFocus(drawer);
    await person.press('Escape');
    await person.waitForFocus(page.getByRole('button', { name: 'New invoice' }));
    const { body } = await tenant.client.get('/invoices?expand=line_items');
    expect(body.data.items[0]).to.include({ status: 'paid', total_cents: 15_875, paid_cents: 15_875 });
    expect(body.data.items[0].line_items).to.have.length(2);
    person.expectWrites('POST /invoices', 'POST /invoices/{id}/send', 'POST /invoices/{id}/payments');
  });

  it('Ctrl+K or ⌘K finds a record and opens it, and Esc returns the focus', async () => {
    const { page, tenant } = await open('invoices');
    await tenant.client.post('/customers', { company_name: 'Bay Street Garage' });
    await person.tabTo('button', 'New invoice');
    await person.press('Meta+K');
    await person.waitForFocus(page.getByPlaceholder('Page, action, number, name or id'));
    await person.press('Escape');
    await person.waitForFocus(button('New invoice'));
    await person.press('Control+K');
    const search = page.getByPlaceholder('Page, action, number, name or id');
    await person.waitForFocus(search);
    await page.keyboard.type('Bay Str');
    await page.getByRole('button', { name: /Bay Street Garage/ }).waitFor();
    await person.press('ArrowDown');
    await person.press('Enter');
    await person.waitForFocus(dialog('Bay Street Garage'));
    await person.press('Escape');
    await dialog('Bay Street Garage').waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).to.equal('/app/customers');
    person.expectFocusWasSeen();
  });

  it('no screen traps the focus: Tab goes through all of it, sees each stop, and comes around', async () => {
    const { page } = await open('');
    const links = page.getByRole('navigation', { name: 'Screens' }).locator('a[href^="/app"]');
    await links.first().waitFor();
    const names = await links.allTextContents();
    expect(names).to.have.length(13);
    for (const name of names) {
      await openScreen(name);
      await waitUntilLoaded(page);
      await person.tabTo('button', 'Find', { maxStops: 100 });
      await person.press('Tab');
      await person.tabTo('button', 'Find', { maxStops: 100 });
      await person.tabTo('link', name, { maxStops: 100, isBackwards: true });
    }
    person.expectFocusWasSeen();
  });

  /** Fills in the form of a new invoice, with two line items. */
  async function writeTwoLines(form: Locator): Promise<void> {
    await form.getByRole('combobox', { name: 'Customer' }).waitFor();
    await person.tabTo('combobox', 'Customer', { isBackwards: true });
    await person.page.keyboard.type('Bay');
    await person.page.getByRole('option', { name: 'Bay Street Garage' }).waitFor();
    await person.press('ArrowDown');
    await person.press('Enter');
    await person.fill('textbox', 'Number', 'BAY-1');
    await person.fill('textbox', 'Billing e-mail', 'ap@bay-street.example');
    await person.fill('textbox', 'Unit price', '125');
    await person.activate('button', 'Add line');
    const second = form.getByRole('group', { name: 'Line 2' });
    await person.waitForFocus(second.getByLabel('Category'));
    await person.page.keyboard.type('Mil');
    await person.fill('textbox', 'Quantity', '7.5');
    await person.fill('textbox', 'Unit price', '4.50');
    await form.getByRole('group', { name: 'Totals' }).getByText('$158.75').last().waitFor();
  }
});
