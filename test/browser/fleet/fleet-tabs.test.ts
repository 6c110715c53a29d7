/**
 * Trucks, drivers and rate cards on the narrowest phone: without records, while the list cannot be
 * read, and with their forms open.
 */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { findViolationsInBothThemes } from '../../support/browser/axe.js';
import { useDashboard } from '../../support/browser/dashboard.js';
import { waitUntilDrawn } from '../../support/browser/wait-in-page.js';

const PHONE = { width: 320, height: 700 };
const TABS = [
  { tab: 'trucks', path: '/v1/trucks', empty: 'There are no trucks yet', button: 'New truck' },
  { tab: 'drivers', path: '/v1/drivers', empty: 'There are no drivers yet', button: 'New driver' },
  {
    tab: 'rate-cards',
    path: '/v1/rate-cards',
    empty: 'There are no rate cards yet',
    button: 'New rate card',
  },
];

describe('the tabs of the fleet in Settings at 320 px', function () {
  this.timeout(120_000);
  const dashboard = useDashboard();

  /** Returns how far the page, and its newest dialog, are too wide, in px. */
  async function findOverflow(page: Page): Promise<number[]> {
    await waitUntilDrawn(page);
    return page.evaluate<number[]>(`[
      document.documentElement.scrollWidth - window.innerWidth,
      ...[...document.querySelectorAll('[role="dialog"]')].map((one) => one.scrollWidth - one.clientWidth),
    ].filter((px) => px > 0)`);
  }

  for (const { tab, path, empty, button } of TABS) {
    it(`${tab}: the empty state offers one next action, whose form fits, and axe finds no violation`, async () => {
      const { page } = await dashboard.open(`settings?tab=${tab}`, { viewport: PHONE });
      await page.getByText(empty).waitFor();
      expect(await findViolationsInBothThemes(page)).to.deep.equal([]);
      expect(await findOverflow(page)).to.deep.equal([]);
      await page.getByRole('tabpanel').getByRole('button', { name: button }).last().click();
      await page.getByRole('dialog', { name: button }).waitFor();
      expect(await findViolationsInBothThemes(page)).to.deep.equal([]);
      expect(await findOverflow(page)).to.deep.equal([]);
    });

    it(`${tab}: a list that cannot be read says so, and axe finds no violation`, async () => {
      const { page } = await dashboard.open('settings', { viewport: PHONE });
      await page.getByRole('tab', { name: 'Security' }).waitFor();
      await page.route(
        (url) => url.pathname === path,
        (route) =>
          route.fulfill({
            status: 500,
            contentType: 'application/json',
            body: JSON.stringify({ ok: false, error: { code: 'internal_error', message: 'Failed.' } }),
          }),
      );
      await page.goto(`${dashboard.stack.origin}/app/settings?tab=${tab}`);
      await page.getByRole('main').getByRole('alert').getByText('Failed.').waitFor();
      expect(await findViolationsInBothThemes(page)).to.deep.equal([]);
      expect(await findOverflow(page)).to.deep.equal([]);
    });
  }
});
