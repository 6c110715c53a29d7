import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { BrowserContext, Page } from 'playwright-core';
import { useBrowser } from '../browser/dashboard.js';
import { PROJECT } from '../load/processes.js';
import { PAGE_TIMEOUT_MS } from '../network/browser.js';
import type { TestStack } from '../stack.js';
import type { DrivenJob } from './driven-job.js';

export interface DriverPhones {
  openPhone: (colorScheme?: 'light' | 'dark') => Promise<BrowserContext>;
  openPage: (context: BrowserContext, job: DrivenJob) => Promise<Page>;
}

/**
 * Opens driver's pages on phones of 360 px. After each test, closes the phones. Asserts that the
 * pages sent no request to another origin and caused no error.
 */
export function useDriverPhones(stack: Pick<TestStack, 'origin'>): DriverPhones {
  const browser = useBrowser();
  const contexts: BrowserContext[] = [];
  const faults: string[] = [];

  before(() => {
    if (!existsSync(join(PROJECT, 'dist', 'driver-page', 'index.html')))
      throw new Error("The driver's page is not built. Run `npm run build` first.");
  });
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()));
    expect(faults.splice(0), 'what the page must not do').to.deep.equal([]);
  });

  return {
    async openPhone(colorScheme = 'light') {
      const context = await browser.newContext({
        viewport: { width: 360, height: 640 },
        hasTouch: true,
        isMobile: true,
        colorScheme,
      });
      context.setDefaultTimeout(PAGE_TIMEOUT_MS);
      contexts.push(context);
      context.on('request', (request) => {
        const { origin, protocol } = new URL(request.url());
        if (protocol !== 'blob:' && origin !== stack.origin) faults.push(`left the origin: ${request.url()}`);
      });
      return context;
    },
    async openPage(context, { path }) {
      const page = await context.newPage();
      page.on('pageerror', (error) => faults.push(`error in the page: ${error.stack}`));
      page.on('console', (message) => {
        const isStatus = /Failed to load resource|ERR_|fetch/.test(message.text());
        if (message.type() === 'error' && !isStatus) faults.push(`console: ${message.text()}`);
      });
      await page.goto(stack.origin + path);
      return page;
    },
  };
}
