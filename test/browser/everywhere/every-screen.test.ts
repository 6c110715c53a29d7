/**
 * Opens every screen with every kind of record. All texts of the records are hostile.
 *
 * Each place is opened once, on the narrowest phone, and made wider. A drawer is loaded by its URL;
 * the router opens the other places. At the last width, axe runs all rules in the light theme, and
 * the rules about colours in the dark one. ./other-states does the same on the screens of an
 * account without records.
 */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { newId } from '../../../shared/platform/ids.js';
import { findViolationsInBothThemes } from '../../support/browser/axe.js';
import { followPath, type OpenDashboard, useDashboard } from '../../support/browser/dashboard.js';
import { listDrawerFiles } from '../../support/browser/dialog-titles.js';
import { HOSTILE, hasRunHostile } from '../../support/browser/hostile-text.js';
import { createScreenRecords } from '../../support/browser/screen-records.js';
import { doSideBySide } from '../../support/browser/side-by-side.js';
import { waitUntilDrawn, waitUntilLoaded } from '../../support/browser/wait-in-page.js';
import { createUser, type TestUser } from '../../support/records/sign-in.js';
import type { TestTenant } from '../../support/stack.js';
import { useStack } from '../../support/use-stack.js';
import { TEST_VENDORS } from '../../support/vendors/texting.js';

const PHONE = { width: 320, height: 900 };
/** The widths of each page. It is opened at the first, then made wider. */
const WIDTHS = [PHONE.width, 390, 1400];

/** The screens, in the sequence of the navigation. */
const SCREENS = [
  { name: 'Overview', path: '' },
  { name: 'Dispatch', path: 'dispatch' },
  { name: 'Work orders', path: 'work-orders' },
  { name: 'Invoices', path: 'invoices' },
  { name: 'Remittances', path: 'remittances' },
  { name: 'Customers', path: 'customers' },
  { name: 'Approvals', path: 'approvals' },
  { name: 'Suggestions', path: 'suggestions' },
  { name: 'Webhooks', path: 'webhooks' },
  { name: 'Exports', path: 'exports' },
  { name: 'Integrations', path: 'integrations' },
  { name: 'Audit log', path: 'audit-log' },
  { name: 'Settings', path: 'settings' },
] as const;
const SETTINGS_TABS = [
  'account',
  'api-keys',
  'agent-keys',
  'people',
  'texts',
  'security',
  'trucks',
  'drivers',
  'rate-cards',
];
const WEBHOOK_VIEWS = ['deliveries', 'replays', 'verify', 'catalogue'];
/** The drawers of records, by the file that shows each. */
const DRAWERS: Readonly<Record<string, (ids: Record<string, string>) => string>> = {
  'approvals/approval-record.tsx': (ids) => `approvals/${ids.approval}`,
  'audit-log/audit-entry-record.tsx': (ids) => `audit-log/${ids.audit_entry}`,
  'customers/customer-record.tsx': (ids) => `customers/${ids.customer}`,
  'dispatch/dispatch-record.tsx': (ids) => `dispatch/${ids.work_order}`,
  'exports/files/export-record.tsx': (ids) => `exports/${ids.export}`,
  'exports/schedules/schedule-record.tsx': (ids) => `exports/${ids.export_schedule}?view=schedules`,
  'integrations/connection/connection-record.tsx': (ids) => `integrations/${ids.connection}`,
  'invoices/invoice-record.tsx': (ids) => `invoices/${ids.invoice}`,
  'remittances/remittance-record.tsx': (ids) => `remittances/${ids.remittance}`,
  'settings/drivers/drivers-tab.tsx': (ids) => `settings?tab=drivers&driver=${ids.driver}`,
  'settings/rate-cards/rate-card-record.tsx': (ids) => `settings?tab=rate-cards&card=${ids.rate_card}`,
  'settings/trucks/truck-record.tsx': (ids) => `settings?tab=trucks&truck=${ids.truck}`,
  'suggestions/suggestion-record.tsx': (ids) => `suggestions/${ids.suggestion}`,
  'webhooks/deliveries/delivery-drawer.tsx': (ids) => `webhooks?delivery=${ids.webhook_delivery}`,
  'webhooks/endpoints/endpoint-record.tsx': (ids) => `webhooks/${ids.webhook_endpoint}`,
  'webhooks/replays/replay-drawer.tsx': (ids) => `webhooks?replay=${ids.webhook_replay}`,
  'work-orders/work-order-record.tsx': (ids) => `work-orders/${ids.work_order}`,
};
const OTHER_VIEWS = [
  ...SETTINGS_TABS.map((tab) => `settings?tab=${tab}`),
  ...WEBHOOK_VIEWS.map((view) => `webhooks?view=${view}`),
  'exports?view=schedules',
  'invoices?view=claims',
  'approvals?view=all',
  'suggestions?view=all',
  'invoices/new',
  'work-orders/new',
  'invoices?search=nothing-has-this-name',
];

describe('every screen of the dashboard', function () {
  this.timeout(240_000);
  const stack = useStack({ vendors: TEST_VENDORS });
  const dashboard = useDashboard(stack);
  let tenant: TestTenant;
  let user: TestUser;
  let ids: Record<string, string>;

  before(async () => {
    tenant = await stack.createTenant(`Hostile ${HOSTILE}`);
    user = await createUser(stack, tenant.id, { name: `Olive ${HOSTILE}` });
    ids = await createScreenRecords(
      stack,
      { tenantId: tenant.id, client: tenant.client, isLive: true },
      HOSTILE,
    );
  });

  const open = (path: string, options: Parameters<typeof dashboard.open>[1] = {}): Promise<OpenDashboard> =>
    dashboard.open(path, { tenant, user, ...options });
  const drawers = () => Object.values(DRAWERS).map((find) => find(ids));
  /** Counts the views of the screen in a place besides the first one, which needs no query. */
  const countViews = (place: string) => {
    const [screen] = place.split(/[/?]/);
    return OTHER_VIEWS.filter(
      (view) => view.startsWith(`${screen}?view=`) || view.startsWith(`${screen}?tab=`),
    ).length;
  };
  const places = () => [...SCREENS.map(({ path }) => path as string), ...drawers(), ...OTHER_VIEWS];
  /** Opens a place in the same page, and waits until everything is loaded. */
  async function visit(page: Page, place: string): Promise<void> {
    const isDrawer = drawers().includes(place);
    if (isDrawer) await page.goto(`${stack.origin}/app/${place}`);
    else await followPath(page, place);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    if (isDrawer) await page.getByRole('dialog').getByRole('heading').first().waitFor();
    // Wait for a fixed time, because the event stream keeps the network busy.
    await page.waitForTimeout(250);
    await waitUntilLoaded(page);
  }

  it('each screen is in the navigation, and has its own URL and a heading of level 1 with its name', async () => {
    const { page } = await open('');
    const screens = page.getByRole('navigation', { name: 'Screens' });
    // Begin with the second, because the first is open.
    for (const { name, path } of [...SCREENS.slice(1), SCREENS[0]]) {
      await screens.getByRole('link', { name, exact: true }).click();
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
      expect(new URL(page.url()).pathname).to.equal(`/app/${path}`);
    }
  });

  it('the list of drawers below names each file of the dashboard that shows a drawer', () => {
    const files = Object.keys(DRAWERS).map((file) => `screens/${file}`);
    expect(files).to.have.members(listDrawerFiles());
  });

  describe('with every kind of record', () => {
    const violations: string[] = [];
    const wide: string[] = [];
    const run: string[] = [];
    /** The screens with views that are not in the list of places. */
    const missed: string[] = [];
    let shown = 0;
    const shownInTabs = new Set<string>();

    /** Opens each tab of the open record, and looks for hostile texts. */
    async function openTabs(page: Page, place: string): Promise<void> {
      const record = page.getByRole('dialog').last();
      for (const tab of await record.getByRole('tab').all()) {
        await tab.click();
        await page.waitForTimeout(250);
        await waitUntilLoaded(page);
        const name = `${place.split(/[/?]/)[0]}: ${await tab.innerText()}`;
        if (await hasRunHostile(page)) run.push(name);
        if ((await record.getByRole('tabpanel').getByText('onerror=').count()) > 0) shownInTabs.add(name);
      }
    }

    before(async () => {
      const pages = [await open('', { viewport: PHONE }), await open('', { viewport: PHONE })];
      await doSideBySide(pages, places(), async ({ page }, place) => {
        await visit(page, place);
        const views = await page.getByRole('main').getByRole('tab').count();
        if (views > 1 + countViews(place)) missed.push(`/app/${place} has ${views} views`);
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 900 });
          await waitUntilDrawn(page);
          const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
          if (Number(overflow) > 0) wide.push(`/app/${place} at ${width} px is ${overflow} px too wide`);
        }
        violations.push(...(await findViolationsInBothThemes(page)).map((text) => `/app/${place}: ${text}`));
        if (await hasRunHostile(page)) run.push(place);
        shown += await page.getByText('onerror=').count();
        await openTabs(page, place);
        await page.setViewportSize(PHONE);
      });
    });

    it('axe finds no violation on any screen, view, drawer or form', () => {
      expect(missed).to.deep.equal([]);
      expect(violations.join('\n')).to.equal('');
    });

    it(`no page scrolls sideways at ${WIDTHS.join(', ')} px`, () => {
      expect(wide.join('\n')).to.equal('');
    });

    it('texts of customers, agents and vendors are shown as text on every screen, and never run', () => {
      expect(run).to.deep.equal([]);
      expect(shown, 'the hostile texts are shown').to.be.above(10);
      expect([...shownInTabs], 'the tabs with hostile texts').to.include.members([
        'work-orders: Price',
        'work-orders: History',
        'invoices: History',
        'webhooks: Settings',
        'integrations: Calls',
      ]);
    });
  });

  it('the palette shows texts of customers as text', async () => {
    const { page } = await open('');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('textbox', { name: 'Find' }).fill('<img');
    await page.getByRole('dialog').getByText(HOSTILE).first().waitFor();
    expect(await hasRunHostile(page)).to.equal(false);
  });

  it('a page for an unknown address or record says so, and the way back works', async () => {
    const { page } = await open('no-such-screen');
    await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
    await page.getByRole('link', { name: 'Open the overview' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await page.goto(`${stack.origin}/app/customers/${newId()}`);
    await page.getByRole('dialog').getByRole('alert').waitFor();
  });
});
