import { expect } from 'chai';
import { findViolationsInBothThemes, findViolationsInDialog } from '../../support/browser/axe.js';
import { useDashboard } from '../../support/browser/dashboard.js';

describe('signing in to the dashboard', () => {
  const dashboard = useDashboard();

  it('a person signs in with E-mail and Password, and gets the page that the link names', async () => {
    const { page, tenant, user } = await dashboard.open('customers?search=club', { isSignedOut: true });
    await tenant.client.post('/customers', { company_name: 'Riverside Motor Club' });
    await page.getByLabel('E-mail').fill(user.email);
    expect(await findViolationsInBothThemes(page)).to.deep.equal([]);
    await page.getByLabel('Password').fill('wrong password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    expect(await page.getByRole('alert').textContent()).to.include('E-mail or password is wrong.');
    expect(await findViolationsInBothThemes(page)).to.deep.equal([]);
    await page.getByLabel('Password').fill(user.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Customers' }).waitFor();
    await page.getByRole('link', { name: 'Riverside Motor Club' }).waitFor();
    expect(await page.getByLabel('Search').inputValue()).to.equal('club');
  });

  it('the cookie of the session is invisible to scripts, and no secret is in the storage of the page', async () => {
    const { page, user } = await dashboard.open('');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    expect(await page.evaluate('document.cookie')).to.equal('');
    const stored = String(await page.evaluate('JSON.stringify([localStorage, sessionStorage])'));
    expect(stored).to.not.include(user.password);
    expect(stored).to.not.match(/tk_|whsec_|tow_session/);
  });

  it('a session that ends asks for the password in place, and keeps what was typed', async () => {
    const { page, context, user } = await dashboard.open('customers');
    await page.getByRole('button', { name: 'New customer' }).first().click();
    await page.getByLabel('Name').fill('Half a name');
    await context.clearCookies();
    await page.getByRole('button', { name: 'Create customer' }).click();
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    expect(await findViolationsInDialog(page, 'Your session has ended')).to.deep.equal([]);
    await dialog.getByLabel('Password').fill(user.password);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByLabel('Name').inputValue()).to.equal('Half a name');
    await page.getByRole('button', { name: 'Create customer' }).click();
    await page.getByRole('dialog', { name: 'Half a name' }).waitFor();
  });

  it('Sign out ends the session everywhere', async () => {
    const { page, context } = await dashboard.open('customers');
    const cookies = await context.cookies();
    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await context.addCookies(cookies);
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  });
});
