import { expect } from 'chai';
import fc from 'fast-check';
import { thinReports } from '../../../shared/resources/trucks/keep-positions.js';
import { hasStoodNear, measureDrive } from '../../../shared/resources/work-orders/driven/measure-drive.js';
import { driveNorth, TOW_LEGS } from '../../support/driving/drives.js';

const MINUTE = 60_000;
const DAY = 86_400_000;
const TOW = driveNorth(TOW_LEGS);
const WHOLE = { fromMs: 0, untilMs: 80 * MINUTE };
const LOADED = { fromMs: 40 * MINUTE, untilMs: 70 * MINUTE };
const without = (fromMinute: number, untilMinute: number) =>
  TOW.filter(({ atMs }) => atMs <= fromMinute * MINUTE || atMs >= untilMinute * MINUTE);

describe('measureDrive', () => {
  it('sums the whole drive, and the loaded part between two steps', () => {
    expect(measureDrive(TOW, WHOLE)).to.deep.equal({ miles: 25, coverage: 1 });
    expect(measureDrive(TOW, LOADED)).to.deep.equal({ miles: 15, coverage: 1 });
  });

  it('a step between two positions counts the part of the way before it', () => {
    const window = { fromMs: 40 * MINUTE, untilMs: 40 * MINUTE + 10_000 + 10 * MINUTE };
    const positions = TOW.filter((_, index) => index % 4 === 0);
    expect(measureDrive(positions, window)).to.deep.equal({ miles: 5.1, coverage: 1 });
  });

  it('noise of a standing receiver is no drive', () => {
    const parked = driveNorth([{ minutes: 60, mph: 0 }]).map((position, nth) => ({
      ...position,
      lat: position.lat + (nth % 2) * 0.0003,
    }));
    expect(measureDrive(parked, { fromMs: 0, untilMs: 60 * MINUTE })).to.deep.equal({
      miles: 0,
      coverage: 1,
    });
  });

  it('a position that no truck can reach is ignored, and many of them leave no figure', () => {
    const jump = (every: number) =>
      TOW.map((one, nth) => (nth % every === every - 1 ? { ...one, lat: one.lat + 1 } : one));
    expect(measureDrive(jump(40), LOADED)).to.deep.equal({ miles: 15, coverage: 1 });
    expect(measureDrive(jump(4), LOADED).miles).to.equal(null);
  });

  it('a short gap lowers the coverage, and a long gap leaves no figure', () => {
    const { miles, coverage } = measureDrive(without(45, 51), LOADED);
    expect({ miles, coverage }).to.deep.equal({ miles: 15, coverage: 0.8 });
    expect(measureDrive(without(45, 56), LOADED).miles).to.equal(null);
    expect(measureDrive(without(38, 52), LOADED).miles, 'at the start').to.equal(null);
    expect(measureDrive(without(58, 99), LOADED).miles, 'at the end').to.equal(null);
  });

  it('a parked truck that reports nothing until it leaves is covered', () => {
    const silent = without(21, 40.5);
    expect(measureDrive(silent, WHOLE)).to.deep.equal({ miles: 25, coverage: 1 });
    expect(measureDrive(without(71, 99), WHOLE), 'at the end').to.deep.equal({ miles: 25, coverage: 1 });
    expect(measureDrive(silent.slice(0, 45), WHOLE).miles, 'silent for good').to.equal(null);
    const mute = silent.map((one) => ({ ...one, speedMph: null }));
    expect(measureDrive(mute, WHOLE).miles, 'without speeds').to.equal(null);
  });

  it('a parked truck that reports once is covered at any second of the half minute in which it stops', () => {
    for (let second = 0; second < 30; second += 1) {
      const reports = driveNorth(TOW_LEGS, { everySeconds: 5 }).flatMap(
        ({ speedMph, atMs, ...place }, nth, all) => {
          const at = new Date(DAY + second * 1_000 + atMs).toISOString();
          const isSilent = speedMph === 0 && all[nth - 1]?.speedMph === 0;
          return isSilent ? [] : [{ ...place, truck_id: 'truck', heading: null, speed_mph: speedMph, at }];
        },
      );
      const kept = thinReports(reports, 30_000).map(({ report: { lat, lng, speed_mph, at } }) => ({
        lat,
        lng,
        speedMph: speed_mph,
        atMs: Date.parse(at) - DAY - second * 1_000,
      }));
      expect(kept.length).to.be.below(105);
      expect(measureDrive(kept, WHOLE), `${second} s`).to.deep.equal({ miles: 25, coverage: 1 });
    }
  });

  it('a parked truck that is silent for too long may have been away, also if it comes back', () => {
    const hours = { fromMs: 0, untilMs: 100 * MINUTE };
    const away = (miles: number) => {
      const yard = driveNorth([{ minutes: 100, mph: 0 }]);
      return yard.flatMap((one) => {
        if (one.atMs <= MINUTE / 2) return [one];
        return one.atMs < 90 * MINUTE ? [] : [{ ...one, lat: one.lat + miles / 69.09 }];
      });
    };
    expect(measureDrive(away(0), hours)).to.deep.equal({ miles: null, coverage: 0.11 });
    expect(measureDrive(away(0.8), hours)).to.deep.equal({ miles: null, coverage: 0.11 });
    expect(hasStoodNear(away(0), 50 * MINUTE), 'in the middle').to.equal(false);
    for (const minute of [15, 88]) expect(hasStoodNear(away(0), minute * MINUTE)).to.equal(true);
    const isLeaving = { fromMs: 75 * MINUTE, untilMs: 100 * MINUTE };
    expect(measureDrive(away(0.8), isLeaving), 'parked before').to.deep.equal({ miles: 0.8, coverage: 1 });
  });

  it('a truck that drives into a dead spot and is seen again at the same place did not stand there', () => {
    const [into, out] = [driveNorth([{ minutes: 20, mph: 45 }]), driveNorth([{ minutes: 60, mph: 45 }])];
    const last = into.at(-1) as (typeof into)[number];
    const back = out.map((one) => ({
      ...one,
      lat: last.lat + 0.02 / 69.09 + one.lat - 40,
      atMs: one.atMs + 60 * MINUTE,
    }));
    const positions = [...into, ...back];
    const hookedMs = 52 * MINUTE;
    expect(hasStoodNear(positions, hookedMs)).to.equal(false);
    const { coverage } = measureDrive(positions, { fromMs: hookedMs, untilMs: 120 * MINUTE });
    expect(coverage).to.equal(0.88);
    expect(measureDrive(positions, { fromMs: 0, untilMs: 120 * MINUTE }).miles).to.equal(null);
  });

  it('without positions there is no figure', () => {
    expect(measureDrive([], WHOLE)).to.deep.equal({ miles: null, coverage: 0 });
    expect(measureDrive(TOW.slice(0, 1), WHOLE).miles).to.equal(null);
    expect(measureDrive(TOW, { fromMs: MINUTE, untilMs: MINUTE }).miles).to.equal(null);
  });

  it('never exceeds what a truck can drive, whatever the positions are', () => {
    const position = fc.record({
      lat: fc.double({ min: -90, max: 90, noNaN: true }),
      lng: fc.double({ min: -180, max: 180, noNaN: true }),
      speedMph: fc.option(fc.integer({ min: 0, max: 200 })),
      atMs: fc.integer({ min: -60 * MINUTE, max: 140 * MINUTE }),
    });
    fc.assert(
      fc.property(fc.array(position, { maxLength: 60 }), (unsorted) => {
        const positions = unsorted.sort((one, other) => one.atMs - other.atMs);
        const { miles, coverage } = measureDrive(positions, WHOLE);
        expect(coverage).to.be.within(0, 1);
        if (miles !== null) expect(miles).to.be.within(0, 100 * (80 / 60) + 1);
      }),
    );
  });
});
