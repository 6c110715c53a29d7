import { expect } from 'chai';
import { eventually } from '../../../support/poll.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { type PayingAccount, usePayingStack } from '../../../support/vendors/paying.js';

/** What a browser would show of a page, and where the page leads. */
interface Page {
  status: number;
  html: string;
}

describe('the Pay button of the invoice page', () => {
  requireContracts();
  const paying = usePayingStack();
  let account: PayingAccount;

  before(async () => {
    account = await paying.createAccount();
  });

  async function load(url: string, init: RequestInit = {}): Promise<Page> {
    const response = await fetch(url, init);
    return { status: response.status, html: await response.text() };
  }
  const findFirst = (pattern: RegExp, { html }: Page) => pattern.exec(html)?.[1] ?? `none in ${html}`;
  const press = (url: string, form: Record<string, string> = {}) =>
    load(url, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' });

  /** Sends an invoice, and returns its id and the address in the customer's mail. */
  async function sendInvoice(cents: number) {
    const id = await account.createInvoice(cents);
    const { body } = await account.client.post(`/invoices/${id}/send`, {});
    return { id, url: `${account.stack.origin}${new URL(body.view_url).pathname}` };
  }
  /** Opens the invoice page in a tab, and presses Pay. Returns the address of the vendor's page. */
  async function openTab(url: string): Promise<string> {
    const page = await load(url);
    const action = findFirst(/<form[^>]* action="([^"]+\/pay)">/, page);
    const forward = await press(`${account.stack.origin}${action}`);
    expect(forward.status, forward.html).to.equal(200);
    return findFirst(/http-equiv="refresh" content="0;url=([^"]+)"/, forward);
  }
  const listSessions = (invoiceId: string) =>
    account.vendor
      .list('checkout.session')
      .filter(({ client_reference_id }) => client_reference_id === invoiceId);

  it("the button leads to the vendor's hosted page, where the customer pays the balance", async () => {
    const { id, url } = await sendInvoice(12_500);
    expect((await load(url)).html).to.include('Pay $125.00 online');
    const hosted = await openTab(url);
    expect(new URL(hosted).origin).to.equal(paying.double.origin);
    expect((await load(hosted)).html).to.include('<h1>Pay $125.00</h1>');
    const { status } = await press(hosted, { method: 'card' });
    expect(status).to.equal(303);
    await account.waitForInvoice(id, 'paid');
    expect((await load(url)).html).to.not.include('online</button>');
  });

  it('two tabs lead to the same page, and only one of them can pay', async () => {
    const { id, url } = await sendInvoice(6100);
    const tabs = [await openTab(url), await openTab(url)];
    expect(tabs[1]).to.equal(tabs[0]);
    const pressed = await Promise.all(tabs.map((tab) => press(tab, { method: 'card' })));
    expect(pressed.map(({ status }) => status).sort()).to.deep.equal([303, 410]);
    await account.waitForInvoice(id, 'paid');
    expect(await account.listPayments(id)).to.have.length(1);
  });

  it('two tabs that press the button at the same moment get the same page, which is paid once', async () => {
    const { id, url } = await sendInvoice(6200);
    const tabs = await Promise.all([openTab(url), openTab(url), openTab(url)]);
    expect(new Set(tabs).size).to.equal(1);
    expect(listSessions(id).map((session) => session.url)).to.deep.equal([tabs[0]]);
    await Promise.all(tabs.map((tab) => press(tab, { method: 'card' })));
    await account.waitForInvoice(id, 'paid');
    expect(await account.listPayments(id)).to.have.length(1);
  });

  it('the button opens a new page if the one of a person asks for another amount', async () => {
    const partial = await paying.createAccount({ partial_payments: true });
    const id = await partial.createInvoice(9000);
    const { body } = await partial.client.post(`/invoices/${id}/send`, {});
    await partial.openPayLink(id, { amount_cents: 4000 });
    const hosted = await openTab(`${partial.stack.origin}${new URL(body.view_url).pathname}`);
    expect((await load(hosted)).html).to.include('<h1>Pay $90.00</h1>');
  });

  it('the button leads to no page of a part while a debit of the whole balance is processing', async () => {
    const partial = await paying.createAccount({
      partial_payments: true,
      methods: ['card', 'us_bank_account'],
    });
    const id = await partial.createInvoice(9100);
    const { body } = await partial.client.post(`/invoices/${id}/send`, {});
    const url = `${partial.stack.origin}${new URL(body.view_url).pathname}`;
    const action = findFirst(/<form[^>]* action="([^"]+\/pay)">/, await load(url));
    partial.double.pay((await partial.openPayLink(id)).url, 'us_bank_account');
    await eventually('the debit is processing', async () => {
      await partial.hurry([]);
      return (await partial.listPayments(id)).some(({ status }) => status === 'processing');
    });
    // An autopay debit leaves the page of a part open. Here, the debited page becomes that page.
    const reopen = `update pay_links set status = 'open', amount_cents = 4000,
      expires_at = now() + interval '1 hour' where tenant_id = $1`;
    await partial.stack.rows(partial.tenant.id, reopen, [partial.tenant.id]);
    const refused = await press(`${partial.stack.origin}${action}`);
    expect(refused.status, refused.html).to.equal(503);
  });

  it('two pay links that are created at the same moment leave one page open', async () => {
    const id = await account.createInvoice(6300);
    await Promise.all([1, 2, 3].map(() => account.client.post(`/invoices/${id}/pay-link`, {})));
    await eventually('one page is open', () => {
      const found = listSessions(id).filter(({ status }) => status === 'open');
      return found.length === 1;
    });
    const { body } = await account.client.get(`/pay-links?invoice_id=${id}`);
    const statuses = body.data.items.map(({ status }: { status: string }) => status);
    expect(statuses.sort()).to.deep.equal(['closed', 'closed', 'open']);
  });
});
