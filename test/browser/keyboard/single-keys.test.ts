/** Shortcuts of a single key, which people who dictate must be able to switch off (WCAG 2.1.4). */
import { expect } from 'chai';
import { useDashboard } from '../../support/browser/dashboard.js';
import { openForKeyboard } from '../../support/browser/keyboard-person.js';

describe('shortcuts of a single key', function () {
  this.timeout(120_000);
  const dashboard = useDashboard();

  /** Opens a list with the rows Alpha and Beta. */
  async function openList() {
    const tenant = await dashboard.stack.createTenant('Hudson Towing');
    for (const name of ['Beta Motors', 'Alpha Motors'])
      await tenant.client.post('/customers', { company_name: name });
    const opened = await openForKeyboard(dashboard, 'customers', { tenant });
    const rows = opened.page.getByRole('table', { name: 'Customers' }).getByRole('link');
    await rows.nth(1).waitFor();
    return { ...opened, rows };
  }

  it('j and k move between rows, Enter opens the row, and Ctrl+K in a row opens the palette alone', async () => {
    const { page, person, rows } = await openList();
    await person.reach(rows.first());
    await person.press('j');
    await person.waitForFocus(rows.nth(1));
    await person.press('j');
    await person.waitForFocus(rows.nth(1));
    await person.press('k');
    await person.waitForFocus(rows.first());
    await person.press('j');
    await person.press('Control+k');
    await person.waitForFocus(page.getByRole('textbox', { name: 'Find' }));
    await person.press('Escape');
    await person.waitForFocus(rows.nth(1));
    const name = await rows.nth(1).innerText();
    await person.press('Enter');
    await person.dialog(name).waitFor();
    person.expectFocusWasSeen();
  });

  it('the switch in the list of keys switches j, k and ? off and on again, and Ctrl+K stays on', async () => {
    const { page, person, rows } = await openList();
    const keys = person.dialog('Keys');
    await person.reach(rows.first());
    await person.press('?');
    await person.toggle('switch', /^Shortcuts of a single key/);
    await person.press('Escape');
    await keys.waitFor({ state: 'detached' });
    await person.waitForFocus(rows.first());
    for (const key of ['j', '?']) await person.press(key);
    await person.waitForFocus(rows.first());
    await person.reach(rows.nth(1));
    await person.press('k');
    await person.waitForFocus(rows.nth(1));
    expect(await keys.count(), 'the list of keys').to.equal(0);
    await page.reload();
    await person.reach(rows.first());
    await person.press('j');
    await person.waitForFocus(rows.first());
    await person.press('Control+k');
    await person.waitForFocus(page.getByRole('textbox', { name: 'Find' }));
    await page.keyboard.type('Show the keys');
    await page.getByRole('button', { name: 'Show the keys' }).waitFor();
    await person.press('ArrowDown');
    await person.press('Enter');
    await person.toggle('switch', /^Shortcuts of a single key/);
    await person.press('Escape');
    await keys.waitFor({ state: 'detached' });
    await person.reach(rows.first());
    await person.press('j');
    await person.waitForFocus(rows.nth(1));
  });
});
