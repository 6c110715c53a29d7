/** The vehicles and drivers of a telematics vendor by keyboard alone. */
import { expect } from 'chai';
import { findViolationsInBothThemes } from '../../../support/browser/axe.js';
import { useDashboard } from '../../../support/browser/dashboard.js';
import { openForKeyboard } from '../../../support/browser/keyboard-person.js';
import { createHandle } from '../../../support/use-stack.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { useTrackingStack } from '../../../support/vendors/telematics/tracking.js';

describe('vehicles and drivers of a vendor by keyboard alone', function () {
  this.timeout(120_000);
  requireContracts();
  const tracking = useTrackingStack();
  const dashboard = useDashboard(createHandle(() => tracking.stack));

  it('a person links a proposed driver and a new one, creates a truck for a vehicle, and ends links', async () => {
    const fleet = tracking.doubles.samsara.openFleet();
    const vehicle = fleet.addVehicle({ name: 'T-7', make: 'Hino' });
    const sam = fleet.addDriver({ name: 'Sam Rivera', phone: '(212) 555-0100' });
    const jo = fleet.addDriver({ name: 'Jo Park' });
    const account = await tracking.createAccount('samsara', { fleet });
    await account.readDrivers();
    const sammy = (await account.client.post('/drivers', { name: 'Sammy', phone: '2125550100' })).body.id;
    const path = `integrations/${account.connectionId}`;
    const { page, person } = await openForKeyboard(dashboard, path, { tenant: account.tenant });
    const drawer = person.dialog(fleet.name);
    await person.waitForFocus(drawer);

    await person.openTab('Drivers');
    await drawer.getByText('Probably Sammy (same phone number)').waitFor();
    const proposed = await person.openDialog('Link Sam Rivera', 'Link Sam Rivera');
    expect(await findViolationsInBothThemes(page)).to.deep.equal([]);
    await person.submit(proposed, 'Link');
    await drawer.getByRole('button', { name: 'Unlink Sam Rivera' }).waitFor();
    expect((await account.findDriver(sam.id)).driver_id).to.equal(sammy);
    const created = await person.openDialog('Link Jo Park', 'Link Jo Park');
    await person.choose('Driver', 'Create a new driver');
    await person.fillField('Name', 'Joanna Park');
    await person.submit(created, 'Link');
    await drawer.getByRole('cell', { name: 'Joanna Park' }).waitFor();
    await person.confirm('Unlink Jo Park', 'Unlink Jo Park', 'Unlink');
    await drawer.getByRole('button', { name: 'Link Jo Park' }).waitFor();
    expect((await account.findDriver(jo.id)).driver_id).to.equal(null);

    await person.openTab('Vehicles');
    const truck = await person.openDialog('Link T-7', 'Link T-7');
    await person.choose('Truck', 'Create a new truck');
    await person.choose('Duty class', 'Heavy');
    await person.submit(truck, 'Link');
    await drawer.getByRole('cell', { name: 'Truck T-7' }).waitFor();
    const { truck_id: truckId } = await account.findVehicle(vehicle.id);
    expect(await account.readTruck(truckId)).to.include({ unit_number: 'T-7', duty_class: 'heavy' });
    await person.confirm('Unlink T-7', 'Unlink T-7', 'Unlink');
    await drawer.getByRole('button', { name: 'Link T-7' }).waitFor();
    person.expectWrites(
      'POST /connections/{id}/drivers/{external_id}/link',
      'DELETE /connections/{id}/drivers/{external_id}/link',
      'POST /connections/{id}/vehicles/{external_id}/link',
      'DELETE /connections/{id}/vehicles/{external_id}/link',
    );
  });

  it('a person links a vehicle to the oldest of more trucks than a page has', async () => {
    const fleet = tracking.doubles.samsara.openFleet();
    const vehicle = fleet.addVehicle({ name: 'V-1', make: 'Hino' });
    const account = await tracking.createAccount('samsara', { fleet });
    await account.waitForVehicles(1);
    const add = (unit_number: string) =>
      account.client.post('/trucks', { unit_number, duty_class: 'light', status: 'available' });
    const oldest = (await add('T-oldest')).body.id;
    await Promise.all(Array.from({ length: 200 }, (_, index) => add(`T-${index}`)));
    const path = `integrations/${account.connectionId}?tab=vehicles`;
    const { page, person } = await openForKeyboard(dashboard, path, { tenant: account.tenant });
    await person.waitForFocus(person.dialog(fleet.name));
    const dialog = await person.openDialog('Link V-1', 'Link V-1');
    await person.tabTo('combobox', 'Truck');
    await page.keyboard.type('oldest');
    await person.choose('Truck', 'Truck T-oldest');
    await person.submit(dialog, 'Link');
    await person.dialog(fleet.name).getByRole('cell', { name: 'Truck T-oldest' }).waitFor();
    expect((await account.findVehicle(vehicle.id)).truck_id).to.equal(oldest);
  });
});
