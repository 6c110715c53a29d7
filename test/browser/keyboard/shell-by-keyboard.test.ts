/** The frame of the dashboard by keyboard alone: environment, theme and navigation. */
import { expect } from 'chai';
import { useDashboard } from '../../support/browser/dashboard.js';
import { type KeyboardPerson, openForKeyboard } from '../../support/browser/keyboard-person.js';
import { waitInPage } from '../../support/browser/wait-in-page.js';

describe('the frame of the dashboard by keyboard alone', function () {
  this.timeout(120_000);
  const dashboard = useDashboard();

  /** Presses Tab until the chosen radio button has the focus. Its label is what a person sees. */
  async function reachChosen(person: KeyboardPerson, name: string, maxStops = 120): Promise<void> {
    const chosen = person.page.getByRole('radio', { name, checked: true });
    const focused = chosen.and(person.page.locator(':focus'));
    for (let stop = 0; stop < maxStops && (await focused.count()) === 0; stop += 1) await person.press('Tab');
    await focused.waitFor({ state: 'attached' });
  }

  it('a person switches to the sandbox and back, and the focus stays on the switch', async () => {
    const tenant = await dashboard.stack.createTenant('Hudson Towing');
    await tenant.client.post('/customers', { company_name: 'Riverside Motors' });
    const { page, person } = await openForKeyboard(dashboard, 'customers', { tenant });
    const row = page.getByRole('link', { name: 'Riverside Motors' });
    await row.waitFor();
    await reachChosen(person, 'Live');
    await person.press('ArrowRight');
    await page.waitForURL(/env=sandbox/);
    await row.waitFor({ state: 'detached' });
    await reachChosen(person, 'Sandbox', 0);
    await person.press('Tab');
    await reachChosen(person, 'Sandbox');
    await person.press('ArrowLeft');
    await row.waitFor();
    expect(page.url()).to.not.include('env=');
    await reachChosen(person, 'Live', 0);
    await person.press('Tab');
    person.expectFocusWasSeen();
  });

  it('a person switches the theme, which stays after a reload', async () => {
    const { page, person } = await openForKeyboard(dashboard, '');
    const isTheme = (theme: string) =>
      waitInPage(page, `document.documentElement.dataset.mantineColorScheme === '${theme}'`);
    await isTheme('light');
    for (const [theme, key] of [
      ['dark', 'Enter'],
      ['light', 'Space'],
      ['dark', 'Enter'],
    ] as const) {
      await person.tabTo('button', 'Theme');
      await person.press(key);
      await isTheme(theme);
      await page.getByRole('button', { name: 'Theme', pressed: theme === 'dark' }).waitFor();
      await person.waitForFocus(page.getByRole('button', { name: 'Theme' }));
      await person.press('Tab');
    }
    await page.reload();
    await isTheme('dark');
    person.expectFocusWasSeen();
  });

  it('on a phone a person opens the navigation, and goes to a screen', async () => {
    const { page, person } = await openForKeyboard(dashboard, '', { viewport: { width: 360, height: 740 } });
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await person.activate('button', 'Open the navigation');
    await person.waitForFocus(page.getByRole('button', { name: 'Close the navigation' }));
    await person.activate('link', 'Customers');
    await page.getByRole('heading', { level: 1, name: 'Customers' }).waitFor();
    await person.expectFocusInPage();
    person.expectFocusWasSeen();
  });
});
