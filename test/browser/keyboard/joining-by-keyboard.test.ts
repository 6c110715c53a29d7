/** Sign-up, invitations and passwords by keyboard alone, with the links in real mails. */
import type { Page } from 'playwright-core';
import { useDashboard } from '../../support/browser/dashboard.js';
import { type KeyboardPerson, openForKeyboard } from '../../support/browser/keyboard-person.js';
import { createAddress, useMailedStack } from '../../support/network/mailed-stack.js';
import { createUser } from '../../support/records/sign-in.js';

const PASSWORD = 'correct horse battery staple';

describe('joining by keyboard alone', function () {
  this.timeout(120_000);
  // Over http, so that the browser keeps the cookie without TLS.
  const { stack, mailbox } = useMailedStack({ BASE_URL: 'http://tow.example.com' });
  const dashboard = useDashboard(stack);

  /** Opens the link of a mail, on the stack's own address. */
  async function openLink(page: Page, email: string): Promise<void> {
    const { mail } = await mailbox(email).waitFor(1);
    const [, path] = /http:\/\/tow\.example\.com(\/app\/\S+)/.exec(mail.text ?? '') ?? [];
    await page.goto(`${stack.origin}${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
  }

  async function signIn(person: KeyboardPerson, email: string): Promise<void> {
    await person.fillField('E-mail', email);
    await person.fillField('Password', PASSWORD);
    await person.press('Enter');
    await person.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  }

  it('a person invites two people, revokes one invitation, and the other person joins and signs in', async () => {
    const { person } = await openForKeyboard(dashboard, 'settings?tab=people');
    const [email, other] = [createAddress(), createAddress()];
    for (const address of [email, other]) {
      const form = await person.openDialog('Invite person', 'Invite person');
      await person.fillField('E-mail', address);
      await person.select('Role', 'Book');
      await person.submit(form, 'Send invitation');
      await person.page.getByRole('button', { name: `Revoke the invitation of ${address}` }).waitFor();
    }
    const revoke = `Revoke the invitation of ${other}`;
    await person.confirm(revoke, revoke, 'Revoke');
    person.expectWrites('POST /invitations', 'DELETE /invitations/{id}');
    const { page, person: invited } = await openForKeyboard(dashboard, '', { isSignedOut: true });
    await openLink(page, email);
    await invited.fillField('Your name', 'Robin Rivera');
    await invited.fillField('Password', PASSWORD);
    await invited.activate('button', 'Join');
    await page.getByText('You have joined.').waitFor();
    await invited.activate('link', 'Sign in');
    await signIn(invited, email);
    invited.expectWrites('POST /invitations/{token}/accept');
  });

  it('a person who forgot the password sets a new one by the mailed link, and signs in', async () => {
    const tenant = await stack.createTenant('Hudson Towing');
    const user = await createUser(stack, tenant.id, { email: createAddress() });
    const { page, person } = await openForKeyboard(dashboard, '', { isSignedOut: true, tenant, user });
    await person.activate('link', 'Forgot password?');
    await page.getByRole('heading', { level: 1, name: 'Forgot password' }).waitFor();
    await person.fillField('E-mail', user.email);
    await person.activate('button', 'Send link');
    await person.hear('If this address can sign in');
    await openLink(page, user.email);
    await person.fillField('New password', PASSWORD);
    await person.press('Enter');
    await page.getByText('Your password is set').waitFor();
    await person.activate('link', 'Sign in');
    await signIn(person, user.email);
    person.expectWrites('POST /password-reset', 'POST /password-reset/{token}');
  });

  it('a company signs up, asks for the mail again, verifies the address, and signs in', async () => {
    const email = createAddress();
    const { page, person } = await openForKeyboard(dashboard, '', { isSignedOut: true });
    await person.activate('link', 'Create an account');
    await person.fillField('Company', 'Catskill Recovery');
    await person.fillField('Your name', 'Robin Rivera');
    await person.fillField('E-mail', email);
    await person.fillField('Password', PASSWORD);
    await person.activate('button', 'Create account');
    await person.hear(`A mail to ${email} is on its way.`);
    await person.activate('button', 'Send the mail again');
    await page.getByRole('button', { name: 'Sent again' }).waitFor();
    await openLink(page, email);
    await person.fillField('Password', PASSWORD);
    await person.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Welcome, Catskill Recovery' }).waitFor();
    await person.activate('button', 'Copy API key');
    await person.activate('link', 'I stored both: sign in');
    await signIn(person, email);
    person.expectWrites('POST /signup', 'POST /signup/resend', 'POST /signup/verify/{token}');
  });
});
