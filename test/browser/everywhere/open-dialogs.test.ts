/**
 * Opens the dialogs and tabs of every record, and lets axe look at each. All rules run in the light
 * theme, and the rules about colours also in the dark one, in the same dialog.
 */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { Vendors } from '../../../shared/integrations/contract/vendor.js';
import { stripe } from '../../../shared/integrations/stripe/adapter.js';
import { findViolationsInBothThemes } from '../../support/browser/axe.js';
import { followPath, useDashboard } from '../../support/browser/dashboard.js';
import {
  type Ids,
  LOOKED_AT_ELSEWHERE,
  PLACES,
  type Place,
  STEPS,
  TITLES_WITHOUT_WORDS,
} from '../../support/browser/dialog-places.js';
import { type DialogTitle, listDialogTitles } from '../../support/browser/dialog-titles.js';
import { HOSTILE, hasRunHostile } from '../../support/browser/hostile-text.js';
import { doSideBySide } from '../../support/browser/side-by-side.js';
import { waitUntilLoaded } from '../../support/browser/wait-in-page.js';
import { addClub, offerForAnHour } from '../../support/clubs/clubs.js';
import { createCanaryRecords } from '../../support/records/canary-records.js';
import { createClaimAfter, createInvoiceAfter } from '../../support/records/lifecycle-records.js';
import { createRedPng } from '../../support/records/pictures.js';
import { createUser, openSession, type TestUser } from '../../support/records/sign-in.js';
import { storeLastingSuggestion } from '../../support/records/suggestions.js';
import type { TestTenant } from '../../support/stack.js';
import { readSource } from '../../support/text/source-text.js';
import { useStack } from '../../support/use-stack.js';
import { createConnectionFor, storeConnectionRows } from '../../support/vendors/connection-rows.js';
import { STRIPE_APP } from '../../support/vendors/doubles/stripe/oauth.js';
import { storePaymentRows } from '../../support/vendors/payment-rows.js';
import { TEST_VENDORS, WEBHOOK_SECRET } from '../../support/vendors/texting.js';
import { makeWebhookRecords } from '../../support/webhooks/webhook-rows.js';

const TEXT = `${HOSTILE}, of the long road by the river`;
/** Nobody listens there: the dialogs only lead to the sign-in pages of the vendors. */
const NOBODY = 'http://127.0.0.1:9';
const PARROT_APP = { client_id: 'tow', client_secret: 'secret', webhook_secret: WEBHOOK_SECRET };
/** A path that opens the drawer of a record. */
const NAMES_RECORD = /[/=][0-9a-f-]{36}\b/;
const STACK = {
  vendors: new Vendors([...TEST_VENDORS.all, stripe]),
  environment: {
    INTEGRATIONS: JSON.stringify({
      parrot: { ...PARROT_APP, base_url: NOBODY },
      parrot_keys: { ...PARROT_APP, base_url: NOBODY },
      stripe: { ...STRIPE_APP, webhook_secret: 'whsec_application', base_url: NOBODY },
    }),
  },
};

describe('every dialog of the dashboard', function () {
  this.timeout(400_000);
  const stack = useStack(STACK);
  const dashboard = useDashboard(stack);
  let tenant: TestTenant;
  let user: TestUser;
  let ids: Ids;

  before(async () => {
    tenant = await stack.createTenant('Hudson Towing');
    user = await createUser(stack, tenant.id);
    ids = await createCanaryRecords(tenant.client, { canary: TEXT, isLive: true });
    const { invoice = '', payment = '', connection: connectionId = '' } = ids;
    await offerForAnHour(await addClub(stack, tenant.client), TEXT);
    ids.suggestion = await storeLastingSuggestion(stack, tenant.id, {
      entity_id: invoice,
      invoice_id: invoice,
    });
    Object.assign(
      ids,
      await storeConnectionRows(stack, { tenantId: tenant.id, connectionId, text: TEXT }),
      await storePaymentRows(stack, tenant.id, { invoice, payment, text: TEXT }),
    );
    const compared = `update sync_issues set kind = 'difference', ours = '{"amount_cents":8000}',
      theirs = '{"amount_cents":7000}' where tenant_id = $1`;
    await stack.rows(tenant.id, compared, [tenant.id]);
    const { body } = await tenant.client.get('/events?limit=1');
    const rows = { eventId: body.data.items[0].id, canary: TEXT };
    Object.assign(ids, await makeWebhookRecords({ stack, tenantId: tenant.id }, rows));
    const logo = { raw: createRedPng(), headers: { 'content-type': 'image/png' } };
    expect((await tenant.client.call('PUT', '/settings/logo', logo)).status).to.equal(200);
    await openSession(stack, user);
    await moveWorkOrders();
    ids.approved_invoice = await createInvoiceAfter(tenant.client, ['approve']);
    await claimInvoices();
    await resolveDefect();
    await failMessage();
    await listFleet();
  });

  /** Creates a work order with a truck, and one that has started. */
  async function moveWorkOrders(): Promise<void> {
    for (const name of ['dispatched', 'started']) {
      const { id } = (await tenant.client.post('/work-orders', { service_type: 'tow' })).body;
      const truck = { unit_number: name, duty_class: 'light', status: 'available' };
      const { id: truck_id } = (await tenant.client.post('/trucks', truck)).body;
      const assigned = await tenant.client.post(`/work-orders/${id}/assign`, { truck_id });
      expect(assigned.status, assigned.text).to.equal(200);
      if (name === 'started') await tenant.client.post(`/work-orders/${id}/start`, {});
      ids[name] = id;
    }
  }

  /** Creates an invoice that a club has not decided on, and one that it has paid in part. */
  async function claimInvoices(): Promise<void> {
    const evidence = [{ kind: 'photo', url: 'https://files.example.com/photo.jpg', note: TEXT }];
    const claimed = await createClaimAfter(tenant.client, ['submit'], { club: TEXT, evidence });
    const paid = await createClaimAfter(tenant.client, ['submit', 'outcome:paid']);
    Object.assign(ids, { claimed_invoice: claimed.invoice_id, short_paid_invoice: paid.invoice_id });
  }

  /** Files an inspection of the truck whose defect was resolved on the spot. */
  async function resolveDefect(): Promise<void> {
    const defects = [{ component: TEXT, severity: 'major', resolved_at: '2026-01-01T00:00:00Z' }];
    const report = { kind: 'pre_trip', truck_id: ids.truck, defects };
    const filed = await tenant.client.post('/inspections', report);
    expect(filed.status, filed.text).to.equal(201);
  }

  /** Makes the mail of an invoice one that has failed. */
  async function failMessage(): Promise<void> {
    ids.sent_invoice = (await tenant.client.get(`/messages/${ids.message}`)).body.invoice_id;
    const failed = "update messages set state = 'failed' where tenant_id = $1 and id = $2";
    await stack.rows(tenant.id, failed, [tenant.id, ids.message]);
  }

  /** Stores a telematics connection with vehicles and drivers, some of them linked. */
  async function listFleet(): Promise<void> {
    const owner = { tenantId: tenant.id, client: tenant.client };
    const connectionId = await createConnectionFor('', stack, owner);
    ids.telematics = connectionId;
    await storeConnectionRows(stack, { tenantId: tenant.id, connectionId, text: TEXT });
    const kind = "update connections set kind = 'telematics' where tenant_id = $1 and id = $2";
    await stack.rows(tenant.id, kind, [tenant.id, connectionId]);
    const link = `insert into external_ids (tenant_id, connection_id, kind, local_id, external_id)
      values ($1, $2, $3, $4, $2::uuid::text)`;
    for (const kind of ['truck', 'driver'])
      await stack.rows(tenant.id, link, [tenant.id, connectionId, kind, ids[kind]]);
  }

  /** Loads a path of the dashboard in the same page, and waits until everything is loaded. */
  async function visit(page: Page, path: string): Promise<void> {
    await page.goto(`${stack.origin}/app/${path}`);
    await waitUntilShown(page);
  }

  async function waitUntilShown(page: Page): Promise<void> {
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    // The stream stays open, so the page is never without a request.
    await page.waitForTimeout(250);
    await waitUntilLoaded(page);
  }

  const violations: string[] = [];
  /** The title of each dialog that axe has looked at, and its place. */
  const seen: { place: string; title: string }[] = [];
  /** The places where a hostile text has run, and those whose dialog shows one as text. */
  const run: string[] = [];
  const shownIn: string[] = [];
  /**
   * Lets axe look at the dialog that was opened last, in both themes. Other tests look at the
   * screen behind it.
   */
  const look = async (page: Page, place: string): Promise<void> => {
    const title = await page.getByRole('dialog').last().getByRole('heading').first().textContent();
    seen.push({ place, title: title ?? '' });
    const found = await findViolationsInBothThemes(page, 'dialog');
    violations.push(...found.map((text) => `${place}: ${text}`));
    if (await hasRunHostile(page)) run.push(place);
    const texts = page.getByRole('dialog').last().getByText('onerror=');
    if ((await texts.count()) > 0) shownIn.push(place);
  };
  const open = async (): Promise<Page> => (await dashboard.open('', { tenant, user })).page;

  beforeEach(() => {
    violations.length = 0;
  });

  /** Looks at a place, and at each dialog that its buttons open. */
  async function lookAtPlace(page: Page, { path, tab, buttons = [] }: Place): Promise<void> {
    const place = path(ids);
    await followPath(page, place);
    const dialogs = page.getByRole('dialog');
    if (NAMES_RECORD.test(place)) await dialogs.first().waitFor();
    if (tab) await page.getByRole('tab', { name: tab, exact: true }).click();
    await waitUntilShown(page);
    const isOpen = await dialogs.count();
    if (buttons.length === 0 || isOpen > 0) await look(page, `${place} ${tab ?? ''}`);
    for (const name of buttons) {
      const button = page.getByRole('button', { name, exact: true }).first();
      // List every fault of the table above at once.
      const isThere = await button.waitFor({ timeout: 5_000 }).then(
        () => true,
        () => false,
      );
      if (!isThere) {
        violations.push(`${place} has no button ${name}`);
        continue;
      }
      await button.click();
      await dialogs.nth(isOpen).waitFor();
      await look(page, `${place} ${name}`);
      await page.keyboard.press('Escape');
      await dialogs.nth(isOpen).waitFor({ state: 'detached' });
    }
  }

  it('axe finds no violation in any dialog or tab, and no hostile text runs there', async () => {
    await doSideBySide([await open(), await open()], PLACES, lookAtPlace);
    expect(violations.join('\n')).to.equal('');
    expect(run).to.deep.equal([]);
    expect(shownIn.length, `the dialogs that show a hostile text: ${shownIn}`).to.be.above(10);
  });

  it('axe finds no violation in payouts, a sign-in at a vendor and a card reader', async () => {
    const page = await open();
    await visit(page, `integrations/${ids.payout}?tab=payouts`);
    await page.getByRole('button', { name: 'Show items' }).click();
    await page.getByRole('table', { name: 'Items of the payout' }).waitFor();
    await look(page, 'integrations payouts');
    await visit(page, `invoices/${ids.paid_invoice}`);
    await page.getByRole('button', { name: 'Record payment' }).click();
    await page.getByLabel('Method').selectOption('Card reader');
    await look(page, 'invoices');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('dialog', { name: 'Card reader' }).waitFor();
    await look(page, 'invoices');
    await visit(page, 'integrations');
    await page.getByRole('button', { name: 'Connect Stripe' }).first().click();
    const form = page.getByRole('dialog', { name: 'Connect Stripe' });
    await form.getByRole('button', { name: /sign-in/ }).click();
    await page.getByRole('dialog', { name: 'Sign in at Stripe' }).waitFor();
    await look(page, 'integrations');
    expect(violations.join('\n')).to.equal('');
  });

  it('axe finds no violation in dialogs that show a secret, ask whether to discard, or list the keys', async () => {
    await doSideBySide([await open(), await open()], STEPS, async (page, { path, act }) => {
      await visit(page, path);
      await act(page, () => look(page, path));
    });
    expect(violations.join('\n')).to.equal('');
  });

  it('axe has looked at every dialog in the sources of the dashboard, here or in the test that the list names', () => {
    const titles = listDialogTitles();
    expect(titles.length).to.be.above(80);
    const isSeen = ({ file, pattern }: DialogTitle): boolean => {
      const [folder, screen = ''] = file.split('/');
      return seen.some(({ place, title }) => {
        if (!pattern) return TITLES_WITHOUT_WORDS[file]?.test(`${place}: ${title}`);
        return pattern.test(title) && (folder !== 'screens' || place.startsWith(screen));
      });
    };
    const isSeenElsewhere = ({ source }: DialogTitle): boolean => {
      const title = source.slice(1, -1);
      const test = LOOKED_AT_ELSEWHERE[title];
      return test !== undefined && readSource(test).includes(`findViolationsInDialog(page, '${title}')`);
    };
    const missed = titles.filter((title) => !isSeen(title) && !isSeenElsewhere(title));
    expect(missed.map(({ file, source }) => `${file}: ${source}`)).to.deep.equal([]);
  });
});
