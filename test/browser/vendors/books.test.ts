import { expect } from 'chai';
import { useDashboard } from '../../support/browser/dashboard.js';
import { eventually } from '../../support/poll.js';
import { createHandle } from '../../support/use-stack.js';
import { BookingAccount, useBookingStack } from '../../support/vendors/booking.js';
import { line } from '../../support/vendors/books/books-account.js';
import { requireContracts } from '../../support/vendors/contracts/load-contract.js';
import { XeroPerson } from '../../support/vendors/doubles/xero/sign-ins.js';
import { useXeroStack, XeroAccount } from '../../support/vendors/xero-booking.js';

describe('an invoice in the books, in the dashboard', function () {
  this.timeout(120_000);
  requireContracts();
  const booking = useBookingStack();
  const dashboard = useDashboard(createHandle(() => booking.stack));

  it('an invoice that differs shows our value and theirs of each field side by side, and writes ours again', async () => {
    const account = new BookingAccount(booking.stack, booking.double, await booking.stack.createTenant());
    await account.connect();
    const [invoice, booked] = await account.releaseBooked();
    await account.waitForWrites();
    const [first] = booked.Line as { SalesItemLineDetail: { ItemRef: object } }[];
    const SalesItemLineDetail = { ItemRef: first?.SalesItemLineDetail.ItemRef };
    booking.double.edit(account.company, 'Invoice', booked.Id, {
      DocNumber: 'CHANGED-1',
      Line: [{ ...first, Amount: 99, SalesItemLineDetail }],
    });
    await account.waitForIssue('difference');
    const path = `integrations/${account.connectionId}?tab=issues`;
    const { page } = await dashboard.open(path, { tenant: account.tenant });
    await page.getByRole('button', { name: 'Resolve' }).click();
    const dialog = page.getByRole('dialog', { name: 'Resolve: Differs from the vendor' });
    const table = dialog.getByRole('table', { name: 'Both sides' });
    expect(await table.getByRole('columnheader').allTextContents()).to.deep.equal([
      'Field',
      'Here',
      'At the vendor',
    ]);
    const readRow = (name: string) =>
      table
        .getByRole('row')
        .filter({ has: page.getByRole('cell', { name, exact: true }) })
        .getByRole('cell')
        .allTextContents();
    expect(await readRow('Total')).to.deep.equal(['Total', '$125.00', '$99.00']);
    expect(await readRow('Number')).to.deep.equal(['Number', invoice.invoice_number, 'CHANGED-1']);
    await dialog.getByRole('radio', { name: 'Write ours again' }).check();
    await dialog.getByRole('button', { name: 'Resolve' }).click();
    await eventually('our side is in the books again', async () => {
      await account.hurry([]);
      const { TotalAmt, DocNumber } = account.company.get('Invoice', booked.Id);
      return TotalAmt === 125 && DocNumber === invoice.invoice_number;
    });
    await account.waitForAgreement();
  });

  it('the records of an invoice and its customer name and link what the books call them', async () => {
    const account = new BookingAccount(booking.stack, booking.double, await booking.stack.createTenant());
    await account.connect();
    const [invoice, booked] = await account.releaseBooked();
    const { tenant } = account;
    const { page } = await dashboard.open(`invoices/${invoice.id}`, { tenant });
    const books = 'https://app.qbo.intuit.com/app';
    const inBooks = page.getByRole('dialog', { name: invoice.invoice_number }).getByRole('link', {
      name: `Quickbooks ${booked.Id}`,
      exact: true,
    });
    await inBooks.waitFor();
    expect(await inBooks.getAttribute('href')).to.equal(`${books}/invoice?txnId=${booked.Id}`);
    const customerId = Object(booked.CustomerRef).value;
    await page.goto(`${booking.stack.origin}/app/customers/${invoice.customer_id}`);
    const link = page.getByRole('link', { name: `Quickbooks ${customerId}`, exact: true });
    await link.waitFor();
    expect(await link.getAttribute('href')).to.equal(`${books}/customerdetail?nameId=${customerId}`);
    const { body: unknown } = await tenant.client.post('/customers', { company_name: 'New Garage' });
    await page.goto(`${booking.stack.origin}/app/customers/${unknown.id}`);
    const drawer = page.getByRole('dialog', { name: 'New Garage' });
    await drawer.getByText('Terms', { exact: true }).waitFor();
    expect(await drawer.getByText('At vendors').count(), 'before a vendor knows it').to.equal(0);
  });
});

describe('Xero is set up in the dashboard', function () {
  this.timeout(120_000);
  requireContracts();
  const booking = useXeroStack();
  const dashboard = useDashboard(createHandle(() => booking.stack));

  it('a person signs in, chooses accounts and tax, sees what is missing, and enters earlier invoices', async () => {
    const account = new XeroAccount(booking, await booking.stack.createTenant(), new XeroPerson());
    const customer = await account.createCustomer();
    const storage = line({ name: 'Storage', category: 'storage', unit_price_cents: 4000 });
    const lines = [line({ unit_price_cents: 8500 }), storage];
    const invoice = await account.release({ customerId: customer.id, lines, hurries: false });
    expect(
      (await account.client.post(`/invoices/${invoice.id}/payments`, { amount_cents: 500, method: 'check' }))
        .status,
    ).to.equal(201);
    const { page, context } = await dashboard.open('integrations', { tenant: account.tenant });
    await page.getByRole('button', { name: 'Connect Xero' }).click();
    const form = page.getByRole('dialog', { name: 'Connect Xero' });
    await form.getByRole('button', { name: 'Continue to the sign-in' }).click();
    const signIn = page.getByRole('dialog', { name: 'Sign in at Xero' });
    const link = signIn.getByRole('link', { name: 'Sign in at Xero' });
    // The double's sign-in page is for people. `permit` returns the address to which it sends back.
    const href = (await link.getAttribute('href')) ?? '';
    const back = new URL(booking.double.signIns.permit(href, account.organisation, account.person));
    const window = await context.newPage();
    await window.goto(`${booking.stack.origin}${back.pathname}${back.search}`);
    await window.close();
    await signIn.getByText('Xero is connected.').waitFor();
    await signIn.getByRole('button', { name: 'Open the connection' }).click();
    const drawer = page.getByRole('dialog', { name: 'Hudson Towing' });
    await drawer.getByRole('tab', { name: 'Books' }).click();
    await drawer.getByText('One invoice: No income account is chosen for tow, storage.').waitFor();
    // Xero accepts no payment without an account, which QuickBooks does.
    await drawer.getByText(/^One payment: /).waitFor();
    await drawer.getByRole('button', { name: 'Choose accounts', disabled: false }).click();

    const mapping = page.getByRole('dialog', { name: 'Choose accounts' });
    const choose = async (label: string, option: RegExp | string) => {
      await mapping.getByRole('combobox', { name: label, exact: true }).click();
      await page.getByRole('option', { name: option }).click();
    };
    await choose('Storage', /Storage income/);
    await choose('Account for all categories that have none', /Towing income/);
    await choose('Tax code of taxed lines', /Sales tax/);
    await choose('Tax code of all other lines', /Tax Exempt/);
    await choose('Account for payments', /Checking/);
    await mapping.getByRole('button', { name: 'Save' }).click();
    const rows = drawer.getByRole('table', { name: 'Accounts' }).getByRole('row');
    await rows.filter({ hasText: 'Storage income' }).filter({ hasText: '$40.00' }).waitFor();
    await drawer.getByText(/^One payment: /).waitFor({ state: 'detached' });
    expect(await drawer.getByText('No income account is chosen').count()).to.equal(0);

    await drawer.getByRole('button', { name: 'Enter earlier invoices' }).click();
    const earlier = page.getByRole('dialog', { name: 'Enter earlier invoices' });
    await earlier.getByText('1, $125.00').waitFor();
    await earlier.getByText('1, $5.00').waitFor();
    await earlier.getByRole('button', { name: 'Enter' }).click();
    await page.getByText('2 records are being entered').waitFor();
    [account.connectionId = ''] = new URL(page.url()).pathname.split('/').slice(-1);
    const booked = await eventually('the invoice is in the books with its payment', async () => {
      await account.hurry([]);
      const found = account.findBooked(invoice.invoice_number);
      return found?.AmountPaid === 5 && found;
    });
    expect(
      (booked.LineItems as Record<string, unknown>[]).map(({ AccountCode }) => AccountCode),
    ).to.deep.equal(['200', '210']);
  });
});
