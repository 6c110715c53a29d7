/** The accounts of the books, and the entry of earlier invoices, by keyboard alone. */
import { expect } from 'chai';
import { findViolationsInBothThemes, findViolationsInDialog } from '../../support/browser/axe.js';
import { useDashboard } from '../../support/browser/dashboard.js';
import { openForKeyboard } from '../../support/browser/keyboard-person.js';
import { eventually } from '../../support/poll.js';
import { createHandle } from '../../support/use-stack.js';
import { BookingAccount, useBookingStack } from '../../support/vendors/booking.js';
import { line } from '../../support/vendors/books/books-account.js';

describe('books by keyboard alone', function () {
  this.timeout(120_000);
  const booking = useBookingStack();
  const dashboard = useDashboard(createHandle(() => booking.stack));

  it('a person chooses the accounts, looks at what would be entered, and enters it', async () => {
    const { stack, double } = booking;
    const account = new BookingAccount(stack, double, await stack.createTenant());
    const customer = await account.createCustomer();
    const storage = line({ name: 'Storage', category: 'storage', unit_price_cents: 4000 });
    const lines = [line({ unit_price_cents: 8500 }), storage];
    const invoice = await account.release({ customerId: customer.id, lines, hurries: false });
    await account.connect({});
    const { page, person } = await openForKeyboard(dashboard, `integrations/${account.connectionId}`, {
      tenant: account.tenant,
    });
    const drawer = person.dialog('Hudson Towing');
    await drawer.getByText('Choose the income accounts under Books').waitFor();
    await person.waitForFocus(drawer);
    await person.openTab('Books');
    await drawer.getByText('One invoice: No income account is chosen for tow, storage.').waitFor();
    await drawer.getByRole('button', { name: 'Choose accounts', disabled: false }).waitFor();

    const mapping = await person.openDialog('Choose accounts', 'Choose accounts');
    await person.choose('Storage', 'Storage income');
    await person.choose('Account for all categories that have none', 'Towing income');
    await person.choose('Tax code of taxed lines', /^TAX/);
    await person.choose('Account for payments', 'Undeposited Funds');
    expect(await findViolationsInDialog(page, 'Choose accounts')).to.deep.equal([]);
    await person.submit(mapping, 'Save');
    const rows = drawer.getByRole('table', { name: 'Accounts' }).getByRole('row');
    await rows.filter({ hasText: 'Tow' }).filter({ hasText: 'Towing income' }).first().waitFor();
    await rows.filter({ hasText: 'Storage income' }).filter({ hasText: '$40.00' }).waitFor();
    expect(await drawer.getByText('No income account is chosen').count()).to.equal(0);
    const { settings } = await account.readConnection();
    const { tow, storage: storageAccount } = account.settings.accounts;
    expect(settings.accounts).to.include({ tow, storage: storageAccount, other: tow });
    expect(settings).to.deep.include({ tax_codes: { taxable: 'TAX' } });
    expect(settings.deposit_account).to.equal(account.settings.deposit_account);

    const earlier = await person.openDialog('Enter earlier invoices', 'Enter earlier invoices');
    await earlier.getByText('1, $125.00').waitFor();
    await earlier.getByText('Customers to look for or create').waitFor();
    expect(await findViolationsInDialog(page, 'Enter earlier invoices')).to.deep.equal([]);
    await person.submit(earlier, 'Enter');
    await person.hear('One record is being entered');
    await eventually('the invoice is in the books', async () => {
      await account.hurry([]);
      return account.findBooked(invoice.invoice_number) !== undefined;
    });
    expect(page.url()).to.include(account.connectionId);

    await drawer.getByText('The books were not compared yet.').waitFor();
    await account.waitForWrites();
    account.double.void(account.company, 'Invoice', String(account.findBooked(invoice.invoice_number)?.Id));
    const compare = await person.openDialog('Compare months', 'Compare months');
    expect(await findViolationsInDialog(page, 'Compare months')).to.deep.equal([]);
    await person.submit(compare, 'Compare');
    await eventually('the books are compared', async () => {
      await account.wake();
      return (await drawer.getByText('One invoice differs.').count()) > 0;
    });
    await drawer
      .getByText(`Invoice ${invoice.invoice_number} is open here, and void at QuickBooks Online.`)
      .waitFor();
    expect(await findViolationsInBothThemes(page)).to.deep.equal([]);
    person.expectWrites(
      'PATCH /connections/{id}',
      'POST /connections/{id}/sync',
      'POST /connections/{id}/reconciliation',
    );
  });
});
