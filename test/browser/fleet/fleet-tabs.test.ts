/**
 * Trucks, drivers and rate cards on the narrowest phone: without records, while the list cannot be
 * read, and with their forms open. Also the links of audit entries to them.
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

describe('the tabs of the fleet in Settings', function () {
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
    it(`${tab}: at 320 px, the empty state offers one next action, whose form fits, and axe finds no violation`, async () => {
      const { page } = await dashboard.open(`settings?tab=${tab}`, { viewport: PHONE });
      await page.getByText(empty).waitFor();
      expect(await findViolationsInBothThemes(page)).to.deep.equal([]);
      expect(await findOverflow(page)).to.deep.equal([]);
      await page.getByRole('tabpanel').getByRole('button', { name: button }).last().click();
      await page.getByRole('dialog', { name: button }).waitFor();
      expect(await findViolationsInBothThemes(page)).to.deep.equal([]);
      expect(await findOverflow(page)).to.deep.equal([]);
    });

    it(`${tab}: at 320 px, a list that cannot be read says so, and axe finds no violation`, async () => {
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

  it('an audit entry opens the truck, the driver or the rate card that it is about', async () => {
    const { page, tenant } = await dashboard.open();
    await tenant.client.post('/trucks', { unit_number: 'T-1', duty_class: 'light' });
    await tenant.client.post('/drivers', { name: 'Sam Rivera' });
    const items = [{ category: 'tow', unit_type: 'flat', unit_price_cents: 7500 }];
    const card = { name: 'Standard rates', effective_from: '2026-01-01', items };
    await tenant.client.post('/rate-cards', card);
    const { body } = await tenant.client.get('/audit-log?limit=10');
    for (const { type, link, name } of [
      { type: 'truck', link: 'Open truck', name: 'Truck T-1' },
      { type: 'driver', link: 'Open driver', name: 'Sam Rivera' },
      { type: 'rate_card', link: 'Open rate card', name: 'Standard rates, version 1' },
    ]) {
      const entry = body.data.items.find((one: { entity_type: string }) => one.entity_type === type);
      await page.goto(`${dashboard.stack.origin}/app/audit-log/${entry.id}`);
      await page.getByRole('link', { name: link }).click();
      await page.getByRole('dialog', { name }).waitFor();
    }
  });
});
