import { expect } from 'chai';
import { buildTrackingState } from '../../../api/public/tracking/tracking-view.js';
import type { TrackedWorkOrder } from '../../../shared/resources/work-order-links/tracking-queries.js';

const NOW = new Date('2026-11-27T04:55:00Z');

const tracked = (overrides: Partial<TrackedWorkOrder> = {}): TrackedWorkOrder => ({
  environment: 'live',
  company: 'Hudson Towing',
  phone: null,
  time_zone: 'America/New_York',
  logo: null,
  has_link_ended: false,
  progress: 'en_route',
  is_towed: true,
  contact_name: 'Dana Whitfield',
  vehicle_make: null,
  vehicle_model: null,
  eta: null,
  unit_number: 'T-12',
  position: null,
  drive: null,
  read_at: NOW,
  ...overrides,
});

describe('buildTrackingState', () => {
  it('buildTrackingState names the day of an ETA only if it is another day where the account is', () => {
    const etaIn = (time_zone: string, minutes: number) =>
      buildTrackingState(tracked({ time_zone, eta: new Date(NOW.getTime() + minutes * 60_000) }), NOW).texts
        .eta;
    expect(etaIn('America/New_York', 3)).to.equal('Expected at 11:58 PM EST');
    expect(etaIn('America/New_York', 7)).to.equal('Expected at Fri, Nov 27, 12:02 AM EST');
    expect(etaIn('Asia/Tokyo', 7)).to.equal('Expected at 2:02 PM GMT+9');
  });

  it('buildTrackingState rounds the wait up to minutes, and says so when the time has passed', () => {
    const waitOf = (seconds: number) =>
      buildTrackingState(tracked({ eta: new Date(NOW.getTime() + seconds * 1000) }), NOW).texts.eta_in;
    expect([1, 60, 61, 3600, 3660, 7200, 0, -30].map(waitOf)).to.deep.equal([
      'In about 1 min',
      'In about 1 min',
      'In about 2 min',
      'In about 1 h',
      'In about 1 h 1 min',
      'In about 2 h',
      'This time has passed.',
      'This time has passed.',
    ]);
  });

  it('buildTrackingState shows an ETA only while the motorist waits', () => {
    const eta = new Date(NOW.getTime() + 60_000);
    const progresses = [
      'pending',
      'assigned',
      'en_route',
      'on_scene',
      'towing',
      'returning',
      'completed',
    ] as const;
    const shown = progresses.filter(
      (progress) => buildTrackingState(tracked({ progress, eta }), NOW).texts.eta !== null,
    );
    expect(shown).to.deep.equal(['pending', 'assigned', 'en_route']);
    expect(buildTrackingState(tracked({ progress: 'cancelled', eta }), NOW).texts.eta).to.equal(null);
  });
});
