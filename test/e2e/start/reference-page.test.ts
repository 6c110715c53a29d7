/** Opens /docs of `npm start` in a real browser, with the demo accounts. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import type { DemoFile } from '../../../bin/demo/demo-file.js';
import { TestClient } from '../../support/client.js';
import { useProcesses } from '../../support/load/processes.js';
import { BROWSER_SKIP_REASON, startBrowser } from '../../support/network/browser.js';
import { createDatabase, getFreePort } from '../../support/stores.js';
import { listDocumentedOperations } from '../../support/text/openapi-walk.js';

/** Paths that need a session, respond with a stream, or return the OpenAPI document itself. */
const NOT_LISTS = ['/session', '/stream', '/openapi.json'];
/** Paths that are only for signed-in people, or for people who have a mailed link. */
const FOR_PEOPLE = /^\/(me\/(sessions|factors)|session\/|signup|password-reset)/;
/** Paths whose request must name a record of this account, or contain a person's password. */
const NEEDS_RECORD_OR_PASSWORD = ['/claims', '/approvals', '/session', '/messages', '/recurring-invoices'];
const PICTURE_UPLOADS = ['/settings/logo'];

describe('the reference page at /docs', function () {
  this.timeout(180_000);
  const processes = useProcesses();
  let origin: string;
  let key: string;

  before(async () => {
    const [port, dataDir] = [await getFreePort(), await processes.createFolder()];
    origin = `http://127.0.0.1:${port}`;
    // The tests' PostgreSQL has a migrated database, which saves the product from creating one.
    const env = { DATA_DIR: dataDir, PORT: `${port}`, DATABASE_URL: await createDatabase() };
    await processes.start({ command: ['node', 'dist/bin/start.js'], env }).waitUntilReady(origin);
    const demo = JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8')) as DemoFile;
    key = demo.tenants[0]?.api_key as string;
  });

  it('POST to every collection succeeds with its OpenAPI example, and GET of every list succeeds', async () => {
    const client = new TestClient(origin, key);
    const permissions = ['club_offers'];
    const club = await client.post('/api-keys', { name: 'Interstate Motor Club', permissions });
    const clubClient = new TestClient(origin, club.body.key);
    for (const { path, method, body } of listDocumentedOperations()) {
      if (
        path.includes('{') ||
        FOR_PEOPLE.test(path) ||
        [...NOT_LISTS, ...NEEDS_RECORD_OR_PASSWORD, ...PICTURE_UPLOADS].includes(path)
      )
        continue;
      // Only a club's own key may make an offer.
      const caller = method === 'POST' && path === '/club-offers' ? clubClient : client;
      const response = await caller.call(method, path, method === 'GET' ? {} : { body: body?.example });
      // The operator has registered no application at the example's vendor, so the API refuses the
      // connection.
      const expected = method === 'POST' && path === '/connections' ? [409] : [200, 201, 202];
      expect(response.status, `${method} ${path}: ${response.text}`).to.be.oneOf(expected);
    }
  });

  describe('in a browser', () => {
    let browser: Browser;
    let page: Page;

    // All tests use one document, because Swagger UI takes seconds of CPU time to draw it.
    before(async function () {
      if (BROWSER_SKIP_REASON) {
        process.stdout.write(`    the reference page is not tested in a browser: ${BROWSER_SKIP_REASON}\n`);
        this.skip();
      }
      browser = await startBrowser();
      page = await browser.newPage({ viewport: { width: 1280, height: 1600 } });
      await page.goto(`${origin}/docs`);
      await page.locator('.opblock').first().waitFor({ timeout: 60_000 });
      await page.evaluate(`window.ui.preauthorizeApiKey('bearerAuth', ${JSON.stringify(key)})`);
    });
    after(() => browser?.close());

    /** Executes an operation with its prefilled values, and returns the status of the response. */
    async function execute(operationId: string): Promise<string | null> {
      const operation = page.locator(`.opblock[id$="-${operationId}"]`);
      await operation.locator('.opblock-summary-control').click();
      await operation.locator('.execute').click();
      const status = operation.locator('.live-responses-table tbody .response-col_status').first();
      await status.waitFor({ timeout: 30_000 });
      return (await status.textContent())?.trim().slice(0, 3) ?? null;
    }

    const filterOperations = (phrase: string) => page.fill('.operation-filter-input', phrase);
    const readShownPaths = () => page.locator('.opblock-summary-path').allTextContents();

    it('the reference page begins with an introduction, then the list and create operations of invoices', async () => {
      const introduction = await page.locator('.info').innerText();
      for (const heading of [
        'Keys',
        'Lists and pages',
        'Responses and errors',
        'Idempotency',
        'Dry run',
        'If-Match',
        'Limits',
      ])
        expect(introduction).to.include(heading);
      const [first, second] = await page.locator('.opblock').evaluateAll((all) => all.map(({ id }) => id));
      expect([first, second]).to.deep.equal([
        'operations-Invoices-listInvoices',
        'operations-Invoices-createInvoice',
      ]);
    });

    it('listInvoices and createInvoice succeed as prefilled, without an Idempotency-Key to replay', async () => {
      expect(await execute('listInvoices')).to.equal('200');
      const create = page.locator('.opblock[id$="-createInvoice"]');
      expect(await execute('createInvoice')).to.equal('201');
      expect(await create.locator('input[placeholder="Idempotency-Key"]').inputValue()).to.equal('');
    });

    for (const collection of ['WorkOrder', 'Customer', 'Truck']) {
      it(`list${collection}s and create${collection} succeed as prefilled`, async () => {
        await filterOperations(`${collection}`);
        expect(await execute(`list${collection}s`)).to.equal('200');
        expect(await execute(`create${collection}`)).to.equal('201');
      });
    }

    it('the reference page filters operations by path, summary and group, ignoring case', async () => {
      await filterOperations('/WORK-ORDERS/{id}/start');
      await page.locator('.opblock[id$="-startWorkOrder"]').waitFor();
      expect(await readShownPaths()).to.deep.equal(['/work-orders/{id}/start']);
      await filterOperations('void a RELEASED');
      await page.locator('.opblock[id$="-voidInvoice"]').waitFor();
      expect(await readShownPaths()).to.deep.equal(['/invoices/{id}/void']);
    });
  });
});
