import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { useDashboard } from '../../support/browser/dashboard.js';

const MAX_SECONDS = 0.01;

/** Records each transition and animation that begins, with its duration in seconds. */
const RECORD_MOTION = `
  window.motions = [];
  const record = (property) => ({ type, target, pseudoElement }) => {
    const durations = getComputedStyle(target, pseudoElement || null)[property].split(',');
    const seconds = Math.max(...durations.map((text) => parseFloat(text) / (text.trim().endsWith('ms') ? 1000 : 1)));
    window.motions.push({ type, seconds, target: target.cloneNode().outerHTML?.slice(0, 200) });
  };
  addEventListener('transitionrun', record('transitionDuration'), true);
  addEventListener('animationstart', record('animationDuration'), true);
`;

interface Motion {
  type: string;
  seconds: number;
  target: string;
}

describe('the dashboard for people who asked for less motion', function () {
  this.timeout(120_000);
  const dashboard = useDashboard();

  /** Opens a drawer, a toast, and a dialog on each screen. Returns the recorded motions. */
  async function listMotions(page: Page): Promise<Motion[]> {
    await page.addInitScript(RECORD_MOTION);
    await page.goto(`${dashboard.stack.origin}/app/customers`);
    await page.getByRole('button', { name: 'New customer' }).first().click();
    await page.getByRole('dialog').getByLabel('Name').fill('Bay Street Garage');
    await page.getByRole('button', { name: 'Create customer' }).click();
    await page.getByRole('alert').getByText('Customer created').waitFor();
    const drawer = page.getByRole('dialog', { name: 'Bay Street Garage' });
    await drawer.waitFor();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    const links = page.getByRole('navigation', { name: 'Screens' }).locator('a[href^="/app"]');
    for (const link of await links.all()) {
      await link.click();
      await page.keyboard.press('Control+K');
      await page.getByPlaceholder('Page, action, number, name or id').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    return (await page.evaluate('window.motions')) as Motion[];
  }
  const isLong = ({ seconds }: Motion): boolean => seconds > MAX_SECONDS;

  it(`no transition or animation lasts longer than ${MAX_SECONDS} s when a drawer, dialog or toast opens`, async () => {
    const { page } = await dashboard.open();
    const motions = await listMotions(page);
    expect(motions.filter(isLong)).to.deep.equal([]);
  });

  it('for other people, the same steps do move', async () => {
    const { page } = await dashboard.open();
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    const motions = await listMotions(page);
    expect(motions.filter(isLong)).to.not.have.length(0);
  });
});
