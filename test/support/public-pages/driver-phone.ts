import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { useBrowser } from '../browser/dashboard.js';
import { PageWatch } from '../browser/page-watch.js';
import { PROJECT } from '../load/processes.js';
import { PAGE_TIMEOUT_MS } from '../network/browser.js';
import type { TestStack } from '../stack.js';
import type { DrivenJob } from './driven-job.js';

export interface DriverPhones {
  openPhone: () => Promise<BrowserContext>;
  openPage: (context: BrowserContext, job: DrivenJob) => Promise<Page>;
}

/** The page must work without a network, and Chromium logs each request that got no response. */
const LOST_REQUEST = /Failed to load resource|ERR_|fetch/;

/**
 * Opens driver's pages on phones of 360 px. After each test, closes the phones. Asserts that the
 * pages sent no request to another origin or to a route that openapi.json does not have, and
 * caused no error.
 */
export function useDriverPhones(stack: Pick<TestStack, 'origin'>): DriverPhones {
  const browser = useBrowser();
  const contexts: BrowserContext[] = [];
  const watch = new PageWatch();

  before(() => {
    if (!existsSync(join(PROJECT, 'dist', 'driver-page', 'index.html')))
      throw new Error("The driver's page is not built. Run `npm run build` first.");
  });
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()));
    watch.expectNoFaults();
  });

  return {
    async openPhone() {
      const context = await browser.newContext({
        viewport: { width: 360, height: 640 },
        hasTouch: true,
        isMobile: true,
        colorScheme: 'light',
      });
      context.setDefaultTimeout(PAGE_TIMEOUT_MS);
      contexts.push(context);
      watch.watchContext(context, { origins: [stack.origin], ignored: LOST_REQUEST });
      return context;
    },
    async openPage(context, { path }) {
      const page = await context.newPage();
      await page.goto(stack.origin + path);
      return page;
    },
  };
}
