import { expect } from 'chai';
import fc from 'fast-check';
import { describePosition, PLAN_SIZE } from '../../../api/public/tracking/truck-position.js';

const PICKUP = { pickup_lat: 40, pickup_lng: -74 };
const FRESH = { ...PICKUP, is_stale: false, age_minutes: 0 };

describe('describePosition', () => {
  it('describePosition names the direction from the vehicle to the truck, and places the truck there', () => {
    const places: [string, number, number, 'x' | 'y', number][] = [
      ['north of', 0.5, 0, 'y', -1],
      ['north-east of', 0.5, 0.65, 'x', 1],
      ['east of', 0, 0.5, 'x', 1],
      ['south-east of', -0.5, 0.65, 'y', 1],
      ['south of', -0.5, 0, 'y', 1],
      ['south-west of', -0.5, -0.65, 'x', -1],
      ['west of', 0, -0.5, 'x', -1],
      ['north-west of', 0.5, -0.65, 'y', -1],
    ];
    for (const [direction, north, east, axis, side] of places) {
      const { text, plan } = describePosition({ ...FRESH, lat: 40 + north, lng: -74 + east });
      expect(text).to.include(` miles ${direction} your vehicle`);
      expect(Math.sign((plan?.[axis] ?? 0) - PLAN_SIZE / 2), direction).to.equal(side);
    }
  });

  it('describePosition names distances as coarsely as they are known', () => {
    const textAt = (north: number) => describePosition({ ...FRESH, lat: 40 + north, lng: -74 }).text;
    expect(textAt(0)).to.equal('The truck is very near.');
    expect(textAt(0.002)).to.equal('The truck is very near.');
    expect(textAt(0.02)).to.include('about 1.4 miles');
    expect(textAt(0.5)).to.include('about 35 miles');
  });

  it('describePosition keeps every truck inside the plan, also across the date line and at the poles', () => {
    const coordinates = fc.record({
      lat: fc.double({ min: -90, max: 90, noNaN: true }),
      lng: fc.double({ min: -180, max: 180, noNaN: true }),
      pickup_lat: fc.double({ min: -90, max: 90, noNaN: true }),
      pickup_lng: fc.double({ min: -180, max: 180, noNaN: true }),
    });
    fc.assert(
      fc.property(coordinates, (place) => {
        const { plan, text } = describePosition({ ...FRESH, ...place });
        expect(plan?.x).to.be.within(8, PLAN_SIZE - 8);
        expect(plan?.y).to.be.within(8, PLAN_SIZE - 8);
        expect(text).to.not.match(/NaN|undefined/);
      }),
    );
    const acrossDateLine = { ...FRESH, lat: 0, lng: -179.9, pickup_lat: 0, pickup_lng: 179.9 };
    expect(describePosition(acrossDateLine).text).to.include('about 14 miles east of');
  });

  it('describePosition shows an old position only as its age', () => {
    const old = { ...FRESH, lat: 40.1, lng: -74, is_stale: true };
    expect(describePosition({ ...old, age_minutes: 7 })).to.deep.equal({
      text: 'The truck has not reported its position for 7 minutes.',
      plan: null,
    });
    expect(describePosition({ ...old, age_minutes: 600 }).text).to.include('more than an hour');
  });
});
