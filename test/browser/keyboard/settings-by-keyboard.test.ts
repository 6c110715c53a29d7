/** Settings by keyboard alone. */
import { expect } from 'chai';
import { useDashboard } from '../../support/browser/dashboard.js';
import { openForKeyboard } from '../../support/browser/keyboard-person.js';
import { createInvoiceAfter } from '../../support/records/lifecycle-records.js';
import { insertNotice } from '../../support/records/notices.js';

/** The smallest picture that a browser can decode: one pixel. */
const ONE_PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe('settings by keyboard alone', function () {
  this.timeout(120_000);
  const dashboard = useDashboard();

  it('a person rolls an API key and revokes it', async () => {
    const { page, person, tenant } = await openForKeyboard(dashboard);
    await tenant.client.post('/api-keys', { name: 'Body shop', permissions: ['read'] });
    await page.goto(`${dashboard.stack.origin}/app/settings?tab=api-keys`);
    const roll = await person.openDialog('Roll Body shop', 'Roll Body shop');
    await person.select('The old key works for', '0');
    await person.submit(roll, 'Roll');
    const secret = person.dialog('API key Body shop');
    await person.waitForFocus(secret);
    await person.press('Escape');
    expect(await secret.isVisible(), 'a secret stays open on Esc').to.equal(true);
    await person.submit(secret, 'I stored it');
    await person.reach(page.getByRole('button', { name: 'Revoke Body shop' }).first());
    await person.press('Enter');
    const revoke = person.dialog('Revoke Body shop');
    await person.waitForFocus(revoke);
    await person.submit(revoke, 'Revoke');
    person.expectWrites('POST /api-keys/{id}/roll', 'DELETE /api-keys/{id}');
  });

  it('a person creates, rolls and revokes an agent key', async () => {
    const { page, person, tenant } = await openForKeyboard(dashboard, 'settings?tab=agent-keys');
    const form = await person.openDialog('Create agent key', 'Create agent key');
    await person.fillField('Name', 'Night desk');
    await person.reach(page.getByLabel('Read-only'));
    await person.press('Space');
    await person.submit(form, 'Create agent key');
    const secret = person.dialog('Agent key Night desk');
    await person.waitForFocus(secret);
    await person.activate('button', 'Copy');
    await person.hear('Copied');
    await person.submit(secret, 'I stored it');
    const roll = await person.openDialog('Roll Night desk', 'Roll Night desk');
    await person.submit(roll, 'Roll');
    await person.waitForFocus(secret);
    await person.submit(secret, 'I stored it');
    await person.reach(page.getByRole('button', { name: 'Revoke Night desk' }).first());
    await person.press('Enter');
    await person.waitForFocus(person.dialog('Revoke Night desk'));
    await person.submit(person.dialog('Revoke Night desk'), 'Revoke');
    const { body } = await tenant.client.get('/agent-keys');
    expect(body.data.items.some((key: { revoked_at: string | null }) => key.revoked_at)).to.equal(true);
    person.expectWrites('POST /agent-keys', 'POST /agent-keys/{id}/roll', 'DELETE /agent-keys/{id}');
  });

  it('a person adds, changes and deactivates a colleague', async () => {
    const { page, person } = await openForKeyboard(dashboard, 'settings?tab=people');
    const form = await person.openDialog('Add person', 'Add person');
    await person.fill('textbox', 'Name', 'Robin Rivera');
    await person.fill('textbox', 'E-mail', `robin.${Date.now()}@example.com`);
    await person.select('Role', 'Book');
    await person.submit(form, 'Add person');
    const edit = await person.openDialog('Edit Robin Rivera', 'Edit Robin Rivera');
    await person.select('Role', 'View');
    await person.submit(edit, 'Save');
    await page
      .getByRole('row', { name: /Robin Rivera/ })
      .getByText('Viewer')
      .waitFor();
    await person.confirm('Deactivate Robin Rivera', 'Deactivate Robin Rivera', 'Deactivate');
    await page
      .getByRole('row', { name: /Robin Rivera/ })
      .getByText('Inactive')
      .waitFor();
    person.expectWrites('POST /users', 'PATCH /users/{id}', 'DELETE /users/{id}');
  });

  it('a person saves the settings of the account, and chooses and removes its logo', async () => {
    const { page, person, tenant } = await openForKeyboard(dashboard, 'settings');
    // Playwright tells the browser in the background that it handles file choosers.
    const opened = page.waitForEvent('filechooser', { timeout: 60_000 });
    await person.fillField('Terms in days', '14');
    await person.activate('button', 'Save');
    await person.hear('Settings saved');
    await person.reach(page.getByRole('button', { name: 'Choose logo' }));
    await person.press('Enter');
    await (await opened).setFiles({ name: 'logo.png', mimeType: 'image/png', buffer: ONE_PIXEL });
    await page.getByRole('img', { name: 'Logo of the account' }).waitFor();
    await person.confirm('Remove logo', 'Remove the logo', 'Remove logo');
    await page.getByText('No logo is set').waitFor();
    expect((await tenant.client.get('/settings')).body).to.include({ terms_days: 14, logo: null });
    person.expectWrites('PATCH /settings', 'PUT /settings/logo', 'DELETE /settings/logo');
  });

  it('a person edits the words of messages, sends a failed one again, and marks a notice as read', async () => {
    const { page, person, tenant } = await openForKeyboard(dashboard);
    await createInvoiceAfter(tenant.client, ['approve', 'send']);
    const fail = "messages set state = 'failed', provider = 'smtp', error = 'full', sent_at = null";
    await dashboard.stack.rows(tenant.id, `update ${fail} where tenant_id = $1`, [tenant.id]);
    await insertNotice(dashboard.stack, tenant.id, { title: 'An endpoint was disabled' });
    await page.goto(`${dashboard.stack.origin}/app/settings?tab=texts`);
    const text = await person.openDialog('Edit On scene', 'Text: On scene');
    await person.fill('textbox', 'Text', 'The truck is here.');
    await person.toggle('switch', 'Send this text');
    await person.submit(text, 'Save');
    await person.openDialog(/^Show text to/, /./);
    await person.press('Escape');
    await person.confirm(/^Retry message to/, 'Send the message again', 'Retry');
    await person.activate('button', /^Mark as read: An endpoint was disabled/);
    await page.getByRole('button', { name: /^Mark as read/ }).waitFor({ state: 'detached' });
    person.expectWrites(
      'PATCH /message-templates/{key}',
      'POST /messages/{id}/retry',
      'POST /notices/{id}/read',
    );
  });
});
