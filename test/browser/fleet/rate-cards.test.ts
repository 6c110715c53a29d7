/** The tab Rate cards of the settings. */
import { expect } from 'chai';
import type { Locator } from 'playwright-core';
import { useDashboard } from '../../support/browser/dashboard.js';
import { eventually } from '../../support/poll.js';
import { createUser } from '../../support/records/sign-in.js';

const CARD = {
  name: 'Standard rates',
  effective_from: '2026-01-01',
  items: [
    { category: 'hook_up', unit_type: 'flat', unit_price_cents: 7500, name: 'Hook-up', taxable: true },
    { category: 'mileage', unit_type: 'mile', unit_price_cents: 450, included_quantity: 5 },
  ],
};

describe('the tab Rate cards of Settings', () => {
  const dashboard = useDashboard();
  const itemOf = (form: Locator, index: number) => form.getByRole('group', { name: `Item ${index}` });

  it('the first card of an account is its default, and prices a work order as it was typed', async () => {
    const { page, tenant } = await dashboard.open('settings?tab=rate-cards');
    await page.getByText('There are no rate cards yet').waitFor();
    await page.getByRole('button', { name: 'New rate card' }).first().click();
    const form = page.getByRole('dialog', { name: 'New rate card' });
    await form.getByRole('textbox', { name: 'Name', exact: true }).fill('Standard rates');
    await form.getByLabel('Effective from').fill('2026-01-01');
    const first = itemOf(form, 1);
    await first.getByLabel('Name on invoice').fill('Hook-up of a car');
    await first.getByLabel('Price').fill('125.5');
    await first.getByLabel('Minimum').fill('12x');
    await first.getByText('Enter an amount such as 75.00').waitFor();
    expect(await form.getByRole('button', { name: 'Create rate card' }).isDisabled()).to.equal(true);
    await first.getByLabel('Minimum').fill('130');
    await first.getByRole('checkbox', { name: 'Taxable' }).check();
    await form.getByRole('button', { name: 'Add item' }).click();
    const second = itemOf(form, 2);
    await second.getByLabel('Category').selectOption('Mileage');
    await second.getByLabel('Service type').selectOption('Flatbed tow');
    await second.getByLabel('Unit').selectOption('Mile');
    await second.getByLabel('Price').fill('4.50');
    await second.getByLabel('Included quantity').fill('5');
    await second.getByRole('checkbox', { name: 'Only after hours' }).check();
    await form.getByRole('button', { name: 'Create rate card' }).click();
    const record = page.getByRole('dialog', { name: 'Standard rates, version 1' });
    await record.getByRole('row', { name: /Hook-up of a car Hook up Any \$125.50 flat/ }).waitFor();
    const [card] = (await tenant.client.get('/rate-cards')).body.data.items;
    expect(card).to.deep.include({ name: 'Standard rates', is_default: true, effective_from: '2026-01-01' });
    expect(card.items).to.deep.equal([
      {
        name: 'Hook-up of a car',
        service_type: null,
        category: 'hook_up',
        unit_type: 'flat',
        unit_price_cents: 12_550,
        included_quantity: 0,
        minimum_cents: 13_000,
        after_hours: false,
        taxable: true,
      },
      {
        name: 'Mileage',
        service_type: 'flatbed_tow',
        category: 'mileage',
        unit_type: 'mile',
        unit_price_cents: 450,
        included_quantity: 5,
        minimum_cents: null,
        after_hours: true,
        taxable: false,
      },
    ]);
    const { body: workOrder } = await tenant.client.post('/work-orders', { service_type: 'tow' });
    const { body: price } = await tenant.client.post(`/work-orders/${workOrder.id}/price`, {});
    expect(price.line_items[0]).to.include({ name: 'Hook-up of a car', total_cents: 13_000 });
  });

  it('superseding a card starts from its prices, and leaves the old version unchanged', async () => {
    const { page, tenant } = await dashboard.open();
    const { body: old } = await tenant.client.post('/rate-cards', CARD);
    await page.goto(`${dashboard.stack.origin}/app/settings?tab=rate-cards&card=${old.id}`);
    const record = page.getByRole('dialog', { name: 'Standard rates, version 1' });
    await record.getByRole('button', { name: 'Supersede' }).click();
    const form = page.getByRole('dialog', { name: 'Supersede Standard rates' });
    await form.getByLabel('Effective from').fill('2025-12-31');
    await form.getByText('Effective from must not be before 2026-01-01').waitFor();
    await form.getByLabel('Effective from').fill('2027-01-01');
    await itemOf(form, 1).getByLabel('Price').fill('80');
    await form.getByRole('button', { name: 'Move item 1 down' }).click();
    await form.getByRole('button', { name: 'Remove item 1' }).click();
    await form.getByRole('button', { name: 'Create version 2' }).click();
    const next = page.getByRole('dialog', { name: 'Standard rates, version 2' });
    await next.getByText('From 2027-01-01').waitFor();
    const { body: kept } = await tenant.client.get(`/rate-cards/${old.id}`);
    expect(kept.items).to.deep.equal(old.items);
    expect(kept.effective_until).to.equal('2027-01-01');
    const { body: created } = await tenant.client.get(`/rate-cards/${kept.superseded_by}`);
    expect(created.items).to.deep.equal([{ ...old.items[0], unit_price_cents: 8000 }]);
    await page.keyboard.press('Escape');
    await page
      .getByRole('row', { name: /Standard rates 1 In force/ })
      .getByRole('link')
      .click();
    await record.getByRole('link', { name: 'Version 2' }).waitFor();
    expect(await record.getByRole('button', { name: 'Supersede' }).count(), 'of a superseded card').to.equal(
      0,
    );
  });

  it('a colleague supersedes the card meanwhile, and the form keeps what was typed but is not sent', async () => {
    const { page, tenant } = await dashboard.open();
    const { body: old } = await tenant.client.post('/rate-cards', CARD);
    await page.goto(`${dashboard.stack.origin}/app/settings?tab=rate-cards&card=${old.id}`);
    await page.getByRole('button', { name: 'Supersede' }).click();
    const form = page.getByRole('dialog', { name: 'Supersede Standard rates' });
    await itemOf(form, 1).getByLabel('Price').fill('80');
    await tenant.client.post('/rate-cards', CARD);
    await form.getByText('The card has a newer version since you opened this form').waitFor();
    expect(await itemOf(form, 1).getByLabel('Price').inputValue()).to.match(/^80/);
    const create = form.getByRole('button', { name: 'Create version 2' });
    expect(await create.isDisabled(), 'the button').to.equal(true);
    await form.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('link', { name: 'Version 2' }).waitFor();
  });

  it('a new card with the name of another one says that it supersedes it, and faults stand beside their fields', async () => {
    const { page, tenant } = await dashboard.open('settings?tab=rate-cards');
    await tenant.client.post('/rate-cards', { ...CARD, is_default: true });
    await page.getByRole('button', { name: 'New rate card' }).first().click();
    const form = page.getByRole('dialog', { name: 'New rate card' });
    const isDefault = form.getByRole('checkbox', { name: /^Default card/ });
    expect(await isDefault.isChecked(), 'the default of a second card').to.equal(false);
    await form.getByRole('button', { name: 'Create rate card' }).click();
    await itemOf(form, 1).getByText('Price is required').waitFor();
    await itemOf(form, 1).getByLabel('Price').fill('80');
    await itemOf(form, 1).getByLabel('Included quantity').fill('many');
    await form.getByRole('textbox', { name: 'Name', exact: true }).fill('standard RATES');
    await itemOf(form, 1)
      .getByText(/^Included quantity must/)
      .waitFor();
    await itemOf(form, 1).getByLabel('Included quantity').fill('2');
    await form.getByText('This one supersedes it as version 2').waitFor();
  });

  it('a first card whose answer was lost is stored once, although it is then the default card', async () => {
    const { page, tenant } = await dashboard.open('settings?tab=rate-cards');
    await page.getByRole('button', { name: 'New rate card' }).first().click();
    const form = page.getByRole('dialog', { name: 'New rate card' });
    await form.getByRole('textbox', { name: 'Name', exact: true }).fill('Standard rates');
    await itemOf(form, 1).getByLabel('Price').fill('80');
    const isDefault = form.getByRole('checkbox', { name: /^Default card/ });
    await eventually('the default of a first card', () => isDefault.isChecked());
    let isLost = true;
    await page.route('**/v1/rate-cards', async (route) => {
      const request = route.request();
      const isWrite = request.method() === 'POST' && !request.headers()['x-service-dry-run'];
      if (!isWrite || !isLost) return route.continue();
      await route.fetch();
      return route.abort();
    });
    const create = form.getByRole('button', { name: 'Create rate card' });
    await create.click();
    await form.getByRole('alert').waitFor();
    isLost = false;
    await create.click();
    await page.getByRole('dialog', { name: 'Standard rates, version 1' }).waitFor();
    const { items } = (await tenant.client.get('/rate-cards')).body.data;
    expect(items.map((card: { version: number }) => card.version)).to.deep.equal([1]);
  });

  it('a viewer sees rate cards, and no button that changes them', async () => {
    const tenant = await dashboard.stack.createTenant('Hudson Towing');
    const user = await createUser(dashboard.stack, tenant.id, { role: 'viewer' });
    const { body: card } = await tenant.client.post('/rate-cards', CARD);
    const { page } = await dashboard.open(`settings?tab=rate-cards&card=${card.id}`, { tenant, user });
    const record = page.getByRole('dialog', { name: 'Standard rates, version 1' });
    await record.getByText('$75.00').waitFor();
    expect(await record.getByRole('button', { name: 'Supersede' }).count()).to.equal(0);
    await page.keyboard.press('Escape');
    await page.getByRole('row', { name: /Standard rates/ }).waitFor();
    expect(await page.getByRole('button', { name: 'New rate card' }).count()).to.equal(0);
  });
});
