/** Opens the dashboard of a test stack in a real Chromium, for whole tasks of a person. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { PROJECT } from '../load/processes.js';
import { BROWSER_SKIP_REASON, PAGE_TIMEOUT_MS, startBrowser } from '../network/browser.js';
import { createUser, signIn, type TestUser } from '../records/sign-in.js';
import type { TestStack, TestTenant } from '../stack.js';
import { useShared, useStack } from '../use-stack.js';
import { PageWatch } from './page-watch.js';
import { waitInPage } from './wait-in-page.js';

/** Runs the workers whose results a person may wait for in the dashboard. */
export const DASHBOARD_STACK = { webhooks: true, exports: true, clock: true };

/** The size of a usual screen. */
const DESKTOP = { width: 1400, height: 900 };

export interface OpenOptions {
  /** Default: a new account. */
  tenant?: TestTenant;
  /** Default: a new person of the account, with every right. */
  user?: TestUser;
  viewport?: { width: number; height: number };
  colorScheme?: 'light' | 'dark';
  /** If true, the page opens without a signed-in person. */
  isSignedOut?: boolean;
  /**
   * If true, the page has the host localhost, because browsers offer no passkeys on IP addresses.
   */
  isOnLocalhost?: boolean;
  /** An origin that the page may read from, besides its own. */
  otherOrigin?: string;
}

export interface OpenDashboard {
  page: Page;
  context: BrowserContext;
  tenant: TestTenant;
  user: TestUser;
}

/**
 * Provides the dashboard for the tests of a `describe`, and skips them where there is no Chromium.
 * After each test, asserts that no page has left the origin, called a route that openapi.json does
 * not have, or reported an error.
 * @param stack default: the stack that all files of the dashboard share
 */
export function useDashboard(stack: TestStack = useStack(DASHBOARD_STACK)): DashboardBench {
  const browser = useBrowser();
  const bench = new DashboardBench(stack, browser);
  before(() => {
    const isBuilt = existsSync(join(PROJECT, 'dist', 'dashboard', 'index.html'));
    if (!isBuilt) throw new Error('The dashboard is not built. Run `npm run build` first.');
  });
  afterEach(() => bench.closePages());
  return bench;
}

/**
 * Provides the browser that all files share. Skips the tests of the `describe` if no Chromium is
 * installed.
 */
export function useBrowser(): Browser {
  const browser = useShared('browser', startWhereInstalled, (running) => running.close(), {
    isLasting: true,
  });
  before(function () {
    if (!BROWSER_SKIP_REASON) return;
    process.stdout.write(`    not tested in a browser: ${BROWSER_SKIP_REASON}\n`);
    this.skip();
  });
  return browser;
}

async function startWhereInstalled(): Promise<Browser> {
  if (BROWSER_SKIP_REASON) return { close: async () => undefined } as Browser;
  return startBrowser();
}

export class DashboardBench {
  #contexts: BrowserContext[] = [];
  readonly #watch = new PageWatch();

  constructor(
    readonly stack: TestStack,
    readonly browser: Browser,
  ) {}

  /**
   * Opens a screen as a signed-in person.
   * @param path path and search below /app/, such as `invoices?status=draft`. Without a path, the
   *   page is empty, and the test loads a screen after it has created the records.
   */
  async open(path?: string, options: OpenOptions = {}): Promise<OpenDashboard> {
    const tenant = options.tenant ?? (await this.stack.createTenant('Hudson Towing'));
    const user = options.user ?? (await createUser(this.stack, tenant.id));
    const context = await this.browser.newContext({
      viewport: options.viewport ?? DESKTOP,
      colorScheme: options.colorScheme ?? 'light',
      reducedMotion: 'reduce',
      locale: 'en-US',
    });
    this.#contexts.push(context);
    context.setDefaultTimeout(PAGE_TIMEOUT_MS);
    const { origin: address } = this.stack;
    const origin = options.isOnLocalhost ? address.replace('127.0.0.1', 'localhost') : address;
    if (!options.isSignedOut) await this.#addSession(context, user, origin);
    const page = await context.newPage();
    this.#watch.watchPage(page, { origins: [origin, options.otherOrigin] });
    if (path !== undefined) await page.goto(`${origin}/app/${path}`);
    return { page, context, tenant, user };
  }

  /** Closes all pages of the test, and makes the assertions of {@link useDashboard}. */
  async closePages(): Promise<void> {
    await Promise.all(this.#contexts.map((context) => context.close()));
    this.#contexts = [];
    this.#watch.expectNoFaults();
  }

  async #addSession(context: BrowserContext, user: TestUser, url: string): Promise<void> {
    const client = await signIn(this.stack, user);
    const [name = '', value = ''] = (client.defaultHeaders.cookie as string).split('=');
    await context.addCookies([{ name, value, url, httpOnly: true, sameSite: 'Lax' }]);
  }
}

/**
 * Opens a path in the page without loading the page again, as a link of the dashboard does. A load
 * takes 0.3 s of CPU time, and a new page compiles the dashboard and axe again. Waits until the
 * router shows the path.
 * @param path path and search below /app/
 */
export async function followPath(page: Page, path: string): Promise<void> {
  const href = JSON.stringify(`/app/${path}`);
  await page.evaluate(`history.pushState({}, '', ${href})`);
  await waitInPage(
    page,
    `(({ status, location, resolvedLocation }) =>
      status === 'idle' && location.href === resolvedLocation?.href &&
      location.publicHref === ${href})(__TSR_ROUTER__.state)`,
  );
}
