import type { Locator, Page } from 'playwright-core';
import { CompanyPerson, CUSTOMER } from './company-person.js';

export interface SentInvoice {
  /** The number of its work order. */
  job: string;
  number: string;
  totalCents: number;
  drawer: Locator;
}

/** A person of a tow company who connects vendors in the dashboard, and watches what they do. */
export class VendorPerson extends CompanyPerson {
  /**
   * Connects a vendor with keys. Returns the drawer of the connection once the vendor has accepted
   * them.
   * @param fields what to type, by the label of the field
   */
  async connect(vendorName: string, fields: Readonly<Record<string, string>>): Promise<Locator> {
    const form = await this.#openConnectForm(vendorName);
    const label = `${vendorName} of Hudson`;
    await this.type(form.getByLabel('Label', { exact: true }), label);
    for (const [name, value] of Object.entries(fields)) await this.type(form.getByLabel(name), value);
    await form.getByRole('button', { name: 'Connect' }).click();
    const drawer = this.dialog(label);
    await drawer.getByText('Active', { exact: true }).first().waitFor();
    return drawer;
  }

  /**
   * Connects a vendor by its sign-in. Returns the drawer of the connection.
   * @param allow what the person does at the vendor's page, which opens in a new tab
   */
  async connectBySignIn(vendorName: string, allow: (tab: Page) => Promise<void>): Promise<Locator> {
    const form = await this.#openConnectForm(vendorName);
    const label = `${vendorName} of Hudson`;
    await this.type(form.getByLabel('Label', { exact: true }), label);
    await form.getByRole('button', { name: 'Continue to the sign-in' }).click();
    const signIn = this.dialog(`Sign in at ${vendorName}`);
    const link = signIn.getByRole('link', { name: `Sign in at ${vendorName}` });
    const [tab] = await Promise.all([this.page.context().waitForEvent('page'), link.click()]);
    await allow(tab);
    await signIn.getByText(`${vendorName} is connected.`).waitFor();
    await tab.close();
    await signIn.getByRole('button', { name: 'Open the connection' }).click();
    return this.dialog(label);
  }

  /** Chooses the accounts and tax codes of books. The names are patterns of the vendor's own. */
  async chooseAccounts(drawer: Locator, names: { income: RegExp; deposit: RegExp; taxes: [RegExp, RegExp] }) {
    await drawer.getByRole('tab', { name: 'Books' }).click();
    await drawer.getByRole('button', { name: 'Choose accounts', disabled: false }).click();
    const form = this.dialog('Choose accounts');
    for (const [label, name] of [
      ['Account for all categories that have none', names.income],
      ['Tax code of taxed lines', names.taxes[0]],
      ['Tax code of all other lines', names.taxes[1]],
      ['Account for payments', names.deposit],
    ] as const) {
      await form.getByRole('combobox', { name: label, exact: true }).click();
      await this.page.getByRole('option', { name }).first().click();
    }
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
  }

  /** Lets a connected billing partner bill the customer. */
  async billThrough(partner: string): Promise<void> {
    await this.openScreen('Customers');
    await this.page.getByRole('link', { name: CUSTOMER, exact: true }).click();
    const drawer = this.dialog(CUSTOMER);
    await drawer.getByRole('button', { name: 'Edit' }).click();
    const form = this.dialog(`Edit ${CUSTOMER}`);
    await this.choose(form.getByRole('combobox', { name: 'Billed through' }), partner);
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    await this.close(drawer);
  }

  /** Opens a connection from the list of the screen Integrations. */
  async openConnection(label: string): Promise<Locator> {
    await this.openScreen('Integrations');
    await this.page.getByRole('link', { name: label }).click();
    return this.dialog(label);
  }

  async disconnect(label: string): Promise<void> {
    const drawer = await this.openConnection(label);
    await drawer.getByRole('button', { name: 'Disconnect' }).click();
    const question = this.dialog(`Disconnect ${label}`);
    await question.getByRole('button', { name: 'Disconnect' }).click();
    await question.waitFor({ state: 'detached' });
    await this.close(drawer);
  }

  /** Lets the connection read at once what has changed at the vendor. */
  async syncNow(label: string): Promise<void> {
    const drawer = await this.openConnection(label);
    await drawer.getByRole('button', { name: 'Sync now' }).click();
    await this.page
      .getByText(/^Changes are read now/)
      .first()
      .waitFor();
    await this.close(drawer);
  }

  async openInvoice(number: string): Promise<Locator> {
    await this.openScreen('Invoices');
    await this.page.getByRole('link', { name: number, exact: true }).click();
    return this.dialog(number);
  }

  async openWorkOrder(number: string): Promise<Locator> {
    await this.openScreen('Work orders');
    await this.page.getByRole('link', { name: number, exact: true }).click();
    return this.dialog(`Work order ${number}`);
  }

  /** Returns the addresses that the drawer of a connection shows for the vendor, in this order. */
  async readAddresses(drawer: Locator, labels: readonly string[]): Promise<string[]> {
    await drawer.getByRole('tab', { name: 'Settings' }).click();
    const shown = labels.map((name) => drawer.getByRole('region', { name, exact: true }).innerText());
    return (await Promise.all(shown)).map((text) => text.trim());
  }

  /** Sends a new invoice of a completed work order. Leaves the drawer of the invoice open. */
  async sendNewInvoice(): Promise<SentInvoice> {
    const job = await this.createWorkOrder();
    await this.assign(job);
    await this.complete(job);
    const number = await this.createInvoice(job);
    const totalCents = await this.approveAndSend(number);
    return { job, number, totalCents, drawer: this.dialog(number) };
  }

  /** Marks the open document, so that {@link isSameDocument} tells whether it was loaded again. */
  async markDocument(): Promise<void> {
    await this.page.evaluate('window.isMarked = true');
  }

  isSameDocument(): Promise<boolean> {
    return this.page.evaluate('window.isMarked === true');
  }

  async #openConnectForm(vendorName: string): Promise<Locator> {
    await this.openScreen('Integrations');
    await this.click('button', `Connect ${vendorName}`);
    return this.dialog(`Connect ${vendorName}`);
  }
}

/** Writes an amount as the product does, such as $1,234.50. */
export function formatDollars(cents: number): string {
  return new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' }).format(cents / 100);
}
