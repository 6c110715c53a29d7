/** The position of a truck that a person sets by hand. */
import { expect } from 'chai';
import { useDashboard } from '../../support/browser/dashboard.js';

describe('the position of a truck', () => {
  const dashboard = useDashboard();

  it('a person sets it by hand, sees faults beside their fields, and removes it again', async () => {
    const { page, tenant } = await dashboard.open();
    const { body: truck } = await tenant.client.post('/trucks', { unit_number: 'T-1', duty_class: 'light' });
    const readLocation = async () => (await tenant.client.get(`/trucks/${truck.id}`)).body.location;
    await page.goto(`${dashboard.stack.origin}/app/settings?tab=trucks&truck=${truck.id}`);
    const record = page.getByRole('dialog', { name: 'Truck T-1' });
    await record.getByRole('button', { name: 'Set position' }).click();
    const form = page.getByRole('dialog', { name: 'Set the position of Truck T-1' });
    await form.getByText('Not known').waitFor();
    const send = form.getByRole('button', { name: 'Set position' });
    expect(await send.isDisabled(), 'without coordinates').to.equal(true);
    await form.getByLabel('Latitude').fill('140');
    await form.getByLabel('Longitude').fill('by the river');
    await send.click();
    await form.getByText(/^location.lat must be/).waitFor();
    await form.getByText(/^location.lng must be/).waitFor();
    for (const label of ['Latitude', 'Longitude'])
      expect(await form.getByLabel(label).getAttribute('aria-invalid'), label).to.equal('true');
    await form.getByLabel('Latitude').fill('40.7');
    await form.getByLabel('Longitude').fill('-74');
    await form.getByText('If a vendor reports this truck, its next report replaces it again.').waitFor();
    await send.click();
    await form.waitFor({ state: 'detached' });
    const stored = await readLocation();
    expect(stored).to.include({ lat: 40.7, lng: -74, heading: null, speed_mph: null, stale: false });

    await record.getByRole('button', { name: 'Set position' }).click();
    await form.getByText(/^40\.7, -74, /).waitFor();
    await form.getByLabel('Time (now if empty)').fill('2026-01-01T12:00');
    await form.getByLabel('Latitude').fill('41');
    await form.getByLabel('Longitude').fill('-75');
    await send.click();
    await form.waitFor({ state: 'detached' });
    expect((await readLocation()).at).to.match(/^2026-01-01T/);

    await record.getByRole('button', { name: 'Set position' }).click();
    await form.getByLabel('Remove the position').check();
    await form.getByText('estimate no arrival', { exact: false }).waitFor();
    await form.getByRole('button', { name: 'Remove position' }).click();
    await form.waitFor({ state: 'detached' });
    expect(await readLocation()).to.equal(null);
  });

  it('a person does not replace a position that a colleague has just set, before seeing it', async () => {
    const { page, tenant } = await dashboard.open();
    const { body: truck } = await tenant.client.post('/trucks', { unit_number: 'T-1', duty_class: 'light' });
    const path = `/trucks/${truck.id}`;
    await page.goto(`${dashboard.stack.origin}/app/settings?tab=trucks&truck=${truck.id}`);
    await page.getByRole('button', { name: 'Set position' }).click();
    const form = page.getByRole('dialog', { name: 'Set the position of Truck T-1' });
    await form.getByLabel('Latitude').fill('40.7');
    await form.getByLabel('Longitude').fill('-74');
    await tenant.client.patch(path, { location: { lat: 10, lng: 20 } });
    await form.getByText(/^10, 20, /).waitFor();
    await form.getByText('This position is newer than the one at the opening of this form.').waitFor();
    const send = form.getByRole('button', { name: 'Set position' });
    await send.click();
    await form.getByRole('alert').waitFor();
    expect((await tenant.client.get(path)).body.location.lat).to.equal(10);
    await send.click();
    await form.waitFor({ state: 'detached' });
    expect((await tenant.client.get(path)).body.location.lat).to.equal(40.7);
  });
});
