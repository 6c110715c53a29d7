/** Lets people who cannot sign in yet do whole tasks, with the links in real mails. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { findViolationsInBothThemes } from '../../support/browser/axe.js';
import { useDashboard } from '../../support/browser/dashboard.js';
import { createAddress, useMailedStack } from '../../support/network/mailed-stack.js';
import { createUser } from '../../support/records/sign-in.js';

const PASSWORD = 'correct horse battery staple';

describe('joining by the dashboard', function () {
  this.timeout(120_000);
  // The address uses http, so that the browser keeps the cookie without TLS.
  const { stack, mailbox } = useMailedStack({ BASE_URL: 'http://tow.example.com' });
  const dashboard = useDashboard(stack);

  /** Opens the link of a mail, on the stack's own address. */
  async function openLink(page: Page, email: string, nth = 1): Promise<void> {
    const { mail } = await mailbox(email).waitFor(nth);
    const [, path] = /http:\/\/tow\.example\.com(\/app\/\S+)/.exec(mail.text ?? '') ?? [];
    await page.goto(`${stack.origin}${path}`);
  }

  const seeNoViolation = async (page: Page) =>
    expect(await findViolationsInBothThemes(page)).to.deep.equal([]);

  async function signIn(page: Page, email: string, password: string): Promise<void> {
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  }

  it('an invited person opens the mailed link, chooses a password, joins and signs in', async () => {
    const email = createAddress();
    const { page } = await dashboard.open('settings?tab=people');
    await page.getByRole('button', { name: 'Invite person' }).click();
    const form = page.getByRole('dialog', { name: 'Invite person' });
    await form.getByLabel('E-mail').fill(email);
    await form.getByLabel('Role').selectOption('Bookkeeper');
    await form.getByRole('button', { name: 'Send invitation' }).click();
    await form.waitFor({ state: 'detached' });
    const table = page.getByRole('table', { name: 'Open invitations' });
    await table
      .getByRole('row', { name: new RegExp(email) })
      .getByText('Bookkeeper')
      .waitFor();
    await page.getByRole('button', { name: `Send again the invitation of ${email}` }).click();
    const { page: invited } = await dashboard.open('', { isSignedOut: true });
    await openLink(invited, email, 2);
    await invited.getByText(`Hudson Towing invites ${email} as bookkeeper.`).waitFor();
    await seeNoViolation(invited);
    await invited.getByLabel('Your name').fill('Robin Rivera');
    await invited.getByLabel('Password', { exact: true }).fill('too short');
    await invited.getByRole('button', { name: 'Join' }).click();
    await invited
      .getByText(/at least 12 characters/)
      .last()
      .waitFor();
    await seeNoViolation(invited);
    await invited.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await invited.getByRole('button', { name: 'Join' }).click();
    await invited.getByText('You have joined.').waitFor();
    await seeNoViolation(invited);
    await invited.getByRole('link', { name: 'Sign in' }).click();
    await signIn(invited, email, PASSWORD);
    await openLink(invited, email, 2);
    await invited.getByRole('alert').getByText('This link does not work any more.').waitFor();
    await seeNoViolation(invited);
  });

  it('an open invitation can be revoked, and its link then works no more', async () => {
    const email = createAddress();
    const { page, tenant } = await dashboard.open('settings?tab=people');
    await tenant.client.post('/invitations', { email, role: 'viewer' });
    await page.getByRole('button', { name: `Revoke the invitation of ${email}` }).click();
    const dialog = page.getByRole('dialog', { name: `Revoke the invitation of ${email}` });
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('Nobody is invited at the moment.').waitFor();
    await openLink(page, email);
    await page.getByRole('alert').getByText('This link does not work any more.').waitFor();
  });

  it('a person who forgot the password sets a new one by the mailed link, and signs in', async () => {
    const tenant = await stack.createTenant('Hudson Towing');
    const user = await createUser(stack, tenant.id, { email: createAddress() });
    const { page } = await dashboard.open('', { isSignedOut: true, tenant, user });
    await page.getByRole('link', { name: 'Forgot password?' }).click();
    await page.getByRole('heading', { level: 1, name: 'Forgot password' }).waitFor();
    await seeNoViolation(page);
    await page.getByLabel('E-mail').fill(user.email);
    await page.getByRole('button', { name: 'Send link' }).click();
    await page.getByText('If this address can sign in').waitFor();
    await seeNoViolation(page);
    await openLink(page, user.email);
    await page.getByLabel('New password').waitFor();
    await seeNoViolation(page);
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByText('Your password is set').waitFor();
    await seeNoViolation(page);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await signIn(page, user.email, PASSWORD);
  });

  it('a company signs up, verifies the address, sees both keys once, and signs in', async () => {
    const email = createAddress();
    const { page } = await dashboard.open('', { isSignedOut: true });
    await page.getByRole('link', { name: 'Create an account' }).click();
    await page.getByLabel('Company').fill('Catskill Recovery');
    await page.getByLabel('Your name').fill('Robin Rivera');
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await seeNoViolation(page);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText(`A mail to ${email} is on its way.`).waitFor();
    await seeNoViolation(page);
    await openLink(page, email);
    await page.getByLabel('Password', { exact: true }).fill('another password');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('alert').waitFor();
    await seeNoViolation(page);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('heading', { level: 1, name: 'Welcome, Catskill Recovery' }).waitFor();
    const [key, sandboxKey] = await Promise.all(
      ['API key', 'Sandbox key'].map((name) => page.getByRole('region', { name, exact: true }).innerText()),
    );
    expect((await stack.createClient(key?.trim() ?? '').get('/me')).body.tenant.name).to.equal(
      'Catskill Recovery',
    );
    expect((await stack.createClient(sandboxKey?.trim() ?? '').get('/me')).body.tenant.environment).to.equal(
      'sandbox',
    );
    await seeNoViolation(page);
    expect(String(await page.evaluate('JSON.stringify([localStorage, sessionStorage])'))).to.not.match(/tk_/);
    await page.getByRole('link', { name: 'I stored both: sign in' }).click();
    await signIn(page, email, PASSWORD);
  });
});
