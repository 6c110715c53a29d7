import { expect } from 'chai';
import type { VendorError } from '../../../shared/integrations/contract/vendor-error.js';
import { motive } from '../../../shared/integrations/motive/adapter.js';
import { inbound } from '../../../shared/integrations/motive/api/inbound.js';
import { listDrivers } from '../../../shared/integrations/motive/drivers.js';
import { manifest } from '../../../shared/integrations/motive/manifest.js';
import { pullPositions } from '../../../shared/integrations/motive/positions.js';
import { listVehicles } from '../../../shared/integrations/motive/vehicles.js';
import { type Answer, FakeVendor, toMotivePage } from '../../support/vendors/doubles/fleet/fake-vendor.js';

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
  { vehicle: null },
  { vehicle: [] },
  ...[null, '', {}, 1.5e300, 'a\0b', 'x'.repeat(101)].map((id) => ({ vehicle: { id } })),
];
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

describe('The adapter of Motive', () => {
  const locate = (id: unknown, members: object = {}) => ({
    vehicle: { id, current_location: { lat: 42, lon: -73, located_at: minutesAgo(1), ...members } },
  });
  const serve = (...answers: Answer[]) => new FakeVendor({ '/v1/vehicle_locations': answers }).connection;
  const poll = (rows: unknown[], cursor: string | null = null) =>
    pullPositions(serve(toMotivePage('vehicles', rows)), cursor);
  const listIds = ({ positions }: { positions: { externalId: string }[] }) =>
    positions.map(({ externalId }) => externalId);

  it('leaves out records and locations that are none, and keeps the others of the page', async () => {
    const at = minutesAgo(2);
    const bad = [undefined, null, [], 'x'].map((location) => ({
      vehicle: { id: 8, current_location: location },
    }));
    const good = locate(7, { located_at: at, bearing: -90, speed: 31.5 });
    const { positions, isLast } = await poll([...NO_RECORDS, ...bad, good]);
    expect(positions).to.deep.equal([
      { externalId: '7', lat: 42, lng: -73, heading: 270, speedMph: 31.5, at },
    ]);
    expect(isLast).to.equal(true);
  });

  it("reads the vehicle's odometer, else the one that Motive calculates, and leaves out what is none", async () => {
    const at = minutesAgo(1);
    const readings = [
      { true_odometer: 48_210.444, odometer: 12 },
      { true_odometer: null, odometer: 1_000.5 },
      { true_odometer: 0, odometer: '5' },
      { odometer: -1 },
      { odometer: 1e9 },
      {},
    ];
    const { odometers, positions } = await poll(
      readings.map((members, index) => locate(index + 1, { located_at: at, ...members })),
    );
    expect(odometers).to.deep.equal([
      { externalId: '1', miles: 48_210.44, source: 'obd', at },
      { externalId: '2', miles: 1_000.5, source: 'gps', at },
    ]);
    expect(positions.map((position) => Object.keys(position).includes('odometer'))).to.not.include(true);
  });

  it('leaves out locations whose time or place cannot be true, and a heading or speed that is none', async () => {
    const times = ['0000-06-01T00:00:00Z', '+275760-09-12T00:00:00Z', 'soon', 5, null];
    const places = [{ lat: '42' }, { lat: null }, { lat: 91 }, { lon: -181 }, { lat: 0, lon: 0 }];
    const rows = [
      ...times.map((located_at) => locate(7, { located_at })),
      ...places.map((p) => locate(7, p)),
    ];
    expect((await poll(rows)).positions).to.deep.equal([]);
    const [wrong] = (await poll([locate(7, { bearing: '90', speed: 301 })])).positions;
    expect(wrong).to.include({ heading: null, speedMph: null });
  });

  it('returns a position that stands still once, and one that comes late all the same', async () => {
    const parked = locate(1, { located_at: minutesAgo(30) });
    const first = await poll([parked, locate(2, { located_at: minutesAgo(1) })]);
    expect(listIds(first)).to.deep.equal(['1', '2']);
    const rows = [parked, locate(2, { located_at: minutesAgo(0) }), locate(3, { located_at: minutesAgo(2) })];
    const second = await poll(rows, first.cursor);
    expect(listIds(second)).to.deep.equal(['2', '3']);
    // A vehicle that was without a network for long is returned within five minutes.
    const { allAt, ...rest } = JSON.parse(second.cursor);
    expect(Date.now() - Date.parse(allAt)).to.be.below(60_000);
    const later = JSON.stringify({ ...rest, allAt: minutesAgo(6) });
    expect(listIds(await poll(rows, later))).to.deep.equal(['1', '2', '3']);
  });

  it('a clock that is ahead hides no other position, and each of its positions is returned once', async () => {
    const ahead = locate(1, { located_at: minutesAgo(-600) });
    const first = await poll([ahead, locate(2)]);
    expect(listIds(first)).to.deep.equal(['2', '1']);
    const second = await poll([ahead, locate(2, { located_at: minutesAgo(0) })], first.cursor);
    expect(listIds(second)).to.deep.equal(['2']);
    const moved = await poll([locate(1, { located_at: minutesAgo(-601) })], second.cursor);
    expect(listIds(moved)).to.deep.equal(['1']);
    const many = Array.from({ length: 150 }, (_, id) => locate(id, { located_at: minutesAgo(-600) }));
    const bounded = await poll(many);
    expect(bounded.positions).to.have.length(100);
    expect((await poll(many, bounded.cursor)).positions).to.deep.equal([]);
  });

  it('a poll of several pages drops nothing that is older than a newer position of its first page', async () => {
    const rows = [locate(1, { located_at: minutesAgo(0) }), locate(2, { located_at: minutesAgo(90) })];
    const pages = rows.map((row, index) =>
      toMotivePage('vehicles', [row], { per_page: 1, page_no: index + 1, total: 2 }),
    );
    const connection = serve(...pages);
    const first = await pullPositions(connection, null);
    expect([listIds(first), first.isLast]).to.deep.equal([['1'], false]);
    const second = await pullPositions(connection, first.cursor);
    expect([listIds(second), second.isLast]).to.deep.equal([['2'], true]);
    expect(JSON.parse(second.cursor)).to.include({ page: 1, seen: null });
  });

  it('asks for pages of 100 and miles, and obeys pages that are smaller than asked for', async () => {
    const vendor = new FakeVendor({
      '/v1/vehicles': [
        toMotivePage('vehicles', [{ vehicle: { id: 1 } }], { per_page: '25', page_no: 1, total: '30' }),
        toMotivePage('vehicles', [{ vehicle: { id: 2 } }], { per_page: 25, page_no: 2, total: 30 }),
      ],
    });
    const { next } = await listVehicles(vendor.connection, null);
    expect(next).to.equal('2');
    expect((await listVehicles(vendor.connection, next)).next).to.equal(null);
    const asked = vendor.paths.map(({ searchParams }) => Object.fromEntries(searchParams));
    expect(asked).to.deep.equal([
      { per_page: '100', page_no: '1' },
      { per_page: '100', page_no: '2' },
    ]);
    for (const headers of vendor.headers)
      expect(headers).to.include({ 'x-api-key': 't', 'x-metric-units': 'false' });
  });

  it('refuses an answer without a page', async () => {
    for (const body of [
      {},
      { vehicles: null, pagination: { total: 0 } },
      { vehicles: [] },
      { vehicles: [], pagination: { total: null } },
      { vehicles: [], pagination: { total: -1 } },
      { vehicles: [], pagination: { total: 'many' } },
    ])
      expect((await catchError(pullPositions(serve({ body }), null))).code).to.equal('no_page');
  });

  it('an empty page before the end ends a poll of positions, and fails a list of vehicles', async () => {
    const page = toMotivePage('vehicles', [], { per_page: 100, page_no: 2, total: 500 });
    const { cursor } = await poll([]);
    const onSecond = JSON.stringify({ ...JSON.parse(cursor), page: 2 });
    expect((await pullPositions(serve(page), onSecond)).isLast).to.equal(true);
    const list = new FakeVendor({ '/v1/vehicles': [page] });
    expect((await catchError(listVehicles(list.connection, '2'))).code).to.equal('short_list');
  });

  it('leaves out vehicles without an id that can be stored, and those that are no longer used', async () => {
    const year = { toString: 1, valueOf: 1 };
    const vehicle = { id: 9, number: 'T\0-9', vin: 5, year, status: 'active', license_plate_number: [] };
    const sold = { vehicle: { id: 10, number: 'Sold', status: 'deactivated' } };
    const rows = [...NO_RECORDS, { vehicle }, sold];
    const vendor = new FakeVendor({ '/v1/vehicles': [toMotivePage('vehicles', rows)] });
    const { records } = await listVehicles(vendor.connection, null);
    const rest = { vin: null, plate: null, make: null, model: null, year: null, dutyClass: null };
    expect(records).to.deep.equal([{ externalId: '9', name: 'T-9', ...rest }]);
  });

  it('lists users who drive, and leaves out those without an id, of another role, or deactivated', async () => {
    const driver = { id: 9, first_name: 'Sam\0', last_name: 5, phone: '2125550100', role: 'driver' };
    const others = [
      { ...driver, id: 10, role: 'admin' },
      { ...driver, id: 11, status: 'deactivated' },
    ];
    const users = [...NO_RECORDS, ...[driver, ...others].map((user) => ({ user }))];
    const vendor = new FakeVendor({ '/v1/users': [toMotivePage('users', users)] });
    const { records } = await listDrivers(vendor.connection, null);
    expect(records).to.deep.equal([{ externalId: '9', name: 'Sam', phone: '2125550100' }]);
    expect(vendor.paths[0]?.searchParams.get('role')).to.equal('driver');
  });

  it('a company without an id is no account, and a refusal of one right names what the key may not read', async () => {
    for (const companies of [undefined, null, [], [null], [{ company: {} }], [{ company: { id: {} } }]]) {
      const vendor = new FakeVendor({ '/v1/companies': [{ body: { companies } }] });
      expect((await catchError(motive.describe(vendor.connection))).code).to.equal('no_company');
    }
    const body = { error_message: 'No access' };
    const vendor = new FakeVendor({ '/v1/vehicles': [{ status: 403, body }] });
    const { kind, message } = await catchError(listVehicles(vendor.connection, null));
    expect([kind, message]).to.deep.equal([
      'auth',
      'Motive does not let this key read /v1/vehicles: No access',
    ]);
  });

  it('a webhook is one event or a list of events, and names each stream once', () => {
    const split = (content: unknown) =>
      inbound.split(Buffer.from(JSON.stringify(content))).map(({ stream }) => stream);
    expect(split({ action: 'inspection_report_upserted', id: 1 })).to.deep.equal(['inspections']);
    const vehicle = { action: 'vehicle_upserted', id: 2 };
    const list = [null, 5, 'vehicle_upserted', vehicle, vehicle, { action: 'inspection_report_upserted' }];
    expect(split(list)).to.deep.equal(['vehicles', 'inspections']);
    expect(split([{ action: '__proto__' }, { action: 'vehicle_location_updated' }, {}])).to.deep.equal([]);
    for (const body of ['5', 'null', '"x"', '{'])
      expect(() => inbound.split(Buffer.from(body)), body).to.throw();
  });

  it('copies of a webhook are one notice, and another webhook is another', () => {
    const read = (content: object) => inbound.split(Buffer.from(JSON.stringify(content)))[0]?.dedupeId;
    const event = { action: 'vehicle_upserted', id: 2 };
    // The clock may pass a boundary between two of three copies, but not between each two.
    expect(new Set([read(event), read(event), read(event)]).size).to.be.below(3);
    expect(read(event)).to.not.equal(read({ ...event, id: 3 }));
  });

  it('a webhook secret has at least 20 characters', () => {
    const check = (webhook_secret: string) =>
      manifest.credentialsSchema?.validate({ api_key: 'k', webhook_secret }).error;
    expect([check('x'.repeat(20)), check('x'.repeat(32))]).to.deep.equal([undefined, undefined]);
    for (const wrong of ['x'.repeat(19), 'x '.repeat(10), `${'x'.repeat(20)}\n`])
      expect(check(wrong), wrong).to.not.equal(undefined);
  });
});
