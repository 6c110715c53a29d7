import { type Samsara, SamsaraClient, type SamsaraError } from '@samsarahq/samsara';
import { expect } from 'chai';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import type { Fleet } from '../../../support/vendors/doubles/fleet/fleet.js';
import { SamsaraDouble } from '../../../support/vendors/doubles/samsara/samsara-double.js';

describe("Samsara's official SDK against its double", () => {
  requireContracts();
  let double: SamsaraDouble;
  let fleet: Fleet;
  let sdk: SamsaraClient;

  before(async () => {
    double = await new SamsaraDouble().start();
  });
  beforeEach(() => {
    fleet = double.openFleet();
    sdk = connect(fleet.token);
  });
  afterEach(() => {
    double.reset();
    expect(double.violations.splice(0)).to.deep.equal([]);
  });
  after(() => double?.stop());

  const connect = (token: string) =>
    new SamsaraClient({ token, baseUrl: double.origin, version: '2025-06-11', maxRetries: 0 });

  it('the SDK reads the organization, and all pages of vehicles and drivers', async () => {
    double.pageSize = 2;
    const vehicles = Array.from({ length: 5 }, (_, nth) =>
      fleet.addVehicle({ name: `T-${nth}`, make: 'Hino' }),
    );
    for (const name of ['Sam Rivera', 'Jo Park', 'Lee Chen']) fleet.addDriver({ name, phone: '5185550100' });
    const { data } = await sdk.organizationInfo.getOrganizationInfo();
    expect(data).to.include({ id: fleet.id, name: fleet.name });
    const listed = [];
    for await (const vehicle of await sdk.vehicles.list()) listed.push(vehicle);
    expect(listed.map(({ id, name, make }) => [id, name, make])).to.deep.equal(
      vehicles.map(({ id, name }) => [id, name, 'Hino']),
    );
    const drivers = [];
    for await (const driver of await sdk.drivers.list()) drivers.push(driver);
    expect(drivers.map(({ name }) => name)).to.deep.equal(['Sam Rivera', 'Jo Park', 'Lee Chen']);
  });

  it('the SDK follows the feed of positions and odometers by its cursor', async () => {
    const { id } = fleet.addVehicle();
    // The SDK's types do not allow the list with commas that Samsara describes.
    const types = 'gps,obdOdometerMeters,gpsOdometerMeters' as Samsara.GetVehicleStatsFeedRequestTypesItem;
    fleet.drive(id, [42.1, -73.7]);
    const first = await sdk.vehicleStats.getVehicleStatsFeed({ types });
    expect(first.data[0]?.gps?.map(({ latitude }) => latitude)).to.deep.equal([42.1]);
    fleet.drive(id, [42.2, -73.7], { odometerMiles: 100, mph: 30 });
    fleet.drive(id, [42.3, -73.7]);
    const after = first.pagination.endCursor;
    const next = await sdk.vehicleStats.getVehicleStatsFeed({ types, after });
    expect(next.pagination.hasNextPage).to.equal(false);
    expect(next.data).to.have.length(1);
    const [stats] = next.data;
    expect(stats?.id).to.equal(id);
    expect(stats?.gps?.map(({ latitude }) => latitude)).to.deep.equal([42.2, 42.3]);
    expect(stats?.gps?.[0]).to.include({ longitude: -73.7, speedMilesPerHour: 30 });
    expect(stats?.obdOdometerMeters?.map(({ value }) => value)).to.deep.equal([160_934]);
  });

  it('the SDK takes the refusals of a token and of too many calls for what they are', async () => {
    const readStatus = (client: SamsaraClient) =>
      client.organizationInfo.getOrganizationInfo().then(
        () => 200,
        (error: unknown) => (error as SamsaraError).statusCode,
      );
    expect(await readStatus(connect('samsara_api_wrong'))).to.equal(401);
    double.misbehave = () => ({ kind: 'limit', seconds: 1 });
    expect(await readStatus(sdk)).to.equal(429);
    double.misbehave = () => undefined;
    expect(await readStatus(sdk)).to.equal(200);
  });
});
