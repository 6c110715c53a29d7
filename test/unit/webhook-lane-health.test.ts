import { expect } from 'chai';
import fc from 'fast-check';
import {
  type AttemptFacts,
  isHalfOpen,
  type LaneHealth,
  noteAttempt,
  pausedUntil,
} from '../../workers/webhooks/lane-health.js';
import type { Decision } from '../../workers/webhooks/retry-policy.js';
import { newHealth } from '../support/webhook-lanes.js';

const T0 = Date.UTC(2026, 10, 22);
const LONGEST_MS = 15 * 60_000;

const decision = (status: Decision['status'], more: Partial<Decision> = {}): Decision => ({
  ...{ status, errorClass: status === 'succeeded' ? null : 'http_500' },
  ...{ retryInMs: status === 'failed' ? 5000 : null, stop: null, pauseMs: 0 },
  ...more,
});
const note = (health: LaneHealth, facts: Partial<AttemptFacts> = {}): boolean =>
  noteAttempt(health, {
    ...{ deliveryId: 'd', isSingle: false, decision: decision('failed'), now: T0, random: 0 },
    ...facts,
  });
const failTimes = (health: LaneHealth, count: number, now = T0) => {
  for (let nth = 0; nth < count; nth += 1) note(health, { now });
};

describe('health of a lane', () => {
  let health: LaneHealth;
  beforeEach(() => {
    health = newHealth();
  });

  it('opens the breaker at the fifth failure in a row, for half a minute', () => {
    failTimes(health, 4);
    expect(health).to.include({ consecutiveFailures: 4, failingSince: T0, openUntil: null, opened: 0 });
    expect(pausedUntil(health, T0)).to.equal(0);
    note(health);
    expect(health).to.include({ opened: 1, openUntil: T0 + 30_000, lastError: 'http_500' });
    expect(pausedUntil(health, T0 + 29_999)).to.equal(T0 + 30_000);
    expect(pausedUntil(health, T0 + 30_000)).to.equal(0);
  });

  it('needs five in a row: a success in between begins anew', () => {
    failTimes(health, 4);
    note(health, { decision: decision('succeeded') });
    failTimes(health, 4);
    expect(health.openUntil).to.equal(null);
  });

  it('pauses twice as long after each failed probe, a quarter of an hour at most', () => {
    failTimes(health, 5);
    const pauses = [];
    for (let probe = 0; probe < 2000; probe += 1) {
      const now = health.openUntil ?? 0;
      expect(isHalfOpen(health)).to.equal(true);
      note(health, { now });
      pauses.push((health.openUntil ?? 0) - now);
    }
    expect(pauses.slice(0, 6).map((ms) => ms / 1000)).to.deep.equal([60, 120, 240, 480, 900, 900]);
    expect(new Set(pauses.slice(6))).to.deep.equal(new Set([LONGEST_MS]));
  });

  it('learns nothing from what was under way when it opened', () => {
    failTimes(health, 12);
    expect(health).to.include({ opened: 1, openUntil: T0 + 30_000, consecutiveFailures: 12 });
  });

  it('is well again after one success, whatever was before', () => {
    failTimes(health, 5);
    expect(note(health, { decision: decision('succeeded'), now: T0 + 60_000 })).to.equal(true);
    expect(health).to.include({
      ...{ opened: 0, openUntil: null, consecutiveFailures: 0, failingSince: null },
      lastSuccessAt: T0 + 60_000,
    });
    expect(isHalfOpen(health)).to.equal(false);
  });

  it('says when there is something to store: the first success, a trouble, its end', () => {
    const success = { decision: decision('succeeded') };
    expect(note(health, success)).to.equal(true);
    expect(note(health, success)).to.equal(false);
    expect(note(health)).to.equal(true);
    expect(note(health, success)).to.equal(true);
    expect(note(health, { decision: decision('succeeded', { stop: 'receiver' }) })).to.equal(true);
    expect(health.stopReason).to.equal('receiver');
  });

  it('counts what has used up its attempts, and remembers the last of it; no test or probe, and not what the receiver ended', () => {
    note(health, { decision: decision('exhausted'), deliveryId: 'one' });
    note(health, { decision: decision('exhausted'), deliveryId: 'two' });
    note(health, { decision: decision('exhausted'), deliveryId: 'probe', isSingle: true });
    note(health, { decision: decision('exhausted', { stop: 'gone' }), deliveryId: 'gone' });
    expect(health).to.include({ exhaustedCount: 2, lastExhaustedId: 'two', stopReason: 'gone' });
  });

  it('does not take a refused message for a failure, nor for a success', () => {
    failTimes(health, 2);
    const before = { ...health };
    for (let nth = 0; nth < 10; nth += 1) note(health, { decision: decision('cancelled') });
    expect(health).to.deep.equal(before);
  });

  it('has an end that came with a refused message stored at once', () => {
    expect(note(health, { decision: decision('cancelled') })).to.equal(false);
    expect(note(health, { decision: decision('cancelled', { stop: 'gone' }) })).to.equal(true);
    expect(health.stopReason).to.equal('gone');
  });

  it('keeps the longest pause that was asked for', () => {
    note(health, { decision: decision('failed', { pauseMs: 60_000 }) });
    note(health, { decision: decision('failed', { pauseMs: 1000 }), now: T0 + 10 });
    expect(health.throttledUntil).to.equal(T0 + 60_000);
    expect(pausedUntil(health, T0 + 59_999)).to.equal(T0 + 60_000);
    note(health, { decision: decision('succeeded'), now: T0 + 20 });
    expect(health.throttledUntil, 'a success does not shorten it').to.equal(T0 + 60_000);
  });

  it('never pauses for longer than its bounds, whatever happens', () => {
    const step = fc.record({
      status: fc.constantFrom<Decision['status']>('succeeded', 'failed', 'exhausted', 'cancelled'),
      pauseMs: fc.constantFrom(0, 0, 5000, 24 * 3_600_000),
      waitMs: fc.constantFrom(0, 10, 5000, 40_000, LONGEST_MS),
      random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const own = newHealth();
        let now = T0;
        let [asked, failures] = [0, 0];
        for (const { status, pauseMs, waitMs, random } of steps) {
          now += waitMs;
          note(own, { decision: decision(status, { pauseMs }), now, random });
          asked = Math.max(asked, pauseMs > 0 ? now + pauseMs : 0);
          if (status === 'succeeded') failures = 0;
          else if (status !== 'cancelled') failures += 1;
          const until = pausedUntil(own, now);
          expect(until === 0 || until > now).to.equal(true);
          expect(until).to.be.at.most(Math.max(asked, now + LONGEST_MS * 1.2));
          if (failures < 5) expect(until, 'only what it asked for').to.be.oneOf([0, asked]);
          if (failures >= 5) expect(own.opened).to.be.at.least(1);
        }
      }),
    );
  });
});
