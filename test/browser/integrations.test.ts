import { expect } from 'chai';
import { Vendors } from '../../shared/integrations/contract/vendor.js';
import { smtp } from '../../shared/integrations/smtp/adapter.js';
import { useDashboard } from '../support/browser/dashboard.js';
import { eventually } from '../support/poll.js';
import { createHandle, useStack } from '../support/use-stack.js';
import { storeConnectionRows } from '../support/vendors/connection-rows.js';
import { useTextingStack } from '../support/vendors/texting.js';

const NUMBER = '+12125550100';
/** The mail server is a vendor of the operator, which accounts cannot connect. */
const NO_VENDORS = new Vendors([smtp]);

describe('the screen Integrations', () => {
  const texting = useTextingStack();
  const dashboard = useDashboard(createHandle(() => texting.stack));

  it('a vendor with keys is connected, and a refused key is replaced under Settings', async () => {
    const { tenant } = await texting.createAccount();
    texting.double.acceptKey('live_key_of_hudson');
    const { page } = await dashboard.open('integrations', { tenant });
    // Parrot is in the catalogue twice: first with OAuth, then with keys.
    await page.getByRole('button', { name: 'Connect Parrot Texts' }).nth(1).click();
    const form = page.getByRole('dialog', { name: 'Connect Parrot Texts' });
    await form.getByLabel('API key').fill('live_key_unknown');
    await form.getByRole('button', { name: 'Connect' }).click();
    await form.getByText('settings.from_number is required').waitFor();
    await form.getByLabel('From number').fill(NUMBER);
    await form.getByRole('button', { name: 'Connect' }).click();
    await page.getByText('Enter new credentials under Settings.').waitFor();
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Edit settings' }).click();
    const edit = page.getByRole('dialog', { name: 'Edit settings' });
    await edit.getByLabel('API key').fill('live_key_of_hudson');
    await edit.getByRole('button', { name: 'Save' }).click();
    const drawer = page.getByRole('dialog', { name: 'Parrot of Hudson' });
    await drawer.getByText('Active').waitFor();
    await drawer.getByRole('tab', { name: 'Calls' }).click();
    await drawer.getByText('GET /account').first().waitFor();
    const [connection] = (await tenant.client.get('/connections')).body.data.items;
    const row = { tenantId: tenant.id, connectionId: connection.id, text: 'The mailbox is closed' };
    await storeConnectionRows(texting.stack, row);
    await drawer.getByRole('tab', { name: 'Runs' }).click();
    const run = drawer.getByRole('table', { name: 'Runs' }).getByRole('row', { name: /^.*Messages\b/ });
    await run.filter({ hasText: 'The mailbox is closed' }).getByText('Failed').waitFor();
    expect(await page.content()).to.not.include('live_key_of_hudson');
  });

  it('a vendor with OAuth is connected by a sign-in in a new window, then paused and disconnected', async () => {
    const { tenant } = await texting.createAccount();
    const { page, context } = await dashboard.open('integrations', { tenant });
    await page.getByRole('button', { name: 'Connect Parrot Texts' }).first().click();
    const form = page.getByRole('dialog', { name: 'Connect Parrot Texts' });
    await form.getByLabel('From number').fill(NUMBER);
    await form.getByRole('button', { name: 'Continue to the sign-in' }).click();
    const signIn = page.getByRole('dialog', { name: 'Sign in at Parrot Texts' });
    const link = signIn.getByRole('link', { name: 'Sign in at Parrot Texts' });
    expect(await link.getAttribute('target')).to.equal('_blank');
    // The double has no sign-in page. `permit` returns the URL to which such a page would send the
    // browser.
    const back = texting.double.permit((await link.getAttribute('href')) ?? '');
    const window = await context.newPage();
    await window.goto(`${dashboard.stack.origin}${back.pathname}${back.search}`);
    await window.close();
    await signIn.getByText('Parrot Texts is connected.').waitFor();
    await signIn.getByRole('button', { name: 'Open the connection' }).click();
    const drawer = page.getByRole('dialog', { name: 'Parrot of Hudson' });
    await drawer.getByText(texting.double.account).waitFor();
    await drawer.getByRole('button', { name: 'Pause' }).click();
    await drawer.getByRole('button', { name: 'Resume' }).click();
    await drawer.getByRole('button', { name: 'Sync now' }).waitFor();
    await drawer.getByRole('button', { name: 'Disconnect' }).click();
    const question = page.getByRole('dialog', { name: 'Disconnect Parrot of Hudson' });
    await question.getByRole('button', { name: 'Disconnect' }).click();
    await drawer.getByText('It is disconnected, and its history stays.').waitFor();
    expect(await drawer.getByRole('button', { name: 'Test' }).count()).to.equal(0);
    await eventually('access is revoked at the vendor', async () => texting.double.isRevoked);
  });

  it('a refused text becomes an issue that a person resolves, and the text is sent again', async () => {
    const account = await texting.createAccount();
    await account.connectWithKey('live_key_that_refuses');
    const path = `integrations/${account.connectionId}?tab=issues`;
    const { page } = await dashboard.open(path, { tenant: account.tenant });
    texting.double.misbehave = (name) =>
      name === 'POST /texts' ? { kind: 'status', status: 422, body: { error: 'bad_number' } } : undefined;
    await account.sendText();
    await page.getByRole('button', { name: 'Resolve' }).click();
    texting.double.misbehave = () => undefined;
    const form = page.getByRole('dialog', { name: 'Resolve: Refused by the vendor' });
    await form.getByRole('radio', { name: 'Try again' }).check();
    await form.getByLabel('Note').fill('The number was corrected');
    await form.getByRole('button', { name: 'Resolve' }).click();
    await page.getByText('The number was corrected').waitFor();
    await eventually('the text is sent', async () => texting.double.texts.length > 0);
    await page.getByRole('tab', { name: 'Operations' }).click();
    await page.getByRole('cell', { name: 'Accepted' }).waitFor();
    await page.getByRole('button', { name: 'Replay' }).click();
    await page.getByText('No write of this period was given up.').waitFor();
  });
});

describe('the screen Integrations without vendors', () => {
  const dashboard = useDashboard(useStack({ vendors: NO_VENDORS }));

  it('a release without vendors says so, and offers nothing to connect', async () => {
    const { page } = await dashboard.open('integrations');
    await page.getByText('No vendor can be connected yet: this release has none built in.').waitFor();
    await page.getByRole('region', { name: 'Motor clubs' }).getByText('No vendor yet.').waitFor();
    expect(await page.getByRole('button', { name: /Connect/ }).count()).to.equal(0);
  });
});
