import { expect } from 'chai';
import type { VendorError } from '../../../shared/integrations/contract/vendor-error.js';
import { listDrivers } from '../../../shared/integrations/samsara/drivers.js';
import { pullInspections } from '../../../shared/integrations/samsara/inspections.js';
import { manifest } from '../../../shared/integrations/samsara/manifest.js';
import { pullPositions } from '../../../shared/integrations/samsara/positions.js';
import { listVehicles } from '../../../shared/integrations/samsara/vehicles.js';
import { FakeVendor, toSamsaraPage as toPage } from '../../support/vendors/doubles/fleet/fake-vendor.js';

const catchError = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.fail('nothing was thrown'),
    (error: VendorError) => error,
  );
/** Values that are no record, and ids that cannot be stored. */
const NO_RECORDS = [
  null,
  1,
  'text',
  [],
  {},
  ...[null, '', {}, 'a\0b', 'x'.repeat(101)].map((id) => ({ id })),
];
const TIME = '2026-11-28T10:00:00Z';

describe('The adapter of Samsara', () => {
  const read = (data: unknown) =>
    pullPositions(new FakeVendor({ '/fleet/vehicles/stats/feed': [toPage(data)] }).connection, null);
  const gps = (members: object) => ({ time: TIME, latitude: 42, longitude: -73, ...members });

  it('leaves out records and samples that are none, and keeps the others of the page', async () => {
    const good = { id: '7', gps: [null, [], 'x', gps({ headingDegrees: -90, speedMilesPerHour: 31.5 })] };
    const bad = [{}, null, [null], 'x'].map((samples) => ({ id: '8', gps: samples }));
    const { positions } = await read([...NO_RECORDS, ...bad, good]);
    const at = '2026-11-28T10:00:00.000Z';
    expect(positions).to.deep.equal([
      { externalId: '7', lat: 42, lng: -73, heading: 270, speedMph: 31.5, at },
    ]);
  });

  it('reads odometers in miles, and leaves out readings that are none', async () => {
    const reading = (value: unknown, time: unknown = TIME) => ({ time, value });
    const bad = [0, -1, '5', null, 1e15, Number.NaN].map((value) => reading(value));
    const { odometers, positions } = await read([
      { id: '7', obdOdometerMeters: [reading(77_587_185), ...bad, reading(1, 'soon'), null, 'x'] },
      { id: '8', gps: [gps({})], gpsOdometerMeters: [reading(1_609)] },
      { id: '9', obdOdometerMeters: 'x', gpsOdometerMeters: null },
      ...NO_RECORDS,
    ]);
    const at = '2026-11-28T10:00:00.000Z';
    expect(odometers).to.deep.equal([
      { externalId: '7', miles: 48_210.44, source: 'obd', at },
      { externalId: '8', miles: 1, source: 'gps', at },
    ]);
    expect(positions).to.have.length(1);
  });

  it('leaves out samples whose time or place cannot be true', async () => {
    const times = [
      '0000-06-01T00:00:00Z',
      '-000001-01-01T00:00:00Z',
      '+275760-09-12T00:00:00Z',
      'soon',
      5,
      null,
    ];
    const places = [{ latitude: '42' }, { latitude: 91 }, { longitude: -181 }, { latitude: 0, longitude: 0 }];
    const samples = [...times.map((time) => gps({ time })), ...places.map(gps)];
    expect((await read([{ id: '7', gps: samples }])).positions).to.deep.equal([]);
  });

  it('leaves out a heading or a speed that is none', async () => {
    const samples = [
      gps({ headingDegrees: '90', speedMilesPerHour: 301 }),
      gps({ headingDegrees: null, speedMilesPerHour: -1 }),
      gps({ headingDegrees: 720, speedMilesPerHour: 300 }),
    ];
    const { positions } = await read([{ id: '7', gps: samples }]);
    expect(positions.map(({ heading, speedMph }) => [heading, speedMph])).to.deep.equal([
      [null, null],
      [null, null],
      [0, 300],
    ]);
  });

  it('refuses a page without a usable cursor', async () => {
    for (const pagination of [
      undefined,
      null,
      { endCursor: 'x'.repeat(1001), hasNextPage: false },
      { endCursor: 'c' },
      { endCursor: 'c', hasNextPage: 'no' },
      { endCursor: '', hasNextPage: true },
    ]) {
      const samsara = new FakeVendor({
        '/fleet/vehicles/stats/feed': [{ body: { data: [], pagination } }],
      });
      expect((await catchError(pullPositions(samsara.connection, 'a'))).code).to.equal('no_page');
    }
  });

  it('a cursor that does not advance ends a read of positions, and fails a list of vehicles', async () => {
    const page = toPage([], { endCursor: 'same', hasNextPage: true });
    const feed = new FakeVendor({ '/fleet/vehicles/stats/feed': [page], '/fleet/vehicles': [page] });
    expect((await pullPositions(feed.connection, 'same')).isLast).to.equal(true);
    expect((await catchError(listVehicles(feed.connection, 'same'))).code).to.equal('same_page');
  });

  it('an empty cursor of a last page keeps the place', async () => {
    const page = toPage([], { endCursor: '', hasNextPage: false });
    const samsara = new FakeVendor({ '/fleet/vehicles/stats/feed': [page] });
    expect((await pullPositions(samsara.connection, 'a')).cursor).to.equal('a');
  });

  it('leaves out vehicles without an id that can be stored', async () => {
    const vehicle = { id: 9, name: 'T\0-9', vin: 5, year: {}, vehicleWeightInPounds: '1' };
    const samsara = new FakeVendor({ '/fleet/vehicles': [toPage([...NO_RECORDS, vehicle])] });
    const { records } = await listVehicles(samsara.connection, null);
    const rest = { vin: null, plate: null, make: null, model: null, year: null, dutyClass: null };
    expect(records).to.deep.equal([{ externalId: '9', name: 'T-9', ...rest }]);
  });

  it('leaves out drivers without an id that can be stored, and names and numbers that are no texts', async () => {
    const driver = { id: '9', name: ' Sam\0 Rivera ', phone: 5, licenseNumber: 'E1', email: 'a@b.co' };
    const samsara = new FakeVendor({ '/fleet/drivers': [toPage([...NO_RECORDS, driver])] });
    const { records } = await listDrivers(samsara.connection, null);
    expect(records).to.deep.equal([{ externalId: '9', name: 'Sam Rivera', phone: null }]);
  });

  it('a list of vehicles and a stream of reports begin anew after a refused cursor', async () => {
    const refused = { status: 400, body: { message: 'Invalid cursor' } };
    const list = new FakeVendor({ '/fleet/vehicles': [refused, toPage([{ id: '1' }])] });
    expect((await listVehicles(list.connection, 'dead')).records).to.have.length(1);
    const reports = new FakeVendor({ '/dvirs/stream': [refused, toPage([])] });
    const cursor = JSON.stringify({ from: '2020-01-01T00:00:00.000Z', after: 'dead' });
    const page = await pullInspections(reports.connection, { stream: 'inspections', cursor, since: null });
    const [first, second] = reports.paths.map(({ searchParams }) => Object.fromEntries(searchParams));
    expect(first).to.include({ after: 'dead', startTime: '2020-01-01T00:00:00.000Z' });
    expect(second).to.not.have.property('after');
    const days = (Date.now() - Date.parse(second?.startTime ?? '')) / 86_400_000;
    expect(days).to.be.within(30, 32);
    expect(JSON.parse(page.cursor)).to.deep.equal({ from: second?.startTime, after: 'c' });
  });

  it('a webhook secret has at least 16 bytes', () => {
    const check = (bytes: number) => {
      const webhook_secret = Buffer.alloc(bytes, 1).toString('base64');
      return manifest.credentialsSchema?.validate({ api_token: 't', webhook_secret }).error;
    };
    expect([check(16), check(32)]).to.deep.equal([undefined, undefined]);
    expect(check(15)).to.not.equal(undefined);
  });

  it('a refusal of one right names what the token may not read', async () => {
    const samsara = new FakeVendor({ '/fleet/vehicles': [{ status: 403, body: { message: 'No access' } }] });
    const { kind, message } = await catchError(listVehicles(samsara.connection, null));
    expect([kind, message]).to.deep.equal([
      'auth',
      'Samsara does not let this token read /fleet/vehicles: No access',
    ]);
  });
});
