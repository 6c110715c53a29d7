/** The tab Drivers of the settings. */
import { expect } from 'chai';
import { useDashboard } from '../../support/browser/dashboard.js';
import { createUser } from '../../support/records/sign-in.js';

describe('the tab Drivers of Settings', () => {
  const dashboard = useDashboard();

  it('a person adds a driver, who can be chosen for a truck, and is not offered once inactive', async () => {
    const { page, tenant } = await dashboard.open('settings?tab=drivers');
    await page.getByText('There are no drivers yet').waitFor();
    await page.getByRole('button', { name: 'New driver' }).first().click();
    const form = page.getByRole('dialog', { name: 'New driver' });
    await form.getByLabel('Name').fill('Sam Rivera');
    await form.getByLabel('Phone').fill('+1 212 555 0100');
    await form.getByRole('checkbox', { name: 'Heavy' }).check();
    await form.getByRole('button', { name: 'Add driver' }).click();
    const record = page.getByRole('dialog', { name: 'Sam Rivera' });
    await record.getByText('Light, Heavy').waitFor();
    const [stored] = (await tenant.client.get('/drivers')).body.data.items;
    expect(stored).to.include({ name: 'Sam Rivera', phone: '+1 212 555 0100', status: 'active' });
    expect(stored.duty_classes).to.deep.equal(['light', 'heavy']);
    expect(new URL(page.url()).searchParams.get('driver')).to.equal(stored.id);

    await tenant.client.post('/trucks', { unit_number: 'T-1', duty_class: 'light', driver_id: stored.id });
    await record.getByRole('button', { name: 'Edit' }).click();
    const edit = page.getByRole('dialog', { name: 'Edit Sam Rivera' });
    await edit.getByLabel('Status').selectOption('Inactive');
    await edit.getByLabel('Phone').fill('');
    await edit.getByRole('button', { name: 'Save' }).click();
    await record.getByText('Inactive').waitFor();
    expect((await tenant.client.get(`/drivers/${stored.id}`)).body).to.include({
      phone: null,
      status: 'inactive',
    });
    await page.keyboard.press('Escape');
    await page.getByRole('tab', { name: 'Trucks' }).click();
    await page.getByRole('row', { name: /T-1 .*Sam Rivera/ }).waitFor();
    await page.getByRole('button', { name: 'New truck' }).click();
    await page.getByRole('dialog', { name: 'New truck' }).getByLabel('Driver').click();
    await page.getByText('No active driver has this name').waitFor();
  });

  it('a driver without a name is refused beside the field, and a filter in the URL finds drivers', async () => {
    const { page, tenant } = await dashboard.open('settings?tab=drivers');
    await tenant.client.post('/drivers', { name: 'Robin Marsh' });
    await tenant.client.post('/drivers', { name: 'Left Last Year', status: 'inactive' });
    await page.getByRole('button', { name: 'New driver' }).first().click();
    const form = page.getByRole('dialog', { name: 'New driver' });
    await form.getByRole('button', { name: 'Add driver' }).click();
    await form.getByText(/^name /).waitFor();
    expect(await form.getByLabel('Name').getAttribute('aria-invalid')).to.equal('true');
    await page.goto(`${dashboard.stack.origin}/app/settings?tab=drivers&status=inactive`);
    await page.getByRole('row', { name: /Left Last Year/ }).waitFor();
    expect(await page.getByRole('row', { name: /Robin Marsh/ }).count()).to.equal(0);
  });

  it('a viewer sees drivers, and no button that changes them', async () => {
    const tenant = await dashboard.stack.createTenant('Hudson Towing');
    const user = await createUser(dashboard.stack, tenant.id, { role: 'viewer' });
    const { body: driver } = await tenant.client.post('/drivers', { name: 'Sam Rivera' });
    const { page } = await dashboard.open(`settings?tab=drivers&driver=${driver.id}`, { tenant, user });
    const record = page.getByRole('dialog', { name: 'Sam Rivera' });
    await record.getByText('Active').waitFor();
    expect(await record.getByRole('button', { name: 'Edit' }).count()).to.equal(0);
    await page.keyboard.press('Escape');
    await page.getByRole('row', { name: /Sam Rivera/ }).waitFor();
    expect(await page.getByRole('button', { name: 'New driver' }).count()).to.equal(0);
  });
});
