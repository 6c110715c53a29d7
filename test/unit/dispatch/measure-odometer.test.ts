import { expect } from 'chai';
import type {
  DrivePosition,
  DriveReading,
} from '../../../shared/resources/work-orders/driven/measure-drive.js';
import { measureByOdometer } from '../../../shared/resources/work-orders/driven/measure-odometer.js';
import { measureWorkOrder } from '../../../shared/resources/work-orders/driven/measure-work-order.js';
import { addReadings, driveNorth, TOW_LEGS } from '../../support/driving/drives.js';

const MINUTE = 60_000;
const WHOLE = { fromMs: 0, untilMs: 80 * MINUTE };
const LOADED = { fromMs: 40 * MINUTE, untilMs: 70 * MINUTE };
const TIMES = { dispatchedMs: 0, endedMs: 80 * MINUTE, loadedMs: 40 * MINUTE, unloadedMs: 70 * MINUTE };
const PLAIN = driveNorth(TOW_LEGS);
const READ = addReadings(PLAIN);

const change = (
  edit: (reading: DriveReading, position: DrivePosition) => DriveReading | null,
  positions = READ,
): DrivePosition[] =>
  positions.map((one) => ({ ...one, reading: one.reading ? edit(one.reading, one) : null }));
const onlyAt = (minutes: readonly number[]) =>
  change((reading) => (minutes.includes(reading.atMs / MINUTE) ? reading : null));
const whole = (positions: readonly DrivePosition[]) => measureByOdometer(positions, WHOLE, 25);

describe('measureByOdometer', () => {
  it('the difference of the readings is the drive and its loaded part, longer than the straight lines', () => {
    expect(whole(READ)).to.equal(26);
    expect(measureByOdometer(READ, LOADED, 15)).to.equal(15.6);
    expect(measureWorkOrder(READ, TIMES)).to.deep.equal({
      miles: 26,
      coverage: 1,
      source: 'odometer',
      loaded_miles: 15.6,
      loaded_coverage: 1,
      loaded_source: 'odometer',
    });
  });

  it('a few readings are enough, and positions fill in the minutes between a reading and its step', () => {
    expect(whole(onlyAt([0, 80]))).to.equal(26);
    // At 30 mph, the truck drives 2 miles before the first reading, and 2 after the last one.
    expect(measureByOdometer(onlyAt([44, 66]), LOADED, 15)).to.equal(15.4);
    // The truck stands from minute 70 on.
    expect(whole(onlyAt([0, 71]))).to.equal(26);
    expect(whole(onlyAt([0, 60])), 'too early').to.equal(null);
    expect(whole(onlyAt([40])), 'one').to.equal(null);
    expect(whole(PLAIN), 'none').to.equal(null);
  });

  it('a reading from the other side of a silent time is not near a step', () => {
    // The truck drives away and back while its device is silent, before it is dispatched.
    const away = (minutes: number) =>
      [-minutes, -minutes + 0.5].map((minute): DrivePosition => {
        const atMs = minute * MINUTE;
        const reading: DriveReading = { miles: 47_995, source: 'obd', connectionId: 'one', atMs };
        return { lat: 40, lng: -74, speedMph: 30, atMs, reading };
      });
    const late = onlyAt([20, 80]);
    for (const minutes of [15, 4]) expect(whole([...away(minutes), ...late]), `${minutes}`).to.equal(null);
    // A reading after the silent time counts, although others may be nearer to the step.
    const window = { fromMs: MINUTE, untilMs: 80 * MINUTE };
    expect(measureByOdometer([...away(4), ...onlyAt([6, 80])], window, 24.5)).to.equal(25.4);
  });

  it('an odometer that falls, jumps or stands still is not used', () => {
    const from = (minute: number, miles: number) =>
      change((reading) =>
        reading.atMs >= minute * MINUTE ? { ...reading, miles: reading.miles + miles } : reading,
      );
    expect(whole(from(50, -0.5)), 'falls').to.equal(null);
    expect(whole(from(50, 3)), 'jumps').to.equal(null);
    expect(whole(from(50, 40_000)), 'far').to.equal(null);
    expect(whole(change((reading) => ({ ...reading, miles: 48_000.2 }))), 'stands still').to.equal(null);
  });

  it('kilometres or meters that are taken for miles, and the other way round, are not used', () => {
    for (const share of [1.609, 1_609, 0.62, 0.001]) {
      expect(whole(addReadings(PLAIN, { share })), `${share}`).to.equal(null);
      expect(measureByOdometer(addReadings(PLAIN, { share }), LOADED, 15), `${share}`).to.equal(null);
    }
    const fallen = measureWorkOrder(addReadings(PLAIN, { share: 1.609 }), TIMES);
    expect(fallen).to.include({
      miles: 25,
      source: 'positions',
      loaded_miles: 15,
      loaded_source: 'positions',
    });
  });

  it('an odometer that counts whole miles or kilometres measures long drives only', () => {
    for (const unit of [1, 1.609344]) {
      const coarse = change((reading) => ({ ...reading, miles: Math.floor(reading.miles * unit) / unit }));
      expect(measureByOdometer(coarse, LOADED, 15), 'short').to.equal(null);
      expect(whole(coarse), 'long').to.be.within(25, 27);
    }
  });

  it("the vehicle's own odometer counts before a calculated one, and two odometers are not mixed", () => {
    const half = change((reading, { atMs }) =>
      atMs < 40 * MINUTE ? reading : { ...reading, miles: reading.miles + 500, connectionId: 'two' },
    );
    expect(whole(half)).to.equal(null);
    const both = READ.map((one, nth) =>
      nth % 2 === 0 ? one : (addReadings(PLAIN, { share: 1.2, source: 'gps' })[nth] as DrivePosition),
    );
    expect(whole(both), 'own').to.equal(26);
    const broken = change((reading) => (reading.source === 'obd' ? { ...reading, miles: 1 } : reading), both);
    expect(whole(broken), 'calculated').to.be.within(29, 30.1);
  });

  it('without a figure by positions, nothing shows that the odometer is right', () => {
    const gap = READ.filter(({ atMs }) => atMs <= 45 * MINUTE || atMs >= 60 * MINUTE);
    expect(measureWorkOrder(gap, TIMES)).to.include({
      miles: null,
      source: null,
      loaded_miles: null,
      loaded_source: null,
    });
  });

  it('a loaded part is not longer than the whole drive, whose readings may not be usable', () => {
    const legs = [
      { minutes: 1, mph: 0 },
      { minutes: 30, mph: 30 },
      { minutes: 1, mph: 0 },
    ];
    const positions = change(
      (reading) => (reading.atMs >= 31 * MINUTE ? { ...reading, miles: reading.miles - 8 } : reading),
      addReadings(driveNorth(legs)),
    );
    const times = {
      dispatchedMs: 0,
      endedMs: 32 * MINUTE,
      loadedMs: MINUTE,
      unloadedMs: 30.5 * MINUTE,
    };
    expect(measureWorkOrder(positions, times)).to.include({ miles: 15, source: 'positions' });
    expect(measureWorkOrder(positions, times).loaded_miles).to.be.at.most(15);
  });
});
