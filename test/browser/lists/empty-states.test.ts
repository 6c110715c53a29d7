/** What a new account sees on each list: why it is empty, the next action, and its curl command. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { followPath, useDashboard } from '../../support/browser/dashboard.js';
import { runCurl } from '../../support/browser/run-curl.js';
import { waitUntilLoaded } from '../../support/browser/wait-in-page.js';
import { endpointInput, invoiceInput } from '../../support/records/samples.js';
import { useStack } from '../../support/use-stack.js';

interface EmptyList {
  path: string;
  /** Why the list is empty. */
  text: string;
  /** The button or link for the next step. */
  action: { role: 'button' | 'link'; name: string; opens: string };
}

const LISTS: readonly EmptyList[] = [
  {
    path: 'work-orders',
    text: 'There are no work orders yet.',
    action: { role: 'button', name: 'New work order', opens: 'New work order' },
  },
  {
    path: 'invoices',
    text: 'There are no invoices yet.',
    action: { role: 'button', name: 'New invoice', opens: 'New invoice' },
  },
  {
    path: 'invoices?view=claims',
    text: 'There are no claims yet.',
    action: { role: 'link', name: 'Choose an invoice', opens: 'Invoices' },
  },
  {
    path: 'remittances',
    text: 'There are no remittances yet.',
    action: { role: 'button', name: 'Import remittance', opens: 'Import remittance' },
  },
  {
    path: 'customers',
    text: 'There are no customers yet.',
    action: { role: 'button', name: 'New customer', opens: 'New customer' },
  },
  ...['approvals', 'approvals?view=all'].map((path) => ({
    path,
    text: path.includes('all')
      ? 'No agent has asked for an approval yet.'
      : 'Nothing waits for your decision.',
    action: { role: 'link' as const, name: 'Set the approval threshold', opens: 'Settings' },
  })),
  ...['suggestions', 'suggestions?view=all'].map((path) => ({
    path,
    text: path.includes('all') ? 'There are no suggestions yet.' : 'Nothing is open.',
    action: { role: 'link' as const, name: 'Bill the completed work orders', opens: 'Work orders' },
  })),
  {
    path: 'webhooks',
    text: 'There are no endpoints yet.',
    action: { role: 'button', name: 'Add endpoint', opens: 'Add endpoint' },
  },
  {
    path: 'webhooks?view=deliveries',
    text: 'Nothing was delivered in the last 30 days.',
    action: { role: 'link', name: 'Open the endpoints', opens: 'Webhooks' },
  },
  {
    path: 'webhooks?view=replays',
    text: 'Nothing was replayed yet.',
    action: { role: 'button', name: 'Replay many', opens: 'Replay many' },
  },
  {
    path: 'exports',
    text: 'There are no exports yet.',
    action: { role: 'button', name: 'New export', opens: 'New export' },
  },
  {
    path: 'exports?view=schedules',
    text: 'There are no schedules yet.',
    action: { role: 'button', name: 'New schedule', opens: 'New schedule' },
  },
];

describe('the empty lists of a new account', function () {
  this.timeout(120_000);
  // No worker delivers webhooks here, because the example of an endpoint has an invented address.
  const stack = useStack();
  const dashboard = useDashboard(stack);

  /** Opens a list in the same document, and closes the dialog that may be open. */
  async function visit(page: Page, path: string): Promise<void> {
    const dialog = page.getByRole('dialog');
    if ((await dialog.count()) > 0) await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await followPath(page, path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await waitUntilLoaded(page);
  }

  const readCurl = async (page: Page) => {
    const curl = page.getByRole('main').getByRole('region', { name: 'curl command' });
    await curl.waitFor();
    expect(await curl.count(), 'curl commands').to.equal(1);
    return curl.innerText();
  };

  it('each says why it is empty, and offers one next action, which opens its form or screen', async () => {
    const { page } = await dashboard.open('');
    for (const { path, text, action } of LISTS) {
      await visit(page, path);
      const main = page.getByRole('main');
      await main.getByText(text).waitFor();
      await readCurl(page);
      // The heading offers the same action. The last one is that of the empty list.
      await main.getByRole(action.role, { name: action.name, exact: true }).last().click();
      const name = { name: action.opens, exact: true };
      await page
        .getByRole('dialog', name)
        .or(page.getByRole('heading', { level: 1, ...name }))
        .first()
        .waitFor();
    }
  });

  it('each curl command works as it stands, with the ids that it asks for', async () => {
    const { page, tenant } = await dashboard.open('');
    const commands: { path: string; command: string }[] = [];
    for (const { path } of LISTS) {
      await visit(page, path);
      commands.push({ path, command: await readCurl(page) });
    }
    const { body: endpoint } = await tenant.client.post('/webhook-endpoints', endpointInput());
    for (const { path, command } of commands) {
      const { body: draft } = await tenant.client.post('/invoices', invoiceInput());
      const filled = command
        .replace(/<id of (a draft|an invoice)>/, draft.id)
        .replace('<id of an endpoint>', endpoint.id);
      const { status, body } = await runCurl(filled, tenant.client);
      expect(status, `${path}: ${filled} responds ${JSON.stringify(body)}`).to.be.within(200, 202);
    }
  });

  it('Integrations leads to the vendors above, and its curl command lists what can be connected', async () => {
    const { page, tenant } = await dashboard.open('integrations');
    await page.getByText('Nothing is connected yet. Choose a vendor above.').waitFor();
    await page
      .getByRole('button', { name: /^Connect / })
      .first()
      .waitFor();
    const { status } = await runCurl(await readCurl(page), tenant.client);
    expect(status).to.equal(200);
  });

  it('an empty audit log leads to a first write', async () => {
    const { page } = await dashboard.open('');
    const empty = { ok: true, data: { items: [], cursor: null } };
    // The account's own set-up has entries.
    await page.route('**/v1/audit-log?*', (route) => route.fulfill({ json: empty }));
    await visit(page, 'audit-log');
    await page.getByText('The audit log is empty.').waitFor();
    await readCurl(page);
    await page.getByRole('link', { name: 'Create a customer' }).click();
    await page.getByRole('heading', { level: 1, name: 'Customers' }).waitFor();
  });
});
