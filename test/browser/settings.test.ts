import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { useDashboard } from '../support/browser/dashboard.js';

/** The smallest picture that a browser can decode: one pixel. */
const ONE_PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe('the screen Settings', () => {
  const dashboard = useDashboard();
  const statusOf = async (key: string) => (await dashboard.stack.createClient(key).get('/me')).status;

  it('an API key is shown once, works at once, overlaps its successor, and ends when it is revoked', async () => {
    const { page } = await dashboard.open('settings?tab=api-keys');
    await page.getByRole('button', { name: 'Create API key' }).click();
    const form = page.getByRole('dialog', { name: 'Create API key' });
    await form.getByLabel('Name').fill('Body shop');
    await form.getByRole('checkbox', { name: 'write' }).uncheck();
    await form.getByRole('button', { name: 'Create API key' }).click();
    const first = await storeSecret(page, 'API key', 'Body shop');
    const created = dashboard.stack.createClient(first);
    expect((await created.get('/me')).body.key.permissions).to.deep.equal(['read']);
    expect(await page.getByText(first).count(), 'the key after "I stored it"').to.equal(0);
    await page
      .getByRole('row', { name: /Body shop/ })
      .getByText(`…${first.slice(-4)}`)
      .waitFor();

    await page.getByRole('button', { name: 'Roll Body shop' }).click();
    const roll = page.getByRole('dialog', { name: 'Roll Body shop' });
    await roll.getByLabel('The old key works for').selectOption('1 hour');
    await roll.getByRole('button', { name: 'Roll', exact: true }).click();
    const second = await storeSecret(page, 'API key', 'Body shop');
    expect([await statusOf(first), await statusOf(second)], 'both during the overlap').to.deep.equal([
      200, 200,
    ]);

    const old = page.getByRole('row', { name: new RegExp(`…${first.slice(-4)}`) });
    await old.getByRole('button', { name: 'Revoke Body shop' }).click();
    const confirmation = page.getByRole('dialog', { name: 'Revoke Body shop' });
    await confirmation.getByText(`…${first.slice(-4)}`).waitFor();
    await confirmation.getByRole('button', { name: 'Revoke' }).click();
    await old.getByText('Revoked').waitFor();
    expect([await statusOf(first), await statusOf(second)], 'after revoking').to.deep.equal([401, 200]);
  });

  it('a read-only agent key can have no scope that writes, and comes with the JSON of its MCP client', async () => {
    const { page, tenant } = await dashboard.open('settings?tab=agent-keys');
    await page.getByRole('button', { name: 'Create agent key' }).click();
    const form = page.getByRole('dialog', { name: 'Create agent key' });
    await form.getByLabel('Name').fill('Night desk');
    await form.getByRole('checkbox', { name: 'write_work_orders' }).check();
    await form.getByLabel('Read-only').check();
    expect(await form.getByRole('checkbox', { name: 'write_work_orders' }).isDisabled()).to.equal(true);
    await form.getByRole('button', { name: 'Create agent key' }).click();
    const dialog = page.getByRole('dialog', { name: 'Agent key Night desk' });
    const json = JSON.parse(await dialog.getByRole('region', { name: 'MCP client JSON' }).innerText());
    const key = await storeSecret(page, 'Agent key', 'Night desk');
    expect(json.mcpServers.tow).to.deep.equal({
      type: 'http',
      url: `${dashboard.stack.runtime.config.publicUrl}/mcp`,
      headers: { Authorization: `Bearer ${key}` },
    });
    const [stored] = (await tenant.client.get('/agent-keys')).body.data.items;
    expect(stored).to.include({ name: 'Night desk', read_only: true });
    expect(stored.scopes).to.deep.equal(['read_invoices', 'read_work_orders']);
  });

  it('two people who change the settings lose no change: the second sees what changed, and saves on top', async () => {
    const { page, tenant } = await dashboard.open('settings');
    await page.getByLabel('Terms in days').fill('14');
    // Block the page's requests for settings. Otherwise the page would show the other change before
    // the person saves.
    await page.route('**/v1/settings', (route) =>
      route.request().method() === 'GET' ? route.abort() : route.continue(),
    );
    await tenant.client.patch('/settings', { city: 'Yonkers' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page
      .getByRole('alert')
      .getByText(/city.*Yonkers/i)
      .waitFor();
    expect(await page.getByLabel('Terms in days').inputValue()).to.equal('14');
    await page.unroute('**/v1/settings');
    await page.reload();
    await page.getByLabel('Terms in days').fill('14');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Settings saved').waitFor();
    expect((await tenant.client.get('/settings')).body).to.include({ city: 'Yonkers', terms_days: 14 });
  });

  it('a person lets drivers take payments', async () => {
    const { page, tenant } = await dashboard.open('settings');
    await page.getByRole('switch', { name: 'Drivers take payments' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Settings saved').waitFor();
    expect((await tenant.client.get('/settings')).body.driver_payments).to.equal(true);
  });

  it('the words of messages are saved on the tab Texts, and a text message without a link is refused beside its field', async () => {
    const { page, tenant } = await dashboard.open('settings?tab=texts');
    const form = page.getByRole('form', { name: 'Texts of messages' });
    await form.getByLabel('Subject of the mail').fill('{company}: {invoice_number}');
    await form.getByLabel('Text message').fill('You owe {balance}');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText(/^sms_text must contain/).waitFor();
    await form.getByLabel('Text message').fill('You owe {balance}: {link}');
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Settings saved').waitFor();
    const { body } = await tenant.client.get('/settings');
    expect(body).to.include({
      mail_subject: '{company}: {invoice_number}',
      mail_text: null,
      sms_text: 'You owe {balance}: {link}',
    });
  });

  it('the logo is stored as the picture that was chosen, is shown, and can be removed', async () => {
    const { page, tenant } = await dashboard.open('settings');
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Choose logo' }).click();
    await (await chooser).setFiles({ name: 'logo.png', mimeType: 'image/png', buffer: ONE_PIXEL });
    await page.getByRole('img', { name: 'Logo of the account' }).waitFor();
    await page.getByText('PNG, 1 × 1 pixels').waitFor();
    await page.getByRole('button', { name: 'Remove logo' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove the logo' });
    await dialog.getByRole('button', { name: 'Remove logo' }).click();
    await page.getByText('No logo is set').waitFor();
    expect((await tenant.client.get('/settings')).body.logo).to.equal(null);
  });

  it('a person gets one role, and stays in the list as inactive after being deactivated', async () => {
    const { page } = await dashboard.open('settings?tab=people');
    await page.getByRole('button', { name: 'Add person' }).click();
    const form = page.getByRole('dialog', { name: 'Add person' });
    await form.getByLabel('Name').fill('Robin Rivera');
    await form.getByLabel('E-mail').fill(`robin.${Date.now()}@example.com`);
    await form.getByLabel('Password', { exact: true }).fill('too short');
    await form.getByRole('button', { name: 'Add person' }).click();
    await form
      .getByText(/at least 12 characters/)
      .last()
      .waitFor();
    await form.getByLabel('Password', { exact: true }).fill('correct horse battery staple');
    await form.getByLabel('Role').selectOption('Bookkeeper');
    await form.getByText('The permissions read, write and approve').waitFor();
    await form.getByRole('button', { name: 'Add person' }).click();
    const row = page.getByRole('row', { name: /Robin Rivera/ });
    await row.getByText('Bookkeeper').waitFor();
    await page.getByRole('button', { name: 'Deactivate Robin Rivera' }).click();
    const dialog = page.getByRole('dialog', { name: 'Deactivate Robin Rivera' });
    await dialog.getByRole('button', { name: 'Deactivate' }).click();
    await page
      .getByRole('row', { name: /Robin Rivera/ })
      .getByText('Inactive')
      .waitFor();
    expect(await page.getByRole('button', { name: 'Deactivate Robin Rivera' }).count()).to.equal(0);
  });

  /**
   * Reads a new key from its dialog, and closes the dialog with "I stored it", the only way to
   * close it.
   */
  async function storeSecret(page: Page, kind: string, name: string): Promise<string> {
    const dialog = page.getByRole('dialog', { name: `${kind} ${name}` });
    const secret = await dialog.getByRole('region', { name: kind, exact: true }).innerText();
    await page.keyboard.press('Escape');
    expect(await dialog.isVisible(), 'the dialog after Escape').to.equal(true);
    await dialog.getByRole('button', { name: 'I stored it' }).click();
    await dialog.waitFor({ state: 'detached' });
    return secret;
  }
});
