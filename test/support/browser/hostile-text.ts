import type { Page } from 'playwright-core';

/**
 * Shown as HTML, this text would run a script and add a picture to the page. Its three digits make
 * it a valid phone number.
 */
export const HOSTILE = '<img src=x onerror=hacked=100>';

/** Returns whether a page has shown {@link HOSTILE} as HTML. */
export async function hasRunHostile(page: Page): Promise<boolean> {
  const hasRun = await page.evaluate<boolean>('window.hacked !== undefined');
  return hasRun || (await page.locator('img[src="x"]').count()) > 0;
}
