import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { findViolationsInBothSchemes } from '../../support/browser/axe.js';
import { createDrivenJob, createJobInvoice } from '../../support/public-pages/driven-job.js';
import { useDriverPhones } from '../../support/public-pages/driver-phone.js';
import { createHandle } from '../../support/use-stack.js';
import { addReader, presentCard } from '../../support/vendors/doubles/stripe/readers.js';
import { usePayingStack } from '../../support/vendors/paying.js';
import { TerminalAccount } from '../../support/vendors/terminal-account.js';

describe("payments on the driver's page in a browser", () => {
  const paying = usePayingStack();
  const { openPhone, openPage } = useDriverPhones(createHandle(() => paying.stack));

  async function open({ hasSecondReader = false } = {}) {
    const terminal = await TerminalAccount.open(paying);
    if (hasSecondReader) {
      addReader(terminal.account.vendor, 'Truck 7');
      await terminal.syncReaders('online');
    }
    const { client } = terminal;
    await client.patch('/settings', { driver_payments: true });
    const job = await createDrivenJob(client);
    const invoice = await createJobInvoice(client, job);
    const context = await openPhone();
    const page = await openPage(context, job);
    const section = page.getByRole('region', { name: 'Payment' });
    const tap = (name: string) => section.getByRole('button', { name, exact: true }).tap();
    const readStatus = async () => (await terminal.account.readInvoice(invoice.id)).status;
    return { terminal, client, job, invoice, context, page, section, tap, readStatus };
  }
  const expectToFit = async (page: Page) =>
    expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(360);

  it('a driver asks for the card at 360 px: first it is cancelled, then declined, then paid', async () => {
    const { terminal, page, section, tap, readStatus } = await open();
    const { vendor } = terminal.account;
    await section.getByText('$90.00 is due on invoice').waitFor();
    expect(await section.getByLabel('Card reader').inputValue(), 'the only reader').to.not.equal('');
    const ask = async () => {
      await tap('Ask for the card');
      await section.getByRole('status').getByText('Waiting for the card at Front desk: $90.00').waitFor();
      await terminal.waitUntilShown();
    };
    await ask();
    await expectToFit(page);
    await tap('Cancel payment');
    await section.getByText('Not paid: A person cancelled it.').waitFor();
    await ask();
    presentCard(vendor, terminal.device, 'insufficient_funds');
    await section.getByText('Not paid: The payment failed: insufficient_funds.').waitFor();
    await ask();
    presentCard(vendor, terminal.device);
    await section.getByText('$90.00 was paid by card.').waitFor();
    await section.getByRole('button', { name: 'Ask for the card' }).waitFor({ state: 'hidden' });
    expect(await readStatus()).to.equal('paid');
  });

  it('of several readers the driver chooses one, and the choice stays while the page is updated', async () => {
    const { terminal, client, job, page, section, tap } = await open({ hasSecondReader: true });
    const choice = section.getByLabel('Card reader');
    expect(await choice.inputValue()).to.equal('');
    await tap('Ask for the card');
    expect(await choice.evaluate('this === document.activeElement || document.activeElement.id')).to.equal(
      'reader',
    );
    await choice.selectOption('Front desk');
    await client.patch(`/work-orders/${job.id}`, { notes: 'Use the back gate' });
    await page.evaluate("dispatchEvent(new Event('online'))");
    await page.getByText('Use the back gate').waitFor();
    await tap('Ask for the card');
    await section.getByText('Waiting for the card at Front desk: $90.00').waitFor();
    await terminal.waitUntilShown();
  });

  it('without a network no payment starts or is stored, and the page says so', async () => {
    const { client, invoice, context, page, section } = await open();
    const start = section.getByRole('button', { name: 'Ask for the card' });
    await start.waitFor();
    await context.setOffline(true);
    await section.getByText('A payment needs the network. It is never stored for later.').waitFor();
    expect(await start.isDisabled()).to.equal(true);
    await context.setOffline(false);
    await page.getByRole('status').getByText('Everything is sent').waitFor();
    await start.and(page.locator(':enabled')).waitFor();
    const { body } = await client.get(`/terminal-payments?invoice_id=${invoice.id}`);
    expect(body.data.items).to.deep.equal([]);
  });

  it('a response that arrives after the network has gone does not look like a network', async () => {
    const { client, job, context, page, section } = await open();
    const warning = section.getByText('A payment needs the network. It is never stored for later.');
    await page.getByRole('status').getByText('Everything is sent').waitFor();
    await page.route('**/state', async (route) => {
      const response = await route.fetch();
      await context.setOffline(true);
      await warning.waitFor();
      await route.fulfill({ response });
    });
    await client.patch(`/work-orders/${job.id}`, { notes: 'Use the back gate' });
    await page.evaluate("dispatchEvent(new Event('online'))");
    await page.getByText('Use the back gate').waitFor();
    expect(await warning.isVisible()).to.equal(true);
  });

  it('a tap whose response is lost starts one payment, however often the driver taps again', async () => {
    const { client, invoice, page, section, tap } = await open();
    const ids: string[] = [];
    await page.route('**/payments', async (route) => {
      ids.push(route.request().postDataJSON().id);
      // The first request is lost on its way, and of the second the response.
      if (ids.length === 2) await route.fetch();
      return route.abort();
    });
    await tap('Ask for the card');
    await section
      .getByRole('alert')
      .getByText(/^No answer\./)
      .waitFor();
    await tap('Ask for the card');
    await section.getByText('Waiting for the card at Front desk: $90.00').waitFor();
    const { body } = await client.get(`/terminal-payments?invoice_id=${invoice.id}`);
    expect(body.data.items).to.have.length(1);
    expect(new Set(ids).size, 'the second tap has the id of the first').to.equal(1);
    expect(await section.getByRole('alert').count()).to.equal(0);
  });

  it('a payment whose work order ends stays visible until it has ended', async () => {
    const { terminal, client, job, page, section, tap } = await open();
    await tap('Ask for the card');
    await terminal.waitUntilShown();
    await client.post(`/work-orders/${job.id}/cancel`, { reason: 'customer' });
    await page.evaluate("dispatchEvent(new Event('online'))");
    await page.getByRole('heading', { name: 'This job has ended' }).waitFor();
    await section.getByText('Waiting for the card at Front desk: $90.00').waitFor();
    presentCard(terminal.account.vendor, terminal.device);
    await section.getByText('$90.00 was paid by card.').waitFor();
    expect(await section.getByRole('button').count()).to.equal(0);
  });

  it('the customer can scan a code to pay online, and axe finds nothing, light and dark', async () => {
    const { page, section, tap } = await open();
    await tap('Show a code to pay online');
    await section.getByRole('img', { name: 'Code of the page to pay online' }).waitFor();
    const url = await section.getByRole('link', { name: 'Open the page to pay online' }).getAttribute('href');
    expect(url).to.include(paying.double.origin);
    await expectToFit(page);
    expect(await findViolationsInBothSchemes(page)).to.deep.equal([]);
  });
});
