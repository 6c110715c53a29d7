/** Opens every screen with every kind of record, whose texts are all hostile. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { newId } from '../../../shared/platform/ids.js';
import { findAxeViolations } from '../../support/browser/axe.js';
import { type OpenDashboard, useDashboard } from '../../support/browser/dashboard.js';
import { createCanaryRecords } from '../../support/records/canary-records.js';
import { insertNotice } from '../../support/records/notices.js';
import { createUser, type TestUser } from '../../support/records/sign-in.js';
import { storeSuggestion } from '../../support/records/suggestions.js';
import type { TestTenant } from '../../support/stack.js';
import { useStack } from '../../support/use-stack.js';
import { storeConnectionRows } from '../../support/vendors/connection-rows.js';
import { TEST_VENDORS } from '../../support/vendors/texting.js';
import { makeWebhookRecords } from '../../support/webhooks/webhook-rows.js';

/** As HTML, this text would run a script, and would be seen as a picture. */
const HOSTILE = '<img src=x onerror=hacked=1>';

const WIDTHS = [320, 390, 1400];
const THEMES = ['light', 'dark'] as const;

/** The screens, and the kind of record that each opens in its drawer. */
const SCREENS = [
  { name: 'Overview', path: '' },
  { name: 'Dispatch', path: 'dispatch', kind: 'work_order' },
  { name: 'Work orders', path: 'work-orders', kind: 'work_order' },
  { name: 'Invoices', path: 'invoices', kind: 'invoice' },
  { name: 'Customers', path: 'customers', kind: 'customer' },
  { name: 'Approvals', path: 'approvals', kind: 'approval' },
  { name: 'Suggestions', path: 'suggestions', kind: 'suggestion' },
  { name: 'Webhooks', path: 'webhooks', kind: 'webhook_endpoint' },
  { name: 'Exports', path: 'exports', kind: 'export' },
  { name: 'Integrations', path: 'integrations', kind: 'connection' },
  { name: 'Audit log', path: 'audit-log', kind: 'audit_entry' },
  { name: 'Settings', path: 'settings' },
] as const;
const SETTINGS_TABS = ['account', 'api-keys', 'agent-keys', 'people', 'texts', 'security'];
const WEBHOOK_VIEWS = ['deliveries', 'replays', 'verify'];
const OTHER_VIEWS = [
  ...SETTINGS_TABS.map((tab) => `settings?tab=${tab}`),
  ...WEBHOOK_VIEWS.map((view) => `webhooks?view=${view}`),
  'exports?view=schedules',
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
    ids = await createCanaryRecords(tenant.client, { canary: HOSTILE, isLive: true });
    ids.suggestion = await storeSuggestion(stack, tenant.id, {
      entity_id: ids.invoice as string,
      invoice_id: ids.invoice as string,
      title: HOSTILE,
      rationale: HOSTILE,
    });
    await insertNotice(stack, tenant.id, { title: HOSTILE });
    const connection = { tenantId: tenant.id, connectionId: ids.connection as string, text: HOSTILE };
    Object.assign(ids, await storeConnectionRows(stack, connection));
    const { body } = await tenant.client.get('/events?limit=1');
    const eventId = body.data.items[0].id as string;
    Object.assign(
      ids,
      await makeWebhookRecords({ stack, tenantId: tenant.id }, { eventId, canary: HOSTILE }),
    );
    ids.audit_entry = (await tenant.client.get('/audit-log?limit=1')).body.data.items[0].id;
  });

  const open = (path: string, options: Parameters<typeof dashboard.open>[1] = {}): Promise<OpenDashboard> =>
    dashboard.open(path, { tenant, user, ...options });
  const places = () => [
    ...SCREENS.map(({ path }) => path as string),
    ...SCREENS.flatMap((screen) => ('kind' in screen ? [`${screen.path}/${ids[screen.kind]}`] : [])),
    ...OTHER_VIEWS,
  ];
  /** Opens a path of the dashboard in the same page, and waits until everything is loaded. */
  async function visit(page: Page, path: string): Promise<void> {
    await page.goto(`${stack.origin}/app/${path}`);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    // The stream stays open, so the page is never without a request.
    await page.waitForTimeout(250);
    await page.waitForFunction('!document.querySelector(".mantine-Skeleton-root")');
  }

  for (const { name, path } of SCREENS) {
    it(`${name} stands in the navigation, and has its own URL and a heading of level 1 with its name`, async () => {
      const { page } = await open('customers');
      await page
        .getByRole('navigation', { name: 'Screens' })
        .getByRole('link', { name, exact: true })
        .click();
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
      expect(new URL(page.url()).pathname).to.equal(`/app/${path}`);
    });
  }

  for (const theme of THEMES) {
    it(`axe finds no violation on any screen, drawer or form in the ${theme} theme`, async () => {
      const { page } = await open('', { colorScheme: theme });
      const violations: string[] = [];
      for (const place of places()) {
        await visit(page, place);
        violations.push(...(await findAxeViolations(page)).map((text) => `/app/${place}: ${text}`));
      }
      expect(violations).to.deep.equal([]);
    });
  }

  it(`no page scrolls sideways at ${WIDTHS.join(', ')} px`, async () => {
    const { page } = await open('');
    const wide: string[] = [];
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      for (const place of places()) {
        await visit(page, place);
        const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
        if (Number(overflow) > 0) wide.push(`/app/${place} at ${width} px is ${overflow} px too wide`);
      }
    }
    expect(wide).to.deep.equal([]);
  });

  it('texts of customers, agents and vendors are shown as text on every screen, and never run', async () => {
    const { page } = await open('');
    let shown = 0;
    for (const place of places()) {
      await visit(page, place);
      expect(await page.evaluate('window.hacked'), place).to.equal(undefined);
      expect(await page.locator('img[src="x"]').count(), place).to.equal(0);
      shown += await page.getByText('onerror=').count();
    }
    expect(shown, 'the hostile texts are shown').to.be.above(10);
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
