/** Payments by keyboard alone. The hosted pages of the vendor are paid by the double. */
import { expect } from 'chai';
import { useDashboard } from '../../../support/browser/dashboard.js';
import { openForKeyboard } from '../../../support/browser/keyboard-person.js';
import { eventually } from '../../../support/poll.js';
import { createHandle } from '../../../support/use-stack.js';
import { usePayingStack } from '../../../support/vendors/paying.js';
import { TerminalAccount } from '../../../support/vendors/terminal-account.js';

describe('payments by keyboard alone', function () {
  this.timeout(120_000);
  const paying = usePayingStack();
  const dashboard = useDashboard(createHandle(() => paying.stack));

  it('a person opens a pay link, refunds a part of what was paid, and answers a dispute', async () => {
    const account = await paying.createAccount();
    const { tenant } = account;
    const id = await account.createInvoice(8000);
    const { person } = await openForKeyboard(dashboard, `invoices/${id}`, { tenant });
    const link = await person.openDialog('Pay link', 'Pay link');
    await person.activate('button', 'Open pay link');
    const url = await link.getByRole('link', { name: 'Open the payment page' }).getAttribute('href');
    await person.tabTo('link', 'Open the payment page');
    await person.press('Escape');
    await link.waitFor({ state: 'detached' });
    const intent = paying.double.pay(url ?? '');
    await account.waitForInvoice(id, 'paid');
    await person.openTab('Payments');
    const refund = await person.openDialog('Refund', 'Refund');
    await person.fillField('Amount', '20');
    await person.fill('textbox', /^Reason/, 'A part was waived');
    await person.submit(refund, 'Refund');
    await eventually('the refund counts', async () => (await account.readInvoice(id)).paid_cents === 6000);
    const made = paying.double.dispute(intent);
    await account.waitForInvoice(id, 'disputed');
    const evidence = await person.openDialog('Send evidence', 'Send evidence');
    await person.fillField('What you add', 'The owner signed at the gate.');
    await person.submit(evidence, 'Send evidence');
    await eventually('the evidence is sent', async () =>
      /signed at the gate/.test(String(Object(made.evidence).uncategorized_text)),
    );
    person.expectWrites(
      'POST /invoices/{id}/pay-link',
      'POST /payments/{id}/refund',
      'POST /disputes/{id}/evidence',
    );
  });

  it('a person asks for a card on a reader, and cancels the payment', async () => {
    const terminal = await TerminalAccount.open(paying);
    const { account } = terminal;
    const id = await account.createInvoice(4500);
    const { person } = await openForKeyboard(dashboard, `invoices/${id}`, { tenant: account.tenant });
    await person.openDialog('Record payment', 'Record payment');
    await person.select('Method', 'Card reader');
    await person.activate('button', 'Continue');
    const dialog = person.dialog('Card reader');
    await person.waitForFocus(dialog);
    await person.activate('button', 'Ask for the card');
    await terminal.waitUntilShown();
    await person.waitForFocus(dialog);
    await person.activate('button', 'Cancel payment');
    await person.hear('A person cancelled it.');
    await person.waitForFocus(dialog);
    await person.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await person.expectFocusInPage();
    person.expectWrites('POST /invoices/{id}/terminal-payments', 'POST /terminal-payments/{id}/cancel');
  });

  it('a person opens a set-up link, sets autopay, and removes the saved card', async () => {
    const account = await paying.createAccount({ methods: ['card'] });
    const { tenant } = account;
    const customerId = await account.createCustomer();
    const path = `customers/${customerId}`;
    const { page, person } = await openForKeyboard(dashboard, path, { tenant });
    await person.openTab('Payment methods');
    const setup = await person.openDialog('Set-up link', 'Set-up link');
    await person.activate('button', 'Open set-up link');
    const url = await setup.getByRole('link', { name: 'Open the page' }).getAttribute('href');
    await person.press('Escape');
    await setup.waitFor({ state: 'detached' });
    paying.double.saveMethod(url ?? '');
    await page.getByRole('row', { name: /ending in 4242.*Active/ }).waitFor();
    const autopay = await person.openDialog('Autopay', 'Autopay');
    await person.choose('Charge to', /ending in 4242/);
    await person.submit(autopay, 'Save');
    await page.getByText('Invoices are charged automatically').waitFor();
    await person.openDialog('Autopay', 'Autopay');
    await person.choose('Charge to', /^Nothing/);
    await person.submit(autopay, 'Save');
    await person.confirm('Remove', /^Remove .+ending in 4242/, 'Remove');
    await eventually('the card is removed', async () => {
      const { body } = await account.client.get(`/customers/${customerId}/payment-methods`);
      return body.data.items[0].status === 'removed';
    });
    expect(await page.getByRole('button', { name: 'Remove', exact: true }).count()).to.equal(0);
    person.expectWrites(
      'POST /customers/{id}/payment-methods',
      'PATCH /customers/{id}',
      'DELETE /customers/{id}/payment-methods/{method_id}',
    );
  });
});
