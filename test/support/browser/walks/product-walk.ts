import { expect } from 'chai';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { type Processes, type TestProcess, useProcesses } from '../../load/processes.js';
import { PAGE_TIMEOUT_MS } from '../../network/browser.js';
import { createDatabase, getFreePort } from '../../stores.js';
import { useBrowser } from '../dashboard.js';
import { PageWatch } from '../page-watch.js';
import { VendorPerson } from './vendor-person.js';

/** The dashboard's address, and the name, address and password of the demo account's owner. */
const WELCOME = /dashboard (\S+) .*\n+ *Demo account {2}.* {3}(\S+) \/ (\S+)\n/;
/** The setting that a double prints, and the address of its page for people. */
const HINTS = /INTEGRATIONS='(.*)' npm start[\s\S]*Control page: +(\S+)\n/;

/**
 * The built product and the doubles of vendors beside it, each started by its documented command
 * and set up with what the commands print.
 */
export class ProductWalk {
  #context: BrowserContext | undefined;
  #product: TestProcess | undefined;
  #doubles: TestProcess[] = [];
  readonly #controlPages = new Map<string, string>();
  readonly #watch = new PageWatch();
  #address = '';
  #owner = { email: '', password: '' };
  #isSignedIn = false;

  constructor(
    readonly browser: Browser,
    readonly processes: () => Processes,
  ) {}

  /** Starts the double of each vendor, and then the product with the settings that they print. */
  async start(vendors: readonly string[]): Promise<void> {
    const settings = await Promise.all(vendors.map((vendor) => this.#startDouble(vendor)));
    const product = this.processes().start({
      command: ['node', '--enable-source-maps', 'dist/bin/start.js'],
      env: {
        DATA_DIR: await this.processes().createFolder(),
        PORT: `${await getFreePort()}`,
        // The tests' PostgreSQL has a migrated database, which saves the product from creating one.
        DATABASE_URL: await createDatabase(),
        INTEGRATIONS: JSON.stringify(Object.assign({}, ...settings)),
      },
    });
    this.#product = product;
    const [, address = '', email = '', password = ''] = await product.waitForOutput(WELCOME, 180_000);
    this.#address = address;
    this.#owner = { email, password };
    const context = await this.browser.newContext({
      viewport: { width: 1400, height: 900 },
      locale: 'en-US',
    });
    context.setDefaultTimeout(PAGE_TIMEOUT_MS);
    const doubles = [...this.#controlPages.values()].map((url) => new URL(url).origin);
    this.#watch.watchContext(context, { origins: [new URL(address).origin, ...doubles] });
    this.#context = context;
  }

  get context(): BrowserContext {
    if (!this.#context) throw new Error('the product has not started');
    return this.#context;
  }

  /** Opens the dashboard as the owner of the demo account, who signs in once for all tests. */
  async openDashboard(): Promise<VendorPerson> {
    const page = await this.context.newPage();
    await page.goto(this.#address);
    const person = new VendorPerson(page);
    if (!this.#isSignedIn) await person.signIn(this.#owner);
    this.#isSignedIn = true;
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    return person;
  }

  /** Opens the page for people of a vendor's double. */
  async openControlPage(vendor: string): Promise<Page> {
    const page = await this.context.newPage();
    await page.goto(this.#controlPages.get(vendor) ?? '');
    return page;
  }

  /** Closes the pages of a test, and asserts that none of them did anything wrong. */
  async closePages(): Promise<void> {
    await Promise.all(this.context.pages().map((page) => page.close()));
    this.#watch.expectNoFaults();
  }

  /** Stops the product and the doubles, and asserts that they end well and leave nothing behind. */
  async stop(): Promise<void> {
    await this.#context?.close();
    const ends = [this.#product, ...this.#doubles].map(async (one) => {
      if (one) expect(await one.stop('SIGTERM'), one.output).to.deep.equal({ code: 0, signal: null });
    });
    await Promise.all(ends);
    expect(await this.processes().listSurvivors()).to.deep.equal([]);
  }

  async #startDouble(vendor: string): Promise<object> {
    const double = this.processes().start({
      command: ['node', 'dist/bin/tow.js', 'vendor-double', vendor, '--port', `${await getFreePort()}`],
    });
    this.#doubles.push(double);
    const [, setting = '', page = ''] = await double.waitForOutput(HINTS, 90_000);
    this.#controlPages.set(vendor, page);
    return JSON.parse(setting) as object;
  }
}

/** Provides the product with the doubles of the vendors for the tests of a `describe`. */
export function useProductWalk(vendors: readonly string[]): ProductWalk {
  const browser = useBrowser();
  let processes: Processes;
  const walk = new ProductWalk(browser, () => processes);
  before(() => walk.start(vendors));
  afterEach(() => walk.closePages());
  // Hooks run in this order, so the product and the doubles end by SIGTERM before any is killed.
  after(() => walk.stop());
  processes = useProcesses();
  return walk;
}
