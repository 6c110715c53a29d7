/**
 * Checks screens and their views that are empty, that cannot load their data, or that have an open
 * menu, list of choices or toast.
 */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { newId } from '../../../shared/platform/ids.js';
import { findViolationsInBothThemes } from '../../support/browser/axe.js';
import { useDashboard } from '../../support/browser/dashboard.js';
import { waitUntilDrawn, waitUntilLoaded } from '../../support/browser/wait-in-page.js';

describe('other states of the dashboard', function () {
  this.timeout(240_000);
  const dashboard = useDashboard();

  const screensOf = (page: Page) =>
    page.getByRole('navigation', { name: 'Screens' }).locator('a[href^="/app/"]');

  const lookAtView = async (page: Page): Promise<string[]> => {
    await waitUntilDrawn(page);
    await waitUntilLoaded(page);
    return findViolationsInBothThemes(page);
  };

  /**
   * Visits every screen through the navigation, and its views, and returns the violations that axe
   * finds.
   */
  async function walk(page: Page, isReady: (page: Page) => Promise<void>): Promise<string[]> {
    const violations: string[] = [];
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    const names = await screensOf(page).allInnerTexts();
    expect(names).to.have.length(13);
    for (const [nth, name] of names.entries()) {
      await screensOf(page).nth(nth).click();
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await waitUntilLoaded(page);
      await isReady(page);
      violations.push(...(await findViolationsInBothThemes(page)).map((text) => `${name}: ${text}`));
      // The first view is open.
      for (const view of (await page.getByRole('main').getByRole('tab').all()).slice(1)) {
        await view.click();
        const found = await lookAtView(page);
        violations.push(...found.map((text) => `${name}, ${page.url()}: ${text}`));
      }
    }
    return violations;
  }

  it('axe finds no violation on the screens of an empty account', async () => {
    const { page } = await dashboard.open('');
    expect(await walk(page, async () => undefined)).to.deep.equal([]);
  });

  it('axe finds no violation on screens that cannot load their data, and each says so', async () => {
    const { page } = await dashboard.open('');
    await page.route('**/v1/**', (route) =>
      /\/v1\/(session|stream|me$)/.test(route.request().url())
        ? route.continue()
        : route.fulfill({
            status: 500,
            contentType: 'application/json',
            body: JSON.stringify({
              ok: false,
              error: { code: 'internal_error', message: 'Something failed.', requestId: 'r' },
            }),
          }),
    );
    await page.reload();
    const says = (shown: Page) => shown.getByRole('main').getByRole('alert').first().waitFor();
    expect(await walk(page, says)).to.deep.equal([]);
  });

  it('axe finds no violation with an open menu, palette, list of choices or toast', async () => {
    const { page, tenant } = await dashboard.open('invoices');
    const violations: string[] = [];
    const look = async (state: string) =>
      violations.push(...(await findViolationsInBothThemes(page)).map((text) => `${state}: ${text}`));
    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    await look('menu');
    await page.keyboard.press('Escape');
    await tenant.client.post('/customers', { company_name: 'Riverside Motors' });
    await page.keyboard.press('Control+k');
    const search = page.getByRole('textbox', { name: 'Find' });
    await search.waitFor();
    await look('palette');
    await search.fill('Riverside');
    await page.getByRole('button', { name: /Riverside Motors/ }).waitFor();
    await look('palette with a record');
    await search.fill('nothing has this name');
    await page.getByText(/^Nothing/).waitFor();
    await look('palette without a result');
    await page.keyboard.press('Escape');
    await page.getByRole('combobox', { name: 'Status' }).click();
    await page.getByRole('option').first().waitFor();
    await look('list of choices');
    await page.keyboard.press('Escape');
    await tenant.client.post('/work-orders', { service_type: 'tow' });
    await page
      .getByRole('link', { name: /^WO-|work order/i })
      .last()
      .waitFor();
    await look('toast');
    expect(violations).to.deep.equal([]);
  });

  it('axe finds no violation in the open navigation of a phone, in both environments', async () => {
    const { page } = await dashboard.open('customers', { viewport: { width: 320, height: 700 } });
    const violations: string[] = [];
    for (const environment of ['Live', 'Sandbox']) {
      await page.getByRole('radiogroup', { name: 'Environment' }).getByText(environment).click();
      await page.getByRole('radio', { name: environment, checked: true }).waitFor();
      await page.getByRole('button', { name: 'Open the navigation' }).click();
      await page.getByRole('link', { name: 'Settings' }).waitFor();
      violations.push(...(await findViolationsInBothThemes(page)));
      await page.getByRole('button', { name: 'Close the navigation' }).click();
    }
    expect(violations).to.deep.equal([]);
  });

  it('axe finds no violation in a form with refused fields, and in a drawer that cannot load its record', async () => {
    const { page } = await dashboard.open('customers');
    await page.getByRole('button', { name: 'New customer' }).first().click();
    await page.getByRole('button', { name: 'Create customer' }).click();
    await page.getByRole('textbox', { name: 'Name' }).and(page.locator('[aria-invalid=true]')).waitFor();
    expect(await findViolationsInBothThemes(page, 'dialog')).to.deep.equal([]);
    await page.goto(`${dashboard.stack.origin}/app/invoices/${newId()}`);
    await page.getByRole('dialog').getByRole('alert').waitFor();
    expect(await findViolationsInBothThemes(page)).to.deep.equal([]);
    await page.goto(`${dashboard.stack.origin}/app/no-such-screen`);
    await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
    expect(await findViolationsInBothThemes(page)).to.deep.equal([]);
  });
});
