import { expect } from 'chai';
import { proposeStep, type TrackedDrive } from '../../../shared/resources/trucks/propose-step.js';

const NOW = Date.parse('2026-11-27T14:00:00Z');
/** One degree of latitude is 69.093 miles. */
const FEET_PER_DEGREE = 69.093 * 5280;

/** A truck that stands this many feet north of the pickup, or of another place. */
const stand = (feet: number, members: Partial<TrackedDrive> = {}): TrackedDrive => ({
  truck: { lat: 40 + feet / FEET_PER_DEGREE, lng: -74 },
  to: 'pickup',
  place: { lat: 40, lng: -74 },
  locatedMs: NOW,
  speedMph: 0,
  hasDeparted: true,
  ...members,
});

const propose = (drive: TrackedDrive) => proposeStep(drive, NOW);

describe('proposeStep', () => {
  it('proposeStep proposes on_scene within 500 feet of the pickup, in every direction', () => {
    expect([0, 250, 499].map((feet) => propose(stand(feet)))).to.deep.equal(Array(3).fill('on_scene'));
    expect([501, 5280, 1e6].map((feet) => propose(stand(feet)))).to.deep.equal([null, null, null]);
    const east = (feet: number) => {
      // A degree of longitude is shorter than one of latitude.
      const lng = -74 + feet / (FEET_PER_DEGREE * Math.cos((40 * Math.PI) / 180));
      return propose(stand(0, { truck: { lat: 40, lng } }));
    };
    expect([east(-499), east(499), east(-501), east(501)]).to.deep.equal([
      'on_scene',
      'on_scene',
      null,
      null,
    ]);
    expect(propose(stand(Number.NaN))).to.equal(null);
  });

  it('proposeStep takes only a speed below 5 mph, and no position without a speed', () => {
    const at = (speedMph: number | null) => propose(stand(100, { speedMph }));
    expect([0, 2, 4.9].map(at)).to.deep.equal(Array(3).fill('on_scene'));
    expect([5, 30, null].map(at)).to.deep.equal([null, null, null]);
  });

  it('proposeStep is null for a position of more than five minutes ago or ahead', () => {
    const at = (seconds: number) => propose(stand(100, { locatedMs: NOW + seconds * 1000 }));
    expect([-300, 0, 300].map(at)).to.deep.equal(Array(3).fill('on_scene'));
    expect([-301, 301].map(at)).to.deep.equal([null, null]);
  });

  it('proposeStep is null for a truck that has not left for the place', () => {
    expect(propose(stand(0, { hasDeparted: false }))).to.equal(null);
    expect(propose(stand(0, { to: 'dropoff', hasDeparted: false }))).to.equal(null);
  });

  it('proposeStep proposes at_destination at the drop-off, within the same distance and speed', () => {
    const at = (feet: number, members: Partial<TrackedDrive> = {}) =>
      propose(stand(feet, { to: 'dropoff', ...members }));
    expect([0, 499, 501].map((feet) => at(feet))).to.deep.equal(['at_destination', 'at_destination', null]);
    expect([at(0, { speedMph: 5 }), at(0, { locatedMs: NOW - 301_000 })]).to.deep.equal([null, null]);
  });
});
