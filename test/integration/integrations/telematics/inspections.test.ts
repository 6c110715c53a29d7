import { expect } from 'chai';
import type { Json } from '../../../support/client.js';
import { eventually } from '../../../support/poll.js';
import { TrackedTow } from '../../../support/public-pages/tracked-tow.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { type TrackingAccount, useTrackingStack } from '../../../support/vendors/telematics/tracking.js';
import { labelOf, VENDOR_NAMES } from '../../../support/vendors/telematics/vendors.js';

for (const name of VENDOR_NAMES)
  describe(`inspections and webhooks of ${labelOf(name)}`, () => {
    requireContracts();
    const tracking = useTrackingStack();
    let account: TrackingAccount;
    let vehicle: string;
    let truck: string;

    beforeEach(async () => {
      ({ account, vehicle, truck } = await tracking.createTracked(name));
    });

    const submit = (members: object = {}) => {
      const report = account.fleet.submitReport(vehicle, members);
      account.double.webhooks.report(account.fleet, 'report_changed', report.id);
      return report;
    };
    const list = async (truckId = truck): Promise<Json[]> =>
      (await account.client.get(`/inspections?truck_id=${truckId}`)).body.data.items;
    const waitFor = (result: string) =>
      eventually(`the inspection is ${result}`, async () => {
        const items = await list();
        return items.length === 1 && items[0]?.result === result && items[0];
      });
    const assign = async () => {
      const tow = await TrackedTow.book(account.client);
      return account.client.post(`/work-orders/${tow.id}/assign`, { truck_id: truck });
    };

    it('an unsafe report becomes an inspection that blocks dispatch until a mechanic resolves it', async () => {
      account.double.webhooks.habits.copies = 3;
      const report = submit({ comments: ['Pulls to the left', 'Squeals'] });
      const inspection = await waitFor('out_of_service');
      account.double.webhooks.habits.copies = 1;
      expect(inspection).to.include({ kind: 'pre_trip', truck_id: truck, odometer_miles: 100 });
      expect(inspection.submitted_at).to.equal(report.submittedAt);
      expect(
        inspection.defects.map(({ component, severity }: Json) => `${severity}: ${component}`),
      ).to.deep.equal([
        `out_of_service: Reported unsafe (${name})`,
        'major: Brakes: Pulls to the left',
        'major: Brakes: Squeals',
      ]);
      const refused = await assign();
      expect([refused.status, refused.body.error?.details?.[0]?.code]).to.deep.equal([409, 'out_of_service']);
      account.fleet.resolve(report);
      account.double.webhooks.report(account.fleet, 'report_changed', report.id);
      const resolved = await waitFor('pass');
      expect(resolved.id).to.equal(inspection.id);
      expect(resolved.defects[1].resolved_by).to.equal('Jane Mechanic');
      expect((await assign()).status).to.equal(200);
    });

    it('a defect that a person here has resolved stays resolved when the vendor changes the report', async () => {
      const report = submit();
      const { id, defects } = await waitFor('out_of_service');
      const change = { defects: [{ id: defects[0].id, resolved_at: new Date().toISOString() }] };
      expect((await account.client.patch(`/inspections/${id}`, change)).status).to.equal(200);
      Object.assign(report, { odometerMiles: 124, updatedAt: new Date().toISOString() });
      await account.hurry(['inspections']);
      await eventually('the odometer is read', async () => (await list())[0]?.odometer_miles === 124);
      expect((await list())[0]?.result).to.equal('pass');
    });

    it('a safe report passes, one with open defects passes with them, and neither blocks dispatch', async () => {
      submit({ verdict: 'safe', kind: 'post_trip' });
      expect(await waitFor('pass')).to.include({ kind: 'post_trip' });
      submit({ verdict: 'safe', comments: ['A scratch'] });
      await eventually('both are there', async () => (await list()).length === 2);
      expect((await list())[0]).to.include({ result: 'pass_with_defects' });
      expect((await assign()).status).to.equal(200);
    });

    it('a report whose webhook was lost is found by the next pull, page by page', async () => {
      account.double.webhooks.habits.isLost = true;
      account.double.pageSize = 1;
      for (let count = 0; count < 3; count++) submit({ comments: [`Defect ${count}`] });
      account.double.webhooks.habits.isLost = false;
      await account.hurry(['inspections']);
      await eventually('all are there', async () => (await list()).length === 3);
      await account.hurry(['inspections']);
      expect(await list()).to.have.length(3);
    });

    it('the reports of a vehicle without a truck are kept from the time when a person links it', async () => {
      const other = account.fleet.addVehicle();
      account.fleet.submitReport(other.id);
      account.double.webhooks.report(account.fleet, 'vehicle_added', other.id);
      await account.waitForVehicles(2);
      await account.hurry(['inspections']);
      const id = await account.createTruckFor(other.id);
      await eventually('the report is there', async () => (await list(id)).length === 1);
      expect(await list()).to.deep.equal([]);
    });

    it('a report and a position from between two connections of a fleet are not lost', async () => {
      await account.client.delete(`/connections/${account.connectionId}`);
      account.fleet.submitReport(vehicle);
      account.fleet.drive(vehicle, [42.1, -73.7]);
      await account.connect({});
      await waitFor('out_of_service');
      await account.waitForPlace(truck, 42.1);
      expect((await assign()).status).to.equal(409);
    });

    it('a mended link moves an unresolved report to the right truck, and frees the wrong one', async () => {
      submit();
      const { id } = await waitFor('out_of_service');
      await account.unlink(vehicle);
      const right = await account.createTruckFor(vehicle, { unit_number: 'Right' });
      const moved = await eventually('the report has moved', async () => (await list(right))[0]);
      expect(moved).to.include({ id, result: 'out_of_service' });
      expect(await list()).to.deep.equal([]);
      expect((await assign()).status).to.equal(200);
    });

    it('a mechanic resolves a report although its vehicle is no longer linked', async () => {
      const report = submit();
      await waitFor('out_of_service');
      await account.unlink(vehicle);
      account.fleet.resolve(report);
      const unknown = account.fleet.submitReport(vehicle);
      await account.hurry(['inspections']);
      const resolved = await waitFor('pass');
      expect(resolved.truck_id).to.equal(truck);
      expect(unknown.id).to.not.equal(report.id);
      expect((await assign()).status).to.equal(200);
    });

    it('notes that a person has written here stay when the vendor changes the report', async () => {
      const report = submit();
      const { id } = await waitFor('out_of_service');
      expect((await account.client.patch(`/inspections/${id}`, { notes: 'Ours' })).status).to.equal(200);
      account.fleet.resolve(Object.assign(report, { mechanicNotes: 'Theirs' }));
      await account.hurry(['inspections']);
      expect((await waitFor('pass')).notes).to.equal('Ours');
    });

    it('a new and a changed vehicle make the list be read again, and other events nothing', async () => {
      const added = account.fleet.addVehicle({ name: 'New one' });
      account.double.webhooks.report(account.fleet, 'vehicle_added', added.id);
      await account.waitForVehicles(2);
      added.name = 'Renamed';
      account.double.webhooks.habits.sendsLists = true;
      account.double.webhooks.report(account.fleet, 'vehicle_changed', added.id);
      await eventually(
        'the name is there',
        async () => (await account.findVehicle(added.id)).name === 'Renamed',
      );
      const { statuses } = account.double.webhooks;
      const calls = account.double.calls.length;
      for (const type of account.vendor.otherEvents) account.double.webhooks.send(account.fleet, type);
      await account.double.webhooks.settle();
      expect(statuses.slice(-4)).to.deep.equal([200, 200, 200, 200]);
      const later = account.double.calls.slice(calls).filter((call) => call.name.endsWith('/vehicles'));
      expect(later).to.deep.equal([]);
    });

    it('a webhook with a wrong secret, a changed body or no signature is 401', async () => {
      const { vendor, double } = account;
      const body = JSON.stringify(vendor.buildWebhook());
      const post = async (headers: Record<string, string>, text = body) =>
        (await fetch(account.webhookUrl, { method: 'POST', body: text, headers })).status;
      const good = double.webhooks.sign(body, vendor.webhookSecret);
      expect(await post({})).to.equal(401);
      expect(await post(double.webhooks.sign(body, vendor.otherSecret))).to.equal(401);
      expect(await post(good, `${body} `)).to.equal(401);
      const foreign = await tracking.createAccount(name, { fleet: account.fleet });
      await foreign.client.patch(`/connections/${foreign.connectionId}`, {
        credentials: { webhook_secret: vendor.otherSecret },
      });
      account.webhookUrl = foreign.webhookUrl;
      expect(await post(good), 'at the address of another account').to.equal(401);
    });

    it('a report moves only the account to whose address the webhook came, and the other by its pull', async () => {
      const other = await tracking.createAccount(name, { fleet: account.fleet });
      const theirs = await other.createTruckFor(vehicle);
      account.fleet.webhook = { url: account.webhookUrl, token: account.vendor.webhookSecret };
      submit();
      const { id } = await waitFor('out_of_service');
      expect((await other.client.get(`/inspections/${id}`)).status).to.equal(404);
      await other.hurry(['inspections']);
      await eventually('the other account has its own', async () => {
        const { body } = await other.client.get(`/inspections?truck_id=${theirs}`);
        return body.data.items.length === 1 && body.data.items[0].id !== id;
      });
    });
  });
