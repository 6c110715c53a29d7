/** Follows one tow as the dispatcher, the driver, the motorist and the payer see it. */
import { expect } from 'chai';
import type { BrowserContext, Page } from 'playwright-core';
import { useBrowser, useDashboard } from '../../support/browser/dashboard.js';
import { PageWatch } from '../../support/browser/page-watch.js';
import {
  CompanyPerson,
  serveLinks,
  setUpFleetAndPrices,
} from '../../support/browser/walks/company-person.js';
import type { TestClient } from '../../support/client.js';
import { PAGE_TIMEOUT_MS } from '../../support/network/browser.js';
import { eventually } from '../../support/poll.js';

const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };
/** The driver's buttons, each with the text that the motorist's page then shows. */
const STEPS: readonly (readonly [button: string, motoristSees: string | null])[] = [
  ['Accept', null],
  ['I am on my way', 'The truck is on the way to you.'],
  ['I am at the vehicle', 'The truck is at your vehicle.'],
  ['The vehicle is loaded', null],
  ['I am towing', 'Your vehicle is being towed.'],
  ['I am at the drop-off', null],
];

describe('one tow, from the call to the payment', function () {
  this.timeout(120_000);
  const dashboard = useDashboard();
  const browser = useBrowser();
  const phones: BrowserContext[] = [];
  const watch = new PageWatch();
  afterEach(async () => {
    await Promise.all(phones.splice(0).map((phone) => phone.close()));
    watch.expectNoFaults();
  });

  async function openPhone(path: string): Promise<Page> {
    const phone = await browser.newContext(PHONE);
    phone.setDefaultTimeout(PAGE_TIMEOUT_MS);
    phones.push(phone);
    watch.watchContext(phone, { origins: [dashboard.stack.origin] });
    const page = await phone.newPage();
    await page.clock.install();
    await page.goto(dashboard.stack.origin + path);
    return page;
  }

  async function readLinks(
    client: TestClient,
    number: string,
  ): Promise<{ driver: string; motorist: string }> {
    const found = await client.get(`/work-orders?search=${number}`);
    const { body } = await client.get(`/work-orders/${found.body.data.items[0].id}`);
    return { driver: new URL(body.driver_url).pathname, motorist: new URL(body.tracking_url).pathname };
  }

  it('the board, the tracking page and the invoice follow what the driver does on the phone', async () => {
    const { page, context, tenant } = await dashboard.open('');
    await serveLinks(context, dashboard.stack.origin);
    const person = new CompanyPerson(page);
    await setUpFleetAndPrices(tenant.client);
    await person.createCustomer();
    const number = await person.createWorkOrder();
    await person.assign(number);

    const links = await readLinks(tenant.client, number);
    const motorist = await openPhone(links.motorist);
    const seeAsMotorist = async (text: string) => {
      // The page requests the state every 15 s, and the server keeps its answer for 3 s.
      await eventually(`the motorist to see: ${text}`, async () => {
        await motorist.clock.runFor(16_000);
        return (await motorist.getByRole('status').innerText()).includes(text);
      });
    };
    await seeAsMotorist('A truck is assigned to you.');
    const driver = await openPhone(links.driver);
    for (const [button, motoristSees] of STEPS) {
      await driver.getByRole('button', { name: button, exact: true }).tap();
      if (motoristSees) await seeAsMotorist(motoristSees);
    }
    await person.card('In progress', number).waitFor();
    await driver.getByRole('button', { name: 'Complete', exact: true }).tap();
    await driver.getByLabel('Loaded miles (optional)').fill('12.5');
    await driver.getByRole('button', { name: 'Yes, complete the job' }).tap();
    await driver.getByRole('heading', { name: 'This job has ended' }).waitFor();
    await person.card('Completed today', number).getByRole('link', { name: number }).waitFor();

    const invoiceNumber = await person.createInvoice(number);
    expect(await person.approveAndSend(invoiceNumber)).to.be.above(0);
    await (await person.openCustomersPage(context, invoiceNumber)).close();
    await person.recordPayment(invoiceNumber);
    const { body } = await tenant.client.get(`/invoices?search=${invoiceNumber}`);
    expect(body.data.items[0]).to.include({ status: 'paid', balance_due_cents: 0 });
  });
});
