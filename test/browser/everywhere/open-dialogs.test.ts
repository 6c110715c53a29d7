/**
 * Opens the dialogs and tabs of every record, and lets axe look at each. All rules run in the light
 * theme, and the rules about colours also in the dark one, in the same dialog.
 */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { Vendors } from '../../../shared/integrations/contract/vendor.js';
import { stripe } from '../../../shared/integrations/stripe/adapter.js';
import { findViolationsInBothThemes } from '../../support/browser/axe.js';
import { useDashboard } from '../../support/browser/dashboard.js';
import { doSideBySide } from '../../support/browser/side-by-side.js';
import { waitUntilLoaded } from '../../support/browser/wait-in-page.js';
import { addClub, offerForAnHour } from '../../support/clubs/clubs.js';
import { createCanaryRecords } from '../../support/records/canary-records.js';
import { createUser, type TestUser } from '../../support/records/sign-in.js';
import { storeLastingSuggestion } from '../../support/records/suggestions.js';
import type { TestTenant } from '../../support/stack.js';
import { useStack } from '../../support/use-stack.js';
import { storeConnectionRows } from '../../support/vendors/connection-rows.js';
import { STRIPE_APP } from '../../support/vendors/doubles/stripe/oauth.js';
import { storePaymentRows } from '../../support/vendors/payment-rows.js';
import { TEST_VENDORS, WEBHOOK_SECRET } from '../../support/vendors/texting.js';
import { makeWebhookRecords } from '../../support/webhooks/webhook-rows.js';

const TEXT = 'Riverside Motors 518, of the long road by the river';
/** Nobody listens there: the dialogs only lead to the sign-in pages of the vendors. */
const NOBODY = 'http://127.0.0.1:9';
const PARROT_APP = { client_id: 'tow', client_secret: 'secret', webhook_secret: WEBHOOK_SECRET };
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

type Ids = Record<string, string>;

interface Place {
  path: (ids: Ids) => string;
  tab?: string;
  buttons?: readonly (string | RegExp)[];
}

/**
 * The places, and the names of the buttons there, each of which opens a dialog. A place without
 * buttons is looked at as it is. `tab` is a tab that is not in the URL.
 */
const PLACES: readonly Place[] = [
  { path: (ids) => `customers/${ids.customer}`, buttons: ['Edit'] },
  { path: (ids) => `customers/${ids.customer}`, tab: 'Statement' },
  {
    path: (ids) => `customers/${ids.customer}`,
    tab: 'Payment methods',
    buttons: ['Autopay', 'Set-up link', 'Remove'],
  },
  { path: (ids) => `invoices/${ids.invoice}`, buttons: ['Edit', 'Approve', 'Cancel invoice'] },
  { path: (ids) => `invoices/${ids.invoice}?tab=payments`, buttons: ['Send evidence'] },
  {
    path: (ids) => `invoices/${ids.paid_invoice}?tab=payments`,
    buttons: ['Refund', 'Record payment'],
  },
  { path: (ids) => `invoices/${ids.paid_invoice}?tab=messages` },
  { path: (ids) => `work-orders/${ids.work_order}`, buttons: ['Assign', 'Cancel', 'Edit'] },
  ...['times', 'price', 'invoices', 'claims', 'impound', 'inspections', 'photos', 'texts'].map((tab) => ({
    path: (ids: Ids) => `work-orders/${ids.work_order}?tab=${tab}`,
  })),
  { path: () => 'dispatch', buttons: [/^Accept .*, REF/, /^Refuse .*, REF/] },
  { path: () => 'remittances', buttons: ['Import remittance'] },
  { path: (ids) => `remittances/${ids.remittance}`, buttons: ['Apply', 'Delete', 'Decide on line 1'] },
  { path: (ids) => `approvals/${ids.approval}`, buttons: ['Approve', 'Reject'] },
  { path: (ids) => `suggestions/${ids.suggestion}`, buttons: ['Accept', 'Dismiss'] },
  { path: (ids) => `webhooks/${ids.webhook_endpoint}`, buttons: ['Send test event', 'Roll', 'Recover'] },
  { path: (ids) => `webhooks/${ids.webhook_endpoint}?tab=settings`, buttons: ['Edit', 'Disable', 'Delete'] },
  { path: () => 'webhooks?view=deliveries', buttons: ['Replay many'] },
  { path: () => 'webhooks', buttons: ['Add endpoint'] },
  { path: () => 'exports', buttons: ['New export'] },
  { path: () => 'exports?view=schedules', buttons: ['New schedule'] },
  { path: (ids) => `exports/${ids.export_schedule}?view=schedules`, buttons: ['Edit', 'Delete'] },
  { path: () => 'integrations', buttons: [/^Connect Parrot/, 'Connect Stripe'] },
  { path: (ids) => `integrations/${ids.connection}`, buttons: ['Disconnect'] },
  ...['runs', 'calls'].map((tab) => ({ path: (ids: Ids) => `integrations/${ids.connection}?tab=${tab}` })),
  { path: (ids) => `integrations/${ids.connection}?tab=operations`, buttons: ['Replay'] },
  { path: (ids) => `integrations/${ids.connection}?tab=issues`, buttons: ['Resolve'] },
  { path: (ids) => `integrations/${ids.connection}?tab=settings`, buttons: ['Edit settings'] },
  { path: () => 'settings?tab=api-keys', buttons: ['Create API key', /^Roll/, /^Revoke/] },
  { path: () => 'settings?tab=agent-keys', buttons: ['Create agent key', /^Roll/, /^Revoke/] },
  { path: () => 'settings?tab=people', buttons: ['Add person', 'Invite person', /^Edit/, /^Deactivate/] },
  { path: () => 'settings?tab=people', buttons: [/^Revoke the invitation/] },
  { path: () => 'settings?tab=texts', buttons: [/^Show text/, 'Edit On scene'] },
  { path: () => 'settings?tab=security', buttons: ['Add authenticator app'] },
  { path: () => 'settings?tab=trucks', buttons: ['New truck'] },
  { path: (ids) => `settings?tab=trucks&truck=${ids.truck}`, buttons: ['Edit', /^Resolve defect/] },
  { path: () => 'settings?tab=drivers', buttons: ['New driver'] },
  { path: (ids) => `settings?tab=drivers&driver=${ids.driver}`, buttons: ['Edit'] },
  { path: () => 'settings?tab=rate-cards', buttons: ['New rate card'] },
  { path: (ids) => `settings?tab=rate-cards&card=${ids.rate_card}`, buttons: ['Supersede'] },
];

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
  });

  /** Opens a path of the dashboard in the same page, and waits until everything is loaded. */
  async function visit(page: Page, path: string, tab?: string): Promise<void> {
    await page.goto(`${stack.origin}/app/${path}`);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    if (tab) await page.getByRole('tab', { name: tab, exact: true }).click();
    // The stream stays open, so the page is never without a request.
    await page.waitForTimeout(250);
    await waitUntilLoaded(page);
  }

  const violations: string[] = [];
  /**
   * Lets axe look at the dialog that was opened last, in both themes. Other tests look at the
   * screen behind it.
   */
  const look = async (page: Page, place: string): Promise<void> => {
    const found = await findViolationsInBothThemes(page, 'dialog');
    violations.push(...found.map((text) => `${place}: ${text}`));
  };
  const open = async (): Promise<Page> => (await dashboard.open('', { tenant, user })).page;

  beforeEach(() => {
    violations.length = 0;
  });

  /** Looks at a place, and at each dialog that its buttons open. */
  async function lookAtPlace(page: Page, { path, tab, buttons = [] }: Place): Promise<void> {
    const place = path(ids);
    await visit(page, place, tab);
    if (buttons.length === 0 || tab || place.includes('tab=')) await look(page, `${place} ${tab ?? ''}`);
    const dialogs = page.getByRole('dialog');
    const isOpen = await dialogs.count();
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

  it('axe finds no violation in any dialog or tab', async () => {
    await doSideBySide([await open(), await open()], PLACES, lookAtPlace);
    expect(violations.join('\n')).to.equal('');
  });

  it('axe finds no violation in payouts, a sign-in at a vendor and a card reader', async () => {
    const page = await open();
    await visit(page, `integrations/${ids.payout}?tab=payouts`);
    await page.getByRole('button', { name: 'Show items' }).click();
    await page.getByRole('table', { name: 'Items of the payout' }).waitFor();
    await look(page, 'payouts');
    await visit(page, `invoices/${ids.paid_invoice}`);
    await page.getByRole('button', { name: 'Record payment' }).click();
    await page.getByLabel('Method').selectOption('Card reader');
    await look(page, 'Record payment');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('dialog', { name: 'Card reader' }).waitFor();
    await look(page, 'Card reader');
    await visit(page, 'integrations');
    await page.getByRole('button', { name: 'Connect Stripe' }).first().click();
    const form = page.getByRole('dialog', { name: 'Connect Stripe' });
    await form.getByRole('button', { name: /sign-in/ }).click();
    await page.getByRole('dialog', { name: 'Sign in at Stripe' }).waitFor();
    await look(page, 'Sign in at Stripe');
    expect(violations.join('\n')).to.equal('');
  });
});
