/** Walks every screen in the account and in its sandbox. Both have every kind of record. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { useDashboard } from '../../support/browser/dashboard.js';
import { createScreenRecords } from '../../support/browser/screen-records.js';
import { waitUntilLoaded } from '../../support/browser/wait-in-page.js';
import { useStack, useTenant } from '../../support/use-stack.js';
import { TEST_VENDORS } from '../../support/vendors/texting.js';

type Environment = 'Live' | 'Sandbox';

/** The texts of the records in each environment. Their digits make them valid phone numbers. */
const NAMES: Record<Environment, string> = { Live: 'Riverside 518 Motors', Sandbox: 'Meadow 722 Garage' };
/** The screens and tabs that show names of records. */
const SHOWING = ['Work orders', 'Invoices', 'Remittances', 'Customers', 'Suggestions', 'Integrations'];
/** The screens whose first view has links to records. */
const LINKING = [...SHOWING, 'Dispatch', 'Approvals', 'Webhooks', 'Exports', 'Audit log'];
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const LINKS = `[...document.querySelectorAll('main a[href]')].map((link) => link.getAttribute('href')).join()`;

describe('the account and its sandbox in the dashboard', function () {
  this.timeout(240_000);
  const stack = useStack({ vendors: TEST_VENDORS });
  const dashboard = useDashboard(stack);
  const tenant = useTenant(stack, 'Hudson Towing');
  before(async () => {
    const { id, sandboxId, client, sandbox } = tenant;
    await createScreenRecords(stack, { tenantId: id, client, isLive: true }, NAMES.Live);
    await createScreenRecords(stack, { tenantId: sandboxId, client: sandbox, isLive: false }, NAMES.Sandbox);
  });

  /** The ids of the records that the pages link to, by environment. */
  const ids: Record<Environment, Set<string>> = { Live: new Set(), Sandbox: new Set() };
  const mixed: string[] = [];
  /** The places that show a name of their own environment, and those that link to records. */
  const showing: string[] = [];
  const linking: string[] = [];

  async function look(page: Page, environment: Environment, place: string): Promise<void> {
    await page.waitForTimeout(250);
    await waitUntilLoaded(page);
    const text = await page.locator('body').innerText();
    const name = `${environment}, ${place}`;
    if (text.includes(NAMES[environment])) showing.push(name);
    if (text.includes(NAMES[environment === 'Live' ? 'Sandbox' : 'Live'])) mixed.push(name);
    const found = (await page.evaluate<string>(LINKS)).match(UUID) ?? [];
    if (found.length > 0) linking.push(name);
    for (const id of found) ids[environment].add(id);
  }

  /** Looks at a screen and each of its tabs. */
  async function lookAtScreen(page: Page, environment: Environment, name: string): Promise<void> {
    await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
    await page.getByRole('radio', { name: environment, checked: true }).waitFor({ state: 'attached' });
    await look(page, environment, name);
    for (const tab of (await page.getByRole('main').getByRole('tab').all()).slice(1)) {
      await tab.click();
      await look(page, environment, `${name}: ${await tab.innerText()}`);
    }
  }

  async function switchTo(page: Page, environment: Environment): Promise<void> {
    const choice = page.getByRole('radiogroup', { name: 'Environment' });
    await choice.getByText(environment, { exact: true }).click();
  }

  it('no screen or tab shows a record of the other environment, also after a switch', async () => {
    const { page } = await dashboard.open('', { tenant });
    const screens = page.getByRole('navigation', { name: 'Screens' }).locator('a[href^="/app/"]');
    await screens.first().waitFor();
    const names = await screens.allInnerTexts();
    expect(names).to.include.members(LINKING);
    for (const name of names) {
      await page
        .getByRole('navigation', { name: 'Screens' })
        .getByRole('link', { name, exact: true })
        .click();
      await lookAtScreen(page, 'Live', name);
      await switchTo(page, 'Sandbox');
      await lookAtScreen(page, 'Sandbox', name);
      await switchTo(page, 'Live');
      await page.getByRole('radio', { name: 'Live', checked: true }).waitFor({ state: 'attached' });
    }
    expect(mixed, 'the places that show names of the other environment').to.deep.equal([]);
    const inBothOf = (places: string[]) => places.flatMap((one) => [`Live, ${one}`, `Sandbox, ${one}`]);
    expect(showing).to.include.members(inBothOf(SHOWING));
    expect(linking).to.include.members(inBothOf(LINKING));
    const inBoth = [...ids.Live].filter((id) => ids.Sandbox.has(id));
    expect(inBoth, 'the records with links in both environments').to.deep.equal([]);
  });

  it('the palette finds records of its own environment only', async () => {
    for (const environment of ['Live', 'Sandbox'] as const) {
      const path = environment === 'Live' ? '' : '?env=sandbox';
      const { page } = await dashboard.open(path, { tenant });
      await page.getByRole('radio', { name: environment, checked: true }).waitFor({ state: 'attached' });
      await page.keyboard.press('Control+k');
      const field = page.getByRole('textbox', { name: 'Find' });
      await field.fill(NAMES[environment]);
      await page.getByRole('dialog').getByText('Customer', { exact: true }).first().waitFor();
      await field.fill(NAMES[environment === 'Live' ? 'Sandbox' : 'Live']);
      await page.getByText('Nothing found. Try a number, a name or an id.').waitFor();
    }
  });
});
