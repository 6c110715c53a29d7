import { expect } from 'chai';
import { newId } from '../../../shared/platform/ids.js';
import { keepPositions } from '../../../shared/resources/trucks/keep-positions.js';
import type { TruckOdometer } from '../../../shared/resources/trucks/positions.js';
import { useStack, useTenant } from '../../support/use-stack.js';

const INTERVAL_MS = 30_000;

describe('the readings that are kept with past positions', () => {
  const stack = useStack({ worker: false });
  const tenant = useTenant(stack, 'Kept Readings Towing');
  let truck_id: string;
  let connectionId: string;
  const startMs = Math.floor((Date.now() - 3_600_000) / INTERVAL_MS) * INTERVAL_MS;

  beforeEach(() => {
    [truck_id, connectionId] = [newId(), newId()];
  });

  const at = (seconds: number) => new Date(startMs + seconds * 1_000).toISOString();
  const place = (seconds: number, speed_mph: number | null = 30) => ({
    truck_id,
    lat: 42,
    lng: -73,
    heading: null,
    speed_mph,
    at: at(seconds),
  });
  const read = (seconds: number, miles: number, source: TruckOdometer['source'] = 'obd'): TruckOdometer => ({
    truck_id,
    miles,
    source,
    at: at(seconds),
  });
  const keep = (
    reports: ReturnType<typeof place>[],
    odometers: TruckOdometer[],
    connection = connectionId,
  ): Promise<void> =>
    stack.runtime.db.transaction([tenant.id], async (tx) => {
      const source = { tenantId: tenant.id, connectionId: connection };
      keepPositions(tx, source, { reports, odometers, intervalMs: INTERVAL_MS });
    });
  /** Returns the kept readings as texts: miles, source, and second of the reading. */
  const listKept = async () => {
    const rows = await stack.rows<{ kept: string | null }>(
      tenant.id,
      `select odometer_miles || ' ' || odometer_source || ' ' || extract(epoch from odometer_at)::int - $3::int as kept
       from truck_positions where tenant_id = $1 and truck_id = $2 order by id`,
      [tenant.id, truck_id, startMs / 1_000],
    );
    return rows.map(({ kept }) => kept);
  };

  it('a position keeps the first reading of its interval, and a calculated one only without another', async () => {
    await keep(
      [place(0), place(31), place(61)],
      [read(2, 10, 'gps'), read(5, 20), read(9, 21), read(40, 11, 'gps'), read(50, 12, 'gps')],
    );
    expect(await listKept()).to.deep.equal(['20 obd 5', '11 gps 40', null]);
  });

  it('a reading of a later read is added to the position that was kept before, once', async () => {
    await keep([place(0), place(30)], []);
    await keep([], [read(4, 20), read(34, 11, 'gps')]);
    expect(await listKept(), 'alone').to.deep.equal(['20 obd 4', '11 gps 34']);
    await keep([place(10), place(40)], [read(10, 21), read(40, 22)]);
    expect(await listKept(), 'with another position').to.deep.equal(['20 obd 4', '22 obd 40']);
    await keep([], [read(12, 23, 'gps'), read(45, 24)]);
    expect(await listKept(), 'later').to.deep.equal(['20 obd 4', '22 obd 40']);
  });

  it('a truck that comes to stand keeps the reading of its interval', async () => {
    await keep([place(0)], [read(0, 20)]);
    await keep([place(20, 0)], []);
    expect(await listKept()).to.deep.equal(['20 obd 0']);
    await keep([], [read(90, 30)]);
    expect(await listKept(), 'without a position').to.deep.equal(['20 obd 0']);
  });

  it('a position keeps no reading of another connection', async () => {
    const other = newId();
    await keep([place(0), place(30)], [read(0, 20)]);
    await keep([place(5)], [read(5, 900), read(35, 901)], other);
    expect(await listKept()).to.deep.equal(['20 obd 0', null]);
    await keep([place(10, 0)], [read(10, 902)], other);
    expect(await listKept(), 'it replaces the position').to.deep.equal(['902 obd 10', null]);
    await keep([place(40, 0)], []);
    await keep([], [read(44, 21)]);
    expect(await listKept()).to.deep.equal(['902 obd 10', '21 obd 44']);
  });
});
