/** Checks screens that are empty, that cannot load their data, or that have an open menu. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { findViolationsInBothThemes } from '../../support/browser/axe.js';
import { useDashboard } from '../../support/browser/dashboard.js';
import { waitUntilLoaded } from '../../support/browser/wait-in-page.js';

describe('other states of the dashboard', function () {
  this.timeout(120_000);
  const dashboard = useDashboard();

  const screensOf = (page: Page) =>
    page.getByRole('navigation', { name: 'Screens' }).locator('a[href^="/app/"]');

  /** Visits every screen through the navigation, and returns the violations that axe finds. */
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

  it('axe finds no violation with an open menu, palette or list of keys', async () => {
    const { page } = await dashboard.open('invoices');
    const violations: string[] = [];
    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    violations.push(...(await findViolationsInBothThemes(page)));
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByRole('textbox').first().waitFor();
    violations.push(...(await findViolationsInBothThemes(page)));
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.getByRole('dialog').first().waitFor();
    violations.push(...(await findViolationsInBothThemes(page)));
    expect(violations).to.deep.equal([]);
  });
});
