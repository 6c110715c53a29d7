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
const DESKTOP = { width: 1280, height: 800 };
/** The narrowest screen on which no page may scroll sideways. */
const PHONE = { width: 320, height: 700 };

await useDemoProduct(async (demo) => {
  await mkdir(FOLDER, { recursive: true });
  const browser = await startBrowser();
  try {
    for (const theme of ['light', 'dark'] as const) {
      await takeShots(browser, demo, { theme, viewport: DESKTOP, name: theme });
      await takeShots(browser, demo, { theme, viewport: PHONE, name: `phone-${theme}` });
    }
  } finally {
    await browser.close();
  }
});

async function takeShots(
  browser: Browser,
  { dashboard_url: origin, tenants: [person] }: DemoFile,
  { theme, viewport, name }: { theme: 'light' | 'dark'; viewport: typeof DESKTOP; name: string },
): Promise<void> {
  const page = await browser.newPage({ viewport, colorScheme: theme, reducedMotion: 'reduce' });
  await page.goto(origin);
  await page.getByLabel('E-mail').fill(person?.email ?? '');
  await page.getByLabel('Password', { exact: true }).fill(person?.password ?? '');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  for (const path of await listScreens(page)) {
    await page.goto(`${origin}${path}`);
    await shoot(page, `${path || 'overview'}-${name}`);
    const record = page.getByRole('main').locator(`a[href^="/app/${path}/"]`).first();
    if (path === '' || (await record.count()) === 0) continue;
    await record.click();
    await page.getByRole('dialog').waitFor();
    await shoot(page, `${path}-record-${name}`);
  }
  await page.close();
}

/** Lists the paths of all screens below /app/, in the sequence of the navigation. */
async function listScreens(page: Page): Promise<string[]> {
  const links = await page.locator('nav[aria-label=Screens] a[href^="/app/"]').all();
  const targets = await Promise.all(links.map((link) => link.getAttribute('href')));
  return targets.map((target) => (target as string).slice('/app/'.length));
}

async function shoot(page: Page, name: string): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  // The stream stays open, so the page is never without a request.
  await page.waitForTimeout(800);
  await page.screenshot({ path: join(FOLDER, `${name}.png`) });
  process.stdout.write(`shots/${name}.png\n`);
}
