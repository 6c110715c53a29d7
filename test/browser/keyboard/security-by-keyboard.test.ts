/** Second factors and sessions by keyboard alone. */
import { expect } from 'chai';
import type { Locator } from 'playwright-core';
import { addAuthenticator } from '../../support/browser/authenticator.js';
import { useDashboard } from '../../support/browser/dashboard.js';
import { type KeyboardPerson, openForKeyboard } from '../../support/browser/keyboard-person.js';
import { AuthenticatorApp } from '../../support/factors/authenticator-app.js';
import { openSession, type TestUser } from '../../support/records/sign-in.js';

const SECURITY = 'settings?tab=security';

describe('second factors and sessions by keyboard alone', function () {
  this.timeout(120_000);
  const dashboard = useDashboard();

  it('a person adds an app, renews the codes, requires factors, signs in with a code, and removes the app', async () => {
    const { page, person, tenant, user } = await openForKeyboard(dashboard, SECURITY);
    const app = await addApp(person, user);
    await storeCodes(person);
    await person.confirm('New recovery codes', 'New recovery codes', 'Make new codes');
    await storeCodes(person);
    await person.toggle('switch', /^Require a second factor/);
    await page.getByRole('switch', { name: 'Require a second factor', checked: true }).waitFor();
    await person.toggle('switch', /^Require a second factor/);
    await page.getByRole('switch', { name: 'Require a second factor', checked: false }).waitFor();
    await person.activate('button', 'Your account');
    await person.activate('button', 'Sign out');
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await person.fill('textbox', 'E-mail', user.email);
    await person.fillField('Password', user.password);
    await person.activate('button', 'Sign in');
    await page.getByLabel('Code').waitFor();
    await person.fillField('Code', app.takeCode());
    await person.press('Enter');
    await page.getByRole('heading', { level: 1, name: /Overview|Settings/ }).waitFor();
    await forgetProof(tenant.id);
    await page.goto(`${dashboard.stack.origin}/app/${SECURITY}`);
    const remove = await person.openDialog(/^Remove (?!.*ecovery)/, /^Remove /);
    await person.reach(remove.getByRole('button', { name: 'Remove', exact: true }));
    await person.press('Enter');
    const question = person.dialog('Confirm that it is you');
    await person.waitForFocus(question);
    await person.fillField('Code', app.takeCode());
    await person.submit(question, 'Confirm');
    await page.getByText('You have no second factor.').waitFor();
    person.expectWrites(
      'POST /me/factors',
      'POST /me/factors/{id}/confirm',
      'POST /me/factors/recovery-codes',
      'PATCH /settings',
      'DELETE /session',
      'POST /session/factor',
      'POST /session/confirm',
      'DELETE /me/factors/{id}',
    );
  });

  it('a person adds a passkey, signs in with it, and confirms new recovery codes with it', async () => {
    const { page, context, person, tenant, user } = await openForKeyboard(dashboard, SECURITY, {
      isOnLocalhost: true,
    });
    await addAuthenticator(context, page);
    await person.openDialog('Add passkey', 'Add passkey');
    await person.fillField('Name', 'Office computer');
    await person.fillField('Password', user.password);
    await person.activate('button', 'Create passkey');
    await storeCodes(person);
    await page.getByRole('cell', { name: 'Office computer', exact: true }).waitFor();
    await person.activate('button', 'Your account');
    await person.activate('button', 'Sign out');
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await person.fillField('E-mail', user.email);
    await person.fillField('Password', user.password);
    await person.press('Enter');
    await person.activate('button', 'Use a passkey');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await forgetProof(tenant.id);
    await page.goto(page.url().replace(/\/app\/.*/, `/app/${SECURITY}`));
    const renew = await person.openDialog('New recovery codes', 'New recovery codes');
    await person.reach(renew.getByRole('button', { name: 'Make new codes' }));
    await person.press('Enter');
    const question = person.dialog('Confirm that it is you');
    await person.waitForFocus(question);
    await person.submit(question, 'Use a passkey');
    await storeCodes(person);
    person.expectWrites('POST /me/factors', 'POST /session/factor', 'POST /session/confirm');
  });

  it('a person ends one other session, and then all others', async () => {
    const { page, person, user } = await openForKeyboard(dashboard);
    for (const _ of ['one', 'another']) await openSession(dashboard.stack, user);
    await page.goto(`${dashboard.stack.origin}/app/${SECURITY}`);
    const others = page.getByRole('button', { name: 'End the session of Unknown browser' });
    await person.reach(others.first());
    await person.press('Enter');
    const one = person.dialog('End this session');
    await person.waitForFocus(one);
    await person.submit(one, 'End session');
    await person.hear('The session has ended');
    await person.confirm('End all other sessions', 'End all other sessions', 'End sessions');
    expect(await others.count()).to.equal(0);
    person.expectWrites('DELETE /me/sessions/{id}', 'DELETE /me/sessions');
  });

  /** Moves the last proof of a factor eleven minutes into the past, so that it has expired. */
  const forgetProof = (tenantId: string) =>
    dashboard.stack.rows(
      tenantId,
      `update sessions set factor_proved_at = factor_proved_at - interval '11 minutes' where tenant_id = $1`,
      [tenantId],
    );

  async function addApp(person: KeyboardPerson, { password }: TestUser): Promise<AuthenticatorApp> {
    const dialog: Locator = await person.openDialog('Add authenticator app', 'Add authenticator app');
    await person.fillField('Password', password);
    await person.activate('button', 'Continue');
    await dialog.getByRole('img', { name: 'Picture to scan' }).waitFor();
    await person.waitForFocus(dialog);
    const secret = await dialog.getByRole('region', { name: 'Secret' }).innerText();
    const app = new AuthenticatorApp(secret.trim());
    await person.fillField('Code', app.takeCode());
    await person.activate('button', 'Confirm');
    return app;
  }

  async function storeCodes(person: KeyboardPerson): Promise<void> {
    const codes = person.dialog('Your recovery codes');
    await person.waitForFocus(codes);
    await person.submit(codes, 'I stored them');
  }
});
