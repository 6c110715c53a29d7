/**
 * `npm run shots`: starts the product with its demo, and writes a picture of every screen in both
 * themes into the folder `shots`, for people who review the screens by eye.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import type { DemoFile } from '../../bin/demo/demo-file.js';
import { PROJECT } from '../support/load/processes.js';
import { startBrowser } from '../support/network/browser.js';
import { useDemoProduct } from './demo-product.js';

const FOLDER = join(PROJECT, 'shots');
const PATHS = [
  '',
  'dispatch',
  'work-orders',
  'invoices',
  'customers',
  'approvals',
  'suggestions',
  'webhooks',
  'exports',
  'integrations',
  'audit-log',
  'settings',
];
/** A record of these screens is opened too. */
const WITH_RECORD = ['work-orders', 'invoices', 'customers', 'suggestions', 'audit-log'];
const SIZE = { width: 1280, height: 800 };

await useDemoProduct(async (demo) => {
  await mkdir(FOLDER, { recursive: true });
  const browser = await startBrowser();
  try {
    for (const theme of ['light', 'dark'] as const) await takeShots(browser, demo, theme);
  } finally {
    await browser.close();
  }
});

async function takeShots(
  browser: Browser,
  { dashboard_url: origin, tenants: [person] }: DemoFile,
  theme: 'light' | 'dark',
): Promise<void> {
  const page = await browser.newPage({ viewport: SIZE, colorScheme: theme, reducedMotion: 'reduce' });
  await page.goto(origin);
  await page.getByLabel('E-mail').fill(person?.email ?? '');
  await page.getByLabel('Password', { exact: true }).fill(person?.password ?? '');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  for (const path of PATHS) {
    await page.goto(`${origin}${path}`);
    await shoot(page, `${path || 'overview'}-${theme}`);
    if (!WITH_RECORD.includes(path)) continue;
    await page.locator('tbody a').first().click();
    await page.getByRole('dialog').waitFor();
    await shoot(page, `${path}-record-${theme}`);
  }
  await page.close();
}

async function shoot(page: Page, name: string): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  // The stream stays open, so the page is never without a request.
  await page.waitForTimeout(800);
  await page.screenshot({ path: join(FOLDER, `${name}.png`) });
  process.stdout.write(`shots/${name}.png\n`);
}
