/** Opens the pages behind links in a real Chromium, as people without an account see them. */
import { expect } from 'chai';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { PAGE_TIMEOUT_MS } from '../network/browser.js';
import type { TestStack } from '../stack.js';
import { useBrowser } from './dashboard.js';
import { PageWatch } from './page-watch.js';

/** The size of a small phone. */
const PHONE = { width: 360, height: 740 };

export interface LinkPageOptions {
  colorScheme?: 'light' | 'dark';
  /** If false, the browser runs no scripts. */
  javaScriptEnabled?: boolean;
  width?: number;
  /** If true, links to the stack's public address work, where nothing listens in a test. */
  isPublic?: boolean;
}

/** The public address of a stack without BASE_URL. */
const PUBLIC_ORIGIN = 'http://127.0.0.1:3000';

/**
 * Provides pages behind links for the tests of a `describe`. After each test, asserts that no page
 * has left the origin, got a cookie or reported an error.
 */
export function useLinkPages(stack: TestStack): LinkPages {
  const pages = new LinkPages(stack, useBrowser());
  afterEach(() => pages.close());
  return pages;
}

class LinkPages {
  #contexts: BrowserContext[] = [];
  readonly #watch = new PageWatch();
  #networks = 0;

  constructor(
    private readonly stack: TestStack,
    private readonly browser: Browser,
  ) {}

  /** Opens a path of the stack, in a page whose clock the test may advance. */
  async open(path: string, options: LinkPageOptions = {}): Promise<{ page: Page; context: BrowserContext }> {
    const { colorScheme = 'light', javaScriptEnabled = true, width = PHONE.width } = options;
    const context = await this.browser.newContext({
      viewport: { ...PHONE, width },
      colorScheme,
      javaScriptEnabled,
      reducedMotion: 'reduce',
    });
    this.#contexts.push(context);
    context.setDefaultTimeout(PAGE_TIMEOUT_MS);
    const page = await context.newPage();
    if (javaScriptEnabled) await page.clock.install();
    const origins = [this.stack.origin, ...(options.isPublic ? [PUBLIC_ORIGIN] : [])];
    this.#watch.watchPage(page, { origins });
    if (options.isPublic)
      await context.route(`${PUBLIC_ORIGIN}/**`, async (route) => {
        const url = route.request().url().replace(PUBLIC_ORIGIN, this.stack.origin);
        await route.fulfill({ response: await route.fetch({ url }) });
      });
    await page.goto(this.stack.origin + path);
    return { page, context };
  }

  /**
   * Makes the page's next requests come from another network, if the stack trusts X-Forwarded-For.
   * A test that waits long may exceed the request limit of one network.
   */
  async changeNetwork(page: Page): Promise<void> {
    this.#networks += 1;
    const address = `10.6.${this.#networks >> 8}.${this.#networks & 255}`;
    await page.setExtraHTTPHeaders({ 'x-forwarded-for': address });
  }

  async close(): Promise<void> {
    const cookieNames: string[] = [];
    for (const context of this.#contexts) {
      const cookies = await context.cookies();
      cookieNames.push(...cookies.map(({ name }) => name));
      await context.close();
    }
    this.#contexts = [];
    this.#watch.expectNoFaults();
    expect(cookieNames, 'the cookies of the pages').to.deep.equal([]);
  }
}
