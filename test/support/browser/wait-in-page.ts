import type { Page } from 'playwright-core';
import { eventually } from '../poll.js';

/**
 * Waits until an expression is true in the page. Playwright's `waitForFunction` evaluates a text
 * with `eval`, which the Content-Security-Policy of the pages forbids.
 */
export async function waitInPage(page: Page, expression: string): Promise<void> {
  await eventually(`true in the page: ${expression}`, () => page.evaluate<boolean>(expression));
}

/** Waits until no part of the dashboard is loading. */
export const waitUntilLoaded = (page: Page): Promise<void> =>
  waitInPage(page, '!document.querySelector(".mantine-Skeleton-root")');

/** Waits until the page has drawn itself again, for example after a change of its size. */
export const waitUntilDrawn = (page: Page): Promise<void> =>
  page.evaluate('new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))');
