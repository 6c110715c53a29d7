/**
 * Starts the built product and the doubles of books, a billing partner and trucks with the
 * documented commands, and walks by mouse from each connection to what it is good for.
 */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { useProductWalk } from '../../support/browser/walks/product-walk.js';
import { formatDollars, type VendorPerson } from '../../support/browser/walks/vendor-person.js';
import { eventually, RELOAD_PAUSE_MS } from '../../support/poll.js';
import { IS_SCALED } from '../../support/stores.js';

const WAIT_MS = 60_000;

interface Books {
  vendor: string;
  name: string;
  /** The button of the vendor's sign-in page. */
  company: RegExp;
  /** What the hint of the double says about its webhooks. */
  secret: { label: string; value: string };
  accounts: { income: RegExp; deposit: RegExp; taxes: [RegExp, RegExp] };
  /** The books that were connected before these. They get the invoices while they are connected. */
  older?: string;
}

const BOOKS: readonly Books[] = [
  {
    vendor: 'quickbooks',
    name: 'QuickBooks Online',
    company: /^Connect Hudson Towing \(/,
    secret: { label: 'Verifier token', value: 'books-webhooks' },
    accounts: { income: /income/i, deposit: /checking|undeposited/i, taxes: [/^TAX$/, /^NON$/] },
  },
  {
    vendor: 'xero',
    name: 'Xero',
    company: /^Connect Hudson Towing$/,
    secret: { label: 'Webhook key', value: 'xero-webhooks' },
    accounts: { income: /Towing income/, deposit: /Checking/, taxes: [/Sales tax/, /Tax Exempt/] },
    older: 'QuickBooks Online of Hudson',
  },
];

const FLEETS = [
  { vendor: 'samsara', name: 'Samsara', key: ['Api token', 'samsara_api_demo'], unit: 'S-1' },
  { vendor: 'motive', name: 'Motive', key: ['Api key', 'motive-demo'], unit: 'M-1' },
] as const;

/** Loads a page of a double again until the row is there. */
async function waitForRow(page: Page, name: RegExp) {
  const row = page.getByRole('row', { name });
  await eventually(
    `the double shows ${name}`,
    async () => {
      await page.reload();
      return (await row.count()) > 0;
    },
    WAIT_MS,
    RELOAD_PAUSE_MS,
  );
  return row.first();
}

if (!IS_SCALED) {
  describe('npm start beside the doubles of books, a billing partner and trucks', function () {
    this.timeout(300_000);
    const walk = useProductWalk(['quickbooks', 'xero', 'roadsync', 'samsara', 'motive']);
    let person: VendorPerson;
    let hasCustomer = false;

    beforeEach(async () => {
      person = await walk.openDashboard();
      if (!hasCustomer) await person.createCustomer();
      hasCustomer = true;
    });

    it('a released invoice is in the books of QuickBooks, then of Xero, is paid there, and becomes paid on the open screen', async () => {
      for (const { vendor, name, company, secret, accounts, older } of BOOKS) {
        const connection = await person.connectBySignIn(name, async (tab) => {
          await tab.getByRole('button', { name: company }).click();
          await tab.waitForURL('**/integrations/callback**');
        });
        if (older !== undefined) {
          await connection.getByText(`Invoices are entered in ${older},`).waitFor();
          await person.close(connection);
          await person.disconnect(older);
          await person.openConnection(`${name} of Hudson`);
        }
        await connection.getByText('Choose the income accounts under Books.').waitFor();
        await person.chooseAccounts(connection, accounts);
        const [webhook = ''] = await person.readAddresses(connection, ['Address for webhooks']);
        await person.close(connection);
        const books = await walk.openControlPage(vendor);
        await books.getByLabel('Webhook URL').fill(webhook);
        await books.getByLabel(secret.label).fill(secret.value);
        await books.getByRole('button', { name: 'Save webhook' }).click();

        const { number, totalCents, drawer } = await person.sendNewInvoice();
        await person.markDocument();
        const row = await waitForRow(books, new RegExp(number));
        expect(await row.innerText()).to.contain((totalCents / 100).toFixed(2));
        await row.getByRole('button', { name: 'Pay' }).click();
        await drawer.getByText('Paid', { exact: true }).first().waitFor({ timeout: WAIT_MS });
        expect(await person.isSameDocument(), 'the dashboard was not loaded again').to.equal(true);
        await person.close(drawer);
      }
    });

    it('a claim that RoadSync denies comes back corrected, and is paid', async () => {
      const connection = await person.connect('RoadSync', {
        'Api key': 'roadsync-demo-key',
        'Company id': 'demo-company',
        'Location id': 'demo-company-1',
        'Denial rules': '[{"contains": "PO missing", "code": "missing_po"}]',
      });
      await person.close(connection);
      await person.billThrough('RoadSync of Hudson');
      const { job, number, totalCents, drawer } = await person.sendNewInvoice();
      await drawer.getByText('Sent to roadsync').first().waitFor({ timeout: WAIT_MS });
      await person.close(drawer);
      const order = await person.openWorkOrder(job);
      await order.getByRole('button', { name: 'Edit' }).click();
      const form = person.dialog(`Edit ${job}`);
      await person.type(form.getByLabel('Internal notes'), 'PO# 88213-A');
      await form.getByRole('button', { name: 'Save' }).click();
      await form.waitFor({ state: 'detached' });
      await person.close(order);

      const roadsync = await walk.openControlPage('roadsync');
      const total = formatDollars(totalCents).replace(',', '');
      const open = roadsync.getByRole('row', { name: new RegExp(`\\${total} (processing|sent|new)`) });
      await open.getByLabel('Reason').fill('PO missing');
      await open.getByRole('button', { name: 'Deny' }).click();
      await roadsync.getByRole('row', { name: /PO missing/ }).waitFor();
      await person.syncNow('RoadSync of Hudson');
      await waitForRow(roadsync, new RegExp(`\\${total} void`));
      const seeClaim = async (row: RegExp) => {
        await person.openWorkOrder(job);
        await order.getByRole('tab', { name: 'Claims' }).click();
        await order.getByRole('row', { name: row }).waitFor({ timeout: WAIT_MS });
        await person.close(order);
      };
      await seeClaim(/Submitted.* 88213-A /);

      // The second answer comes before the claim is due again, so only Sync now reads it.
      await roadsync.reload();
      await open.getByRole('button', { name: 'Accept' }).click();
      await person.syncNow('RoadSync of Hudson');
      await seeClaim(/Accepted.* 88213-A /);
      const accepted = roadsync.getByRole('row', { name: new RegExp(`\\${total} accepted`) });
      await accepted.getByRole('button', { name: 'Pay', exact: true }).click();
      await person.syncNow('RoadSync of Hudson');
      const paid = await person.openInvoice(number);
      await paid.getByText('Paid', { exact: true }).first().waitFor({ timeout: WAIT_MS });
    });

    for (const { vendor, name, key, unit } of FLEETS)
      it(`a truck that is linked to a vehicle of ${name} drives over the board`, async () => {
        const connection = await person.connect(name, { [key[0]]: key[1], 'Poll seconds': '5' });
        // The tab may be open before the worker has read the vendor's list.
        const notListedYet = JSON.stringify({ ok: true, data: { items: [], cursor: null } });
        await person.page.route(
          /\/vehicles\?/,
          (route) => route.fulfill({ contentType: 'application/json', body: notListedYet }),
          { times: 1 },
        );
        await connection.getByRole('tab', { name: 'Vehicles' }).click();
        await connection.getByText('The vendor has listed no vehicles yet.').waitFor();
        await connection.getByRole('button', { name: 'Link T-1' }).click();
        const form = person.dialog('Link T-1');
        await person.choose(form.getByRole('combobox', { name: 'Truck' }), 'Create a new truck');
        await form.getByLabel('Unit number').fill(unit);
        await form.getByRole('button', { name: 'Link' }).click();
        await connection.getByRole('cell', { name: `Truck ${unit}` }).waitFor();
        await person.close(connection);

        await person.openScreen('Dispatch');
        await person.markDocument();
        await person.page.getByText('Positions as a table').click();
        const onBoard = person.page.getByRole('row', { name: new RegExp(`^Truck ${unit} `) });
        await onBoard.waitFor({ timeout: WAIT_MS });
        const fleet = await walk.openControlPage(vendor);
        const [seen, shown] = [new Set<string>(), new Set<string>()];
        await eventually(
          'the truck has been at three places of the vehicle',
          async () => {
            await fleet.reload();
            const vehicle = await fleet.getByRole('row', { name: /^T-1 / }).innerText();
            seen.add(/[\d.]+, -[\d.]+/.exec(vehicle)?.[0] ?? '');
            const [, lat, lng] = /(\d+\.\d{4})\s+(-\d+\.\d{4})/.exec(await onBoard.innerText()) ?? [];
            shown.add(`${lat}, ${lng}`);
            return [...shown].filter((place) => seen.has(place)).length >= 3;
          },
          WAIT_MS,
          RELOAD_PAUSE_MS,
        );
        expect(await person.isSameDocument(), 'the dashboard was not loaded again').to.equal(true);
      });
  });
}
