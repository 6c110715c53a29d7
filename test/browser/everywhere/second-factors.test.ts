import { expect } from 'chai';
import type { BrowserContext, Page } from 'playwright-core';
import { addAuthenticator } from '../../support/browser/authenticator.js';
import { findViolationsInBothThemes, findViolationsInDialog } from '../../support/browser/axe.js';
import { type OpenDashboard, useDashboard } from '../../support/browser/dashboard.js';
import type { TestClient } from '../../support/client.js';
import { AuthenticatorApp, addTotp, type TestFactor } from '../../support/factors/authenticator-app.js';
import { createSessionClient, createUser, openSession } from '../../support/records/sign-in.js';

const SECURITY = 'settings?tab=security';

describe('second factors in the dashboard', () => {
  const dashboard = useDashboard();

  /** Returns a client with the session of the browser. */
  const getClient = async (context: BrowserContext): Promise<TestClient> => {
    const [cookie] = await context.cookies();
    return createSessionClient(dashboard.stack.origin, `${cookie?.name}=${cookie?.value}`);
  };

  /** Opens a page of a person who has an authenticator app. */
  const openWithApp = async (path: string): Promise<OpenDashboard & TestFactor> => {
    const opened = await dashboard.open(path);
    return { ...opened, ...(await addTotp(await getClient(opened.context))) };
  };

  const signOut = async (page: Page) => {
    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  };
  const sendPassword = async (page: Page, { email, password }: { email: string; password: string }) => {
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };
  const seeOverview = (page: Page) => page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  /** Asserts that axe finds no violation on the page, including its open dialog. */
  const seeNoViolation = async (page: Page) =>
    expect(await findViolationsInBothThemes(page)).to.deep.equal([]);
  const readCodes = async (page: Page): Promise<string[]> => {
    const dialog = page.getByRole('dialog', { name: 'Your recovery codes' });
    const text = await dialog.getByRole('region', { name: 'Recovery codes' }).innerText();
    expect(await findViolationsInDialog(page, 'Your recovery codes')).to.deep.equal([]);
    await dialog.getByRole('button', { name: 'I stored them' }).click();
    await dialog.waitFor({ state: 'detached' });
    return text.trim().split(/\s+/);
  };
  const addApp = async (page: Page, password: string) => {
    await page.getByRole('button', { name: 'Add authenticator app' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add authenticator app' });
    await dialog.getByLabel('Password', { exact: true }).fill(password);
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByRole('img', { name: 'Picture to scan' }).waitFor();
    await seeNoViolation(page);
    const app = new AuthenticatorApp(
      (await dialog.getByRole('region', { name: 'Secret' }).innerText()).trim(),
    );
    await dialog.getByLabel('Code').fill(app.inventCode());
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await dialog.getByText('is wrong, or was used before').waitFor();
    await dialog.getByLabel('Code').fill(app.takeCode());
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    return app;
  };

  it('a person adds an authenticator app, stores the recovery codes, and signs in with a code', async () => {
    const { page, user } = await dashboard.open(SECURITY);
    const app = await addApp(page, user.password);
    expect(await readCodes(page)).to.have.length(10);
    await page.getByRole('table', { name: 'Second factors' }).getByText('10 of 10 codes left').waitFor();
    // The page knows of the first factor without being loaded again.
    await page.getByRole('switch', { name: 'Require a second factor', disabled: false }).waitFor();
    await signOut(page);
    await page.goto(`${dashboard.stack.origin}/app/`);
    await sendPassword(page, user);
    await page.getByLabel('Code').waitFor();
    await seeNoViolation(page);
    await page.getByLabel('Code').fill(app.inventCode());
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('is wrong, or was used before').waitFor();
    await seeNoViolation(page);
    await page.getByLabel('Code').fill(app.takeCode());
    await page.getByRole('button', { name: 'Sign in' }).click();
    await seeOverview(page);
  });

  it('a person without the device signs in with a recovery code', async () => {
    const { page, user, recoveryCodes } = await openWithApp('');
    await seeOverview(page);
    await signOut(page);
    await sendPassword(page, user);
    await page.getByRole('button', { name: 'Use a recovery code' }).click();
    await seeNoViolation(page);
    await page.getByLabel('Recovery code').fill(recoveryCodes[0] as string);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await seeOverview(page);
  });

  it('a person adds a passkey, signs in with it, and confirms a change with it', async () => {
    const { page, context, user } = await dashboard.open(SECURITY, { isOnLocalhost: true });
    await addAuthenticator(context, page);
    await page.getByRole('button', { name: 'Add passkey' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add passkey' });
    expect(await findViolationsInDialog(page, 'Add passkey')).to.deep.equal([]);
    await dialog.getByLabel('Password', { exact: true }).fill(user.password);
    await dialog.getByRole('button', { name: 'Create passkey' }).click();
    await readCodes(page);
    await signOut(page);
    await sendPassword(page, user);
    await page.getByRole('button', { name: 'Use a passkey' }).waitFor();
    await seeNoViolation(page);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await seeOverview(page);
    await forgetProof(user.tenantId);
    await page.goto(page.url().replace(/\/app\/.*/, `/app/${SECURITY}`));
    await page.getByRole('button', { name: 'New recovery codes' }).click();
    expect(await findViolationsInDialog(page, 'New recovery codes')).to.deep.equal([]);
    await page.getByRole('button', { name: 'Make new codes' }).click();
    const question = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await question.getByRole('button', { name: 'Use a passkey' }).click();
    expect(await readCodes(page)).to.have.length(10);
  });

  /** Moves the last proof of a factor eleven minutes into the past, so that it has expired. */
  const forgetProof = (tenantId: string) =>
    dashboard.stack.rows(
      tenantId,
      `update sessions set factor_proved_at = factor_proved_at - interval '11 minutes' where tenant_id = $1`,
      [tenantId],
    );

  it('a change that needs a factor asks for it, keeps what was typed, and is then sent again', async () => {
    const { page, tenant, app } = await openWithApp('settings?tab=api-keys');
    await forgetProof(tenant.id);
    await page.getByRole('button', { name: 'Create API key' }).click();
    const form = page.getByRole('dialog', { name: 'Create API key' });
    await form.getByLabel('Name').fill('Accounting program');
    await form.getByRole('button', { name: 'Create API key' }).click();
    const question = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await question.getByLabel('Code').waitFor();
    expect(await findViolationsInDialog(page, 'Confirm that it is you')).to.deep.equal([]);
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    await form.getByText('prove a second factor').waitFor();
    expect(await form.getByLabel('Name').inputValue()).to.equal('Accounting program');
    await form.getByRole('button', { name: 'Create API key' }).click();
    await question.getByLabel('Code').fill(app.takeCode());
    await question.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('button', { name: 'I stored it' }).click();
    await page.getByRole('table', { name: 'API keys' }).getByText('Accounting program').waitFor();
  });

  it('a first factor that is added elsewhere enables "Require a second factor", and its removal disables it', async () => {
    const { page, context } = await dashboard.open(SECURITY);
    const find = (isDisabled: boolean) =>
      page.getByRole('switch', { name: 'Require a second factor', disabled: isDisabled });
    await find(true).waitFor();
    const client = await getClient(context);
    const { id } = await addTotp(client);
    await find(false).waitFor();
    expect((await client.delete(`/me/factors/${id}`)).status).to.equal(200);
    await find(true).waitFor();
  });

  it('an account that requires a factor opens the dashboard only after the set-up', async () => {
    const owner = await openWithApp(SECURITY);
    await owner.page.getByRole('switch', { name: 'Require a second factor' }).click();
    await owner.page.getByRole('switch', { name: 'Require a second factor', checked: true }).waitFor();
    const user = await createUser(dashboard.stack, owner.tenant.id, { role: 'dispatcher' });
    const { page } = await dashboard.open('', { tenant: owner.tenant, user });
    await page.getByRole('heading', { level: 1, name: 'Set up a second factor' }).waitFor();
    await seeNoViolation(page);
    await addApp(page, user.password);
    expect(await readCodes(page)).to.have.length(10);
    await seeOverview(page);
  });

  it('a person ends one other session, and then all others', async () => {
    const { page, user } = await dashboard.open(SECURITY);
    const others = [await openSession(dashboard.stack, user), await openSession(dashboard.stack, user)];
    await page.reload();
    const table = page.getByRole('table', { name: 'Your sessions' });
    await table.getByRole('button', { name: 'End the session of Unknown browser' }).first().click();
    await page.getByRole('button', { name: 'End session', exact: true }).click();
    await page.getByText('The session has ended').waitFor();
    await page.getByRole('button', { name: 'End all other sessions' }).click();
    await page.getByRole('button', { name: 'End sessions' }).click();
    await page.getByText('All other sessions have ended').waitFor();
    expect(await table.getByText('This session').count()).to.equal(1);
    expect(await table.getByRole('row').count()).to.equal(2);
    for (const other of others) expect((await other.get('/session')).status).to.equal(401);
  });
});
