import { expect } from 'chai';
import fc from 'fast-check';
import { parseRetryAfterMs } from '../../../shared/outbound/retry-after.js';
import { RETRY_SCHEDULE_MS } from '../../../workers/leased-queues/retry-schedule.js';
import {
  type AttemptResult,
  type DecisionContext,
  decideOutcome,
} from '../../../workers/webhooks/send/retry-policy.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const NOW = new Date('2026-11-22T10:00:00Z');

const createResult = (status: number, headers: AttemptResult['headers'] = {}): AttemptResult => ({
  status,
  headers,
  errorClass: undefined,
});
const context = (overrides: Partial<DecisionContext> = {}): DecisionContext => ({
  attempts: 1,
  isSingle: false,
  now: NOW,
  random: 0,
  ...overrides,
});
const parseRetryAfter = (value: string): number =>
  parseRetryAfterMs({ headers: { 'retry-after': value } }, NOW);

describe('webhook retry policy', () => {
  it('a delivery is tried ten times over 75 h 35 min', () => {
    const waits = Array.from(
      { length: 10 },
      (_, index) => decideOutcome(createResult(500), context({ attempts: index + 1 })).retryInMs,
    );
    expect(waits).to.deep.equal([
      5 * SECOND,
      5 * MINUTE,
      30 * MINUTE,
      2 * HOUR,
      5 * HOUR,
      10 * HOUR,
      14 * HOUR,
      20 * HOUR,
      24 * HOUR,
      null,
    ]);
    const totalMs = RETRY_SCHEDULE_MS.reduce((sum, wait) => sum + wait, 0);
    expect(totalMs).to.equal(75 * HOUR + 35 * MINUTE + 5 * SECOND);
    expect(decideOutcome(createResult(500), context({ attempts: 10 }))).to.include({
      status: 'exhausted',
      errorClass: 'http_500',
    });
  });

  it('jitter lengthens a wait by up to a tenth and never shortens it, with any Retry-After', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        fc.integer({ min: 0, max: 200_000 }),
        fc.constantFrom(undefined, 302, 400, 404, 429, 500, 502, 503, 504),
        (attempts, random, requestedSeconds, status) => {
          const { retryInMs, status: outcome } = decideOutcome(
            { status, headers: { 'retry-after': `${requestedSeconds}` }, errorClass: 'timeout' },
            context({ attempts, random }),
          );
          const minMs = Math.max(
            RETRY_SCHEDULE_MS[attempts] ?? 0,
            Math.min(requestedSeconds * SECOND, 24 * HOUR),
          );
          expect(outcome).to.equal('failed');
          expect(retryInMs).to.be.within(minMs, Math.ceil(minMs * 1.1));
        },
      ),
    );
  });

  it('only a 2xx status is a success', () => {
    for (const status of [200, 201, 202, 204, 299])
      expect(decideOutcome(createResult(status), context())).to.deep.equal({
        status: 'succeeded',
        errorClass: null,
        retryInMs: null,
        stop: null,
        pauseMs: 0,
      });
    for (const status of [300, 301, 304, 307, 400, 401, 404, 408, 418, 422, 500, 501, 599, 999])
      expect(decideOutcome(createResult(status), context()), `${status}`).to.deep.equal({
        status: 'failed',
        errorClass: `http_${status}`,
        retryInMs: 5000,
        stop: null,
        pauseMs: 0,
      });
  });

  it('a failure without a response has its error class', () => {
    const noResponse = { status: undefined, headers: {} };
    expect(decideOutcome({ ...noResponse, errorClass: 'timeout' }, context())).to.include({
      status: 'failed',
      errorClass: 'timeout',
      retryInMs: 5000,
      pauseMs: 0,
    });
    expect(decideOutcome({ ...noResponse, errorClass: undefined }, context()).errorClass).to.equal(
      'internal',
    );
  });

  it('a 410 ends the delivery and stops the endpoint', () => {
    expect(decideOutcome(createResult(410), context())).to.deep.equal({
      status: 'exhausted',
      errorClass: 'http_410',
      retryInMs: null,
      stop: 'gone',
      pauseMs: 0,
    });
  });

  it('429, 502, 504 and a 503 with Retry-After pause the endpoint', () => {
    const getPauseMs = (status: number, headers = {}) =>
      decideOutcome(createResult(status, headers), context()).pauseMs;
    for (const status of [429, 502, 504]) expect(getPauseMs(status), `${status}`).to.equal(5 * SECOND);
    for (const status of [500, 503, 404]) expect(getPauseMs(status), `${status}`).to.equal(0);
    for (const status of [429, 502, 503, 504])
      for (const seconds of [2, 90])
        expect(getPauseMs(status, { 'retry-after': `${seconds}` })).to.equal(seconds * SECOND);
    expect(getPauseMs(500, { 'retry-after': '90' }), 'only this delivery waits').to.equal(0);
    expect(decideOutcome(createResult(429), context({ attempts: 10 })), 'the last attempt too').to.include({
      status: 'exhausted',
      pauseMs: 5 * SECOND,
    });
  });

  it('the receiver can abort a delivery or disable the endpoint by the webhook-delivery header', () => {
    const decideFor = (status: number, value: string | string[]) =>
      decideOutcome(createResult(status, { 'webhook-delivery': value }), context());
    expect(decideFor(400, 'abort-message')).to.include({
      status: 'cancelled',
      errorClass: 'aborted_by_receiver',
      retryInMs: null,
      stop: null,
    });
    expect(decideFor(500, ' Disable ')).to.include({
      status: 'exhausted',
      stop: 'receiver',
      retryInMs: null,
    });
    expect(decideFor(200, 'disable')).to.include({ status: 'succeeded', stop: 'receiver' });
    expect(decideFor(200, 'abort-message')).to.include({ status: 'succeeded', stop: null });
    for (const value of ['enable', '', ['disable', 'disable']])
      expect(decideFor(500, value)).to.include({ status: 'failed', stop: null });
  });

  it('a test or a probe is tried once', () => {
    expect(decideOutcome(createResult(500), context({ isSingle: true }))).to.include({
      status: 'exhausted',
      retryInMs: null,
    });
    expect(decideOutcome(createResult(200), context({ isSingle: true })).status).to.equal('succeeded');
  });

  describe('webhook retry policy: Retry-After', () => {
    it('Retry-After is read in seconds', () => {
      expect(parseRetryAfter('0')).to.equal(0);
      expect(parseRetryAfter(' 120 ')).to.equal(120 * SECOND);
    });

    it('Retry-After is read as a date, and a past date means now', () => {
      expect(parseRetryAfter('Sun, 22 Nov 2026 10:00:30 GMT')).to.equal(30 * SECOND);
      expect(parseRetryAfter('Sunday, 22-Nov-26 10:01:00 GMT')).to.equal(MINUTE);
      expect(parseRetryAfter('2026-11-22T10:00:30Z')).to.equal(30 * SECOND);
      expect(parseRetryAfter('Sun, 22 Nov 2026 09:59:00 GMT')).to.equal(0);
    });

    it('Retry-After is limited to a day', () => {
      const tooFar = ['86401', '9'.repeat(30), '9'.repeat(400), 'Fri, 22 Nov 2999 10:00:00 GMT'];
      for (const value of tooFar) expect(parseRetryAfter(value), value).to.equal(24 * HOUR);
    });

    it('an invalid Retry-After is ignored', () => {
      const garbage = ['', 'soon', '-5', '5s', '1.5', '1e3', '0x10', 'next 2099', 'abc GMT', '٣'];
      for (const value of garbage) expect(parseRetryAfter(value), value).to.equal(0);
      expect(parseRetryAfterMs({ headers: {} }, NOW)).to.equal(0);
      expect(parseRetryAfterMs({ headers: { 'retry-after': ['5', '6'] } }, NOW)).to.equal(0);
    });
  });
});
