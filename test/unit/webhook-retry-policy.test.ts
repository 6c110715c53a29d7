import { expect } from 'chai';
import fc from 'fast-check';
import {
  type AttemptResult,
  type DecisionContext,
  decide,
  retryAfterMs,
  SCHEDULE_MS,
} from '../../workers/webhooks/retry-policy.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const NOW = new Date('2026-11-22T10:00:00Z');

const answer = (status: number, headers: AttemptResult['headers'] = {}): AttemptResult => ({
  status,
  headers,
  errorClass: undefined,
});
const context = (overrides: Partial<DecisionContext> = {}): DecisionContext => ({
  ...{ attempts: 1, isSingle: false, now: NOW, random: 0 },
  ...overrides,
});
const askedBy = (value: string): number => retryAfterMs({ headers: { 'retry-after': value } }, NOW);

describe('retry policy', () => {
  it('tries ten times over 75 h 35 min', () => {
    const waits = Array.from(
      { length: 10 },
      (_, index) => decide(answer(500), context({ attempts: index + 1 })).retryInMs,
    );
    expect(waits).to.deep.equal([
      ...[
        5 * SECOND,
        5 * MINUTE,
        30 * MINUTE,
        2 * HOUR,
        5 * HOUR,
        10 * HOUR,
        14 * HOUR,
        20 * HOUR,
        24 * HOUR,
      ],
      null,
    ]);
    const whole = SCHEDULE_MS.reduce((sum, wait) => sum + wait, 0);
    expect(whole).to.equal(75 * HOUR + 35 * MINUTE + 5 * SECOND);
    expect(decide(answer(500), context({ attempts: 10 }))).to.include({
      status: 'exhausted',
      errorClass: 'http_500',
    });
  });

  it('lengthens a wait by up to a tenth and never shortens it, whoever asks for whatever', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        fc.integer({ min: 0, max: 200_000 }),
        fc.constantFrom(undefined, 302, 400, 404, 429, 500, 502, 503, 504),
        (attempts, random, asked, status) => {
          const { retryInMs, status: outcome } = decide(
            { status, headers: { 'retry-after': `${asked}` }, errorClass: 'timeout' },
            context({ attempts, random }),
          );
          const least = Math.max(SCHEDULE_MS[attempts] ?? 0, Math.min(asked * SECOND, 24 * HOUR));
          expect(outcome).to.equal('failed');
          expect(retryInMs).to.be.within(least, Math.ceil(least * 1.1));
        },
      ),
    );
  });

  it('takes 2xx as success and nothing else', () => {
    for (const status of [200, 201, 202, 204, 299])
      expect(decide(answer(status), context())).to.deep.equal({
        ...{ status: 'succeeded', errorClass: null, retryInMs: null, stop: null, pauseMs: 0 },
      });
    for (const status of [300, 301, 304, 307, 400, 401, 404, 408, 418, 422, 500, 501, 599, 999])
      expect(decide(answer(status), context()), `${status}`).to.deep.equal({
        ...{ status: 'failed', errorClass: `http_${status}`, retryInMs: 5000, stop: null, pauseMs: 0 },
      });
  });

  it('names the kind of a failure that has no answer', () => {
    const none = { status: undefined, headers: {} };
    expect(decide({ ...none, errorClass: 'timeout' }, context())).to.include({
      ...{ status: 'failed', errorClass: 'timeout', retryInMs: 5000, pauseMs: 0 },
    });
    expect(decide({ ...none, errorClass: undefined }, context()).errorClass).to.equal('internal');
  });

  it('ends with 410, and stops the endpoint', () => {
    expect(decide(answer(410), context())).to.deep.equal({
      ...{ status: 'exhausted', errorClass: 'http_410', retryInMs: null, stop: 'gone', pauseMs: 0 },
    });
  });

  it('slows an endpoint down that answers 429, 502 or 504, or 503 with a Retry-After', () => {
    const pauseOf = (status: number, headers = {}) => decide(answer(status, headers), context()).pauseMs;
    for (const status of [429, 502, 504]) expect(pauseOf(status), `${status}`).to.equal(5 * SECOND);
    for (const status of [500, 503, 404]) expect(pauseOf(status), `${status}`).to.equal(0);
    for (const status of [429, 502, 503, 504])
      for (const seconds of [2, 90])
        expect(pauseOf(status, { 'retry-after': `${seconds}` })).to.equal(seconds * SECOND);
    expect(pauseOf(500, { 'retry-after': '90' }), 'this message alone').to.equal(0);
    expect(decide(answer(429), context({ attempts: 10 })), 'the last try too').to.include({
      status: 'exhausted',
      pauseMs: 5 * SECOND,
    });
  });

  it('does what a receiver wishes by webhook-delivery', () => {
    const wish = (status: number, value: string | string[]) =>
      decide(answer(status, { 'webhook-delivery': value }), context());
    expect(wish(400, 'abort-message')).to.include({
      ...{ status: 'cancelled', errorClass: 'aborted_by_receiver', retryInMs: null, stop: null },
    });
    expect(wish(500, ' Disable ')).to.include({ status: 'exhausted', stop: 'receiver', retryInMs: null });
    expect(wish(200, 'disable')).to.include({ status: 'succeeded', stop: 'receiver' });
    expect(wish(200, 'abort-message')).to.include({ status: 'succeeded', stop: null });
    for (const value of ['enable', '', ['disable', 'disable']])
      expect(wish(500, value)).to.include({ status: 'failed', stop: null });
  });

  it('tries a test or a probe once', () => {
    expect(decide(answer(500), context({ isSingle: true }))).to.include({
      status: 'exhausted',
      retryInMs: null,
    });
    expect(decide(answer(200), context({ isSingle: true })).status).to.equal('succeeded');
  });

  describe('reads Retry-After', () => {
    it('in seconds', () => {
      expect(askedBy('0')).to.equal(0);
      expect(askedBy(' 120 ')).to.equal(120 * SECOND);
    });

    it('as a date; one in the past is now', () => {
      expect(askedBy('Sun, 22 Nov 2026 10:00:30 GMT')).to.equal(30 * SECOND);
      expect(askedBy('Sunday, 22-Nov-26 10:01:00 GMT')).to.equal(MINUTE);
      expect(askedBy('2026-11-22T10:00:30Z')).to.equal(30 * SECOND);
      expect(askedBy('Sun, 22 Nov 2026 09:59:00 GMT')).to.equal(0);
    });

    it('and believes nobody who wants more than a day', () => {
      const far = ['86401', '9'.repeat(30), '9'.repeat(400), 'Fri, 22 Nov 2999 10:00:00 GMT'];
      for (const value of far) expect(askedBy(value), value).to.equal(24 * HOUR);
    });

    it('and takes anything else for nothing', () => {
      const garbage = ['', 'soon', '-5', '5s', '1.5', '1e3', '0x10', 'next 2099', 'abc GMT', '٣'];
      for (const value of garbage) expect(askedBy(value), value).to.equal(0);
      expect(retryAfterMs({ headers: {} }, NOW)).to.equal(0);
      expect(retryAfterMs({ headers: { 'retry-after': ['5', '6'] } }, NOW)).to.equal(0);
    });
  });
});
