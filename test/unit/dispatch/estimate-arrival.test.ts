import { expect } from 'chai';
import fc from 'fast-check';
import { type Drive, estimateArrival } from '../../../shared/resources/trucks/estimate-arrival.js';
import { measureMiles } from '../../../shared/resources/trucks/great-circle.js';

const NOW = Date.parse('2026-11-27T14:00:00Z');
const MINUTE = 60_000;

/** One degree of latitude is 69.09 miles. */
const MILES_PER_DEGREE = 69.093;

const drive = (miles: number, members: Partial<Drive> = {}): Drive => ({
  truck: { lat: 40 + miles / MILES_PER_DEGREE, lng: -74 },
  place: { lat: 40, lng: -74 },
  locatedMs: NOW,
  speedMph: null,
  ...members,
});

const minutesOf = (given: Drive) => {
  const arrival = estimateArrival(given, NOW);
  return arrival && (arrival.getTime() - NOW) / MINUTE;
};

describe('measureMiles', () => {
  it('measureMiles is right over a known distance, across the date line and over a pole', () => {
    const newYork = { lat: 40.7128, lng: -74.006 };
    expect(measureMiles(newYork, { lat: 34.0522, lng: -118.2437 })).to.be.closeTo(2446, 3);
    expect(measureMiles({ lat: 0, lng: 179.5 }, { lat: 0, lng: -179.5 })).to.be.closeTo(69.1, 0.1);
    expect(measureMiles({ lat: 89.5, lng: 20 }, { lat: 89.5, lng: -160 })).to.be.closeTo(69.1, 0.1);
    expect(measureMiles({ lat: 90, lng: 0 }, { lat: 90, lng: 135 })).to.be.closeTo(0, 1e-6);
    expect(measureMiles(newYork, newYork)).to.equal(0);
  });
});

describe('estimateArrival', () => {
  it('estimateArrival takes 1.3 times the straight line at 30 mph if the truck stands or its speed is unknown', () => {
    for (const speedMph of [null, 0, 4.9]) expect(minutesOf(drive(3, { speedMph }))).to.equal(8);
  });

  it('estimateArrival blends the reported speed, within its bounds, with the average', () => {
    // 15 miles, so 19.5 by road: at 20, 30, 45 and 45 mph.
    const minutes = [5, 30, 60, 300].map((speedMph) => minutesOf(drive(15, { speedMph })));
    expect(minutes).to.deep.equal([60, 40, 30, 30]);
  });

  it('estimateArrival counts from the time of the position only if the truck moves', () => {
    const locatedMs = NOW - 4 * MINUTE;
    expect(minutesOf(drive(3, { locatedMs, speedMph: 30 }))).to.equal(4);
    expect(minutesOf(drive(3, { locatedMs, speedMph: 0 }))).to.equal(8);
  });

  it('estimateArrival rounds up: to a minute if the truck is near, and to five minutes on the clock if not', () => {
    expect(minutesOf(drive(2.1))).to.equal(6);
    expect(minutesOf(drive(4))).to.equal(15);
    const [odd] = [estimateArrival(drive(4), NOW + 2 * MINUTE)];
    expect(odd?.toISOString()).to.equal('2026-11-27T14:15:00.000Z');
  });

  it('estimateArrival is a minute ahead if the truck is at the pickup, or should have arrived', () => {
    expect(minutesOf(drive(0))).to.equal(1);
    expect(minutesOf(drive(0.5, { locatedMs: NOW - 5 * MINUTE, speedMph: 30 }))).to.equal(1);
  });

  it('estimateArrival is null for a position of more than five minutes ago or ahead', () => {
    const at = (seconds: number) => minutesOf(drive(3, { locatedMs: NOW + seconds * 1000 }));
    expect([-300, 0, 300].map(at)).to.deep.equal([8, 8, 8]);
    expect([-301, 301].map(at)).to.deep.equal([null, null]);
  });

  it('estimateArrival is null for a drive of more than six hours, such as from the place 0, 0', () => {
    expect(minutesOf(drive(138))).to.equal(360);
    expect(minutesOf(drive(139))).to.equal(null);
    expect(minutesOf(drive(0, { truck: { lat: 0, lng: 0 } }))).to.equal(null);
  });

  it('estimateArrival never is in the past or later than six hours and a rounding, wherever the truck is', () => {
    const place = fc.record({
      lat: fc.double({ min: -90, max: 90, noNaN: true }),
      lng: fc.double({ min: -180, max: 180, noNaN: true }),
    });
    const near = fc.double({ min: -0.5, max: 0.5, noNaN: true });
    const speed = fc.option(fc.double({ min: 0, max: 300, noNaN: true }));
    const check = (pickup: Drive['place'], north: number, ageMs: number, speedMph: number | null) => {
      const truck = { lat: Math.max(-90, Math.min(90, pickup.lat + north)), lng: pickup.lng };
      const minutes = minutesOf({ truck, place: pickup, locatedMs: NOW - ageMs, speedMph });
      expect(minutes).to.be.within(1, 365);
    };
    fc.assert(fc.property(place, near, fc.integer({ min: -300_000, max: 300_000 }), speed, check));
    expect(minutesOf(drive(Number.NaN))).to.equal(null);
  });
});
