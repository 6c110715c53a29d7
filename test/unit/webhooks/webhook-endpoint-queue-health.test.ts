import { expect } from 'chai';
import fc from 'fast-check';
import type { AttemptDecision } from '../../../shared/deliveries/attempt.js';
import type { EndpointQueueHealth } from '../../../shared/deliveries/queue-health.js';
import { getPauseEnd, isHalfOpen } from '../../../workers/leased-queues/circuit-breaker.js';
import { type AttemptFacts, applyAttempt } from '../../../workers/webhooks/queue/endpoint-queue-health.js';
import { buildQueueHealth } from '../../support/webhooks/endpoint-queues.js';

const T0 = Date.UTC(2026, 10, 22);
const MAX_PAUSE_MS = 15 * 60_000;

const decision = (
  status: AttemptDecision['status'],
  more: Partial<AttemptDecision> = {},
): AttemptDecision => ({
  status,
  errorClass: status === 'succeeded' ? null : 'http_500',
  retryInMs: status === 'failed' ? 5000 : null,
  stop: null,
  pauseMs: 0,
  ...more,
});
const recordAttempt = (health: EndpointQueueHealth, facts: Partial<AttemptFacts> = {}): boolean =>
  applyAttempt(health, {
    deliveryId: 'd',
    isSingle: false,
    decision: decision('failed'),
    now: T0,
    random: 0,
    ...facts,
  });
const failTimes = (health: EndpointQueueHealth, count: number, now = T0) => {
  for (let nth = 0; nth < count; nth += 1) recordAttempt(health, { now });
};

describe('health of an endpoint queue', () => {
  let health: EndpointQueueHealth;
  beforeEach(() => {
    health = buildQueueHealth();
  });

  it('the circuit breaker opens for half a minute at the fifth failure in a row', () => {
    failTimes(health, 4);
    expect(health).to.include({ consecutiveFailures: 4, failingSince: T0, openUntil: null, openCount: 0 });
    expect(getPauseEnd(health, T0)).to.equal(0);
    recordAttempt(health);
    expect(health).to.include({ openCount: 1, openUntil: T0 + 30_000, lastError: 'http_500' });
    expect(getPauseEnd(health, T0 + 29_999)).to.equal(T0 + 30_000);
    expect(getPauseEnd(health, T0 + 30_000)).to.equal(0);
  });

  it('a success resets the count of failures in a row', () => {
    failTimes(health, 4);
    recordAttempt(health, { decision: decision('succeeded') });
    failTimes(health, 4);
    expect(health.openUntil).to.equal(null);
  });

  it('each failed probe doubles the pause, up to a quarter of an hour', () => {
    failTimes(health, 5);
    const pauses = [];
    for (let probe = 0; probe < 2000; probe += 1) {
      const now = health.openUntil ?? 0;
      expect(isHalfOpen(health)).to.equal(true);
      recordAttempt(health, { now });
      pauses.push((health.openUntil ?? 0) - now);
    }
    expect(pauses.slice(0, 6).map((ms) => ms / 1000)).to.deep.equal([60, 120, 240, 480, 900, 900]);
    expect(new Set(pauses.slice(6))).to.deep.equal(new Set([MAX_PAUSE_MS]));
  });

  it('failures of requests in flight when the breaker opened do not lengthen the pause', () => {
    failTimes(health, 12);
    expect(health).to.include({ openCount: 1, openUntil: T0 + 30_000, consecutiveFailures: 12 });
  });

  it('one success makes the endpoint healthy again', () => {
    failTimes(health, 5);
    expect(recordAttempt(health, { decision: decision('succeeded'), now: T0 + 60_000 })).to.equal(true);
    expect(health).to.include({
      openCount: 0,
      openUntil: null,
      consecutiveFailures: 0,
      failingSince: null,
      lastSuccessAt: T0 + 60_000,
    });
    expect(isHalfOpen(health)).to.equal(false);
  });

  it('a change must be stored after the first success, a first failure, a recovery or a stop', () => {
    const success = { decision: decision('succeeded') };
    expect(recordAttempt(health, success)).to.equal(true);
    expect(recordAttempt(health, success)).to.equal(false);
    expect(recordAttempt(health)).to.equal(true);
    expect(recordAttempt(health, success)).to.equal(true);
    expect(recordAttempt(health, { decision: decision('succeeded', { stop: 'receiver' }) })).to.equal(true);
    expect(health.stopReason).to.equal('receiver');
  });

  it('exhausted deliveries are counted, except tests, probes and those the receiver stopped', () => {
    recordAttempt(health, { decision: decision('exhausted'), deliveryId: 'one' });
    recordAttempt(health, { decision: decision('exhausted'), deliveryId: 'two' });
    recordAttempt(health, { decision: decision('exhausted'), deliveryId: 'probe', isSingle: true });
    recordAttempt(health, { decision: decision('exhausted', { stop: 'gone' }), deliveryId: 'gone' });
    expect(health).to.include({ exhaustedCount: 2, lastExhaustedId: 'two', stopReason: 'gone' });
  });

  it('a delivery that the receiver aborts is neither a failure nor a success', () => {
    failTimes(health, 2);
    const before = { ...health };
    for (let nth = 0; nth < 10; nth += 1) recordAttempt(health, { decision: decision('cancelled') });
    expect(health).to.deep.equal(before);
  });

  it('a stop that arrives with an aborted delivery is stored immediately', () => {
    expect(recordAttempt(health, { decision: decision('cancelled') })).to.equal(false);
    expect(recordAttempt(health, { decision: decision('cancelled', { stop: 'gone' }) })).to.equal(true);
    expect(health.stopReason).to.equal('gone');
  });

  it('the longest requested pause applies', () => {
    recordAttempt(health, { decision: decision('failed', { pauseMs: 60_000 }) });
    recordAttempt(health, { decision: decision('failed', { pauseMs: 1000 }), now: T0 + 10 });
    expect(health.throttledUntil).to.equal(T0 + 60_000);
    expect(getPauseEnd(health, T0 + 59_999)).to.equal(T0 + 60_000);
    recordAttempt(health, { decision: decision('succeeded'), now: T0 + 20 });
    expect(health.throttledUntil, 'a success does not shorten it').to.equal(T0 + 60_000);
  });

  it('pauses never exceed their limits under any sequence of results', () => {
    const step = fc.record({
      status: fc.constantFrom<AttemptDecision['status']>('succeeded', 'failed', 'exhausted', 'cancelled'),
      pauseMs: fc.constantFrom(0, 0, 5000, 24 * 3_600_000),
      waitMs: fc.constantFrom(0, 10, 5000, 40_000, MAX_PAUSE_MS),
      random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const ownHealth = buildQueueHealth();
        let now = T0;
        let [requestedUntil, failures] = [0, 0];
        for (const { status, pauseMs, waitMs, random } of steps) {
          now += waitMs;
          recordAttempt(ownHealth, { decision: decision(status, { pauseMs }), now, random });
          requestedUntil = Math.max(requestedUntil, pauseMs > 0 ? now + pauseMs : 0);
          if (status === 'succeeded') failures = 0;
          else if (status !== 'cancelled') failures += 1;
          const until = getPauseEnd(ownHealth, now);
          expect(until === 0 || until > now).to.equal(true);
          expect(until).to.be.at.most(Math.max(requestedUntil, now + MAX_PAUSE_MS * 1.2));
          if (failures < 5) expect(until, 'only the requested pause').to.be.oneOf([0, requestedUntil]);
          if (failures >= 5) expect(ownHealth.openCount).to.be.at.least(1);
        }
      }),
    );
  });
});
