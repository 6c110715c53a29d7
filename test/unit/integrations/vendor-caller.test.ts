import { expect } from 'chai';
import type { VendorRequest } from '../../../shared/integrations/contract/connection.js';
import type { TenantVendor } from '../../../shared/integrations/contract/vendor.js';
import type { VendorError } from '../../../shared/integrations/contract/vendor-error.js';
import { quickbooks } from '../../../shared/integrations/quickbooks/adapter.js';
import { xero } from '../../../shared/integrations/xero/adapter.js';
import { OutboundError } from '../../../shared/outbound/outbound-error.js';
import { createMetrics } from '../../../shared/platform/metrics.js';
import { CallRate } from '../../../workers/integrations/queue/call-rate.js';
import { VendorCaller } from '../../../workers/integrations/vendor/vendor-caller.js';
import { parrot } from '../../support/vendors/parrot/adapter.js';

const read: VendorRequest = { method: 'GET', path: '/texts?after=secret', isRepeatable: true };
const write: VendorRequest = {
  method: 'POST',
  path: 'texts',
  body: '{"to":"+1 212","body":"secret"}',
  isRepeatable: true,
};

interface Reply {
  status?: number;
  headers?: Record<string, string>;
  body?: string;
  isTruncated?: boolean;
  error?: Error;
}

function createCaller(
  reply: Reply,
  {
    perAppAndMinute,
    granted = true,
    isHeld = true,
  }: { perAppAndMinute?: number; granted?: boolean; isHeld?: boolean } = {},
) {
  const urls: string[] = [];
  const metrics = createMetrics();
  const limits = { ...parrot.manifest.limits, ...(perAppAndMinute ? { perAppAndMinute } : {}) };
  const vendor: TenantVendor = { ...parrot, manifest: { ...parrot.manifest, limits } };
  const send = async ({ url }: { url: string }) => {
    urls.push(url);
    if (reply.error) throw reply.error;
    const { status = 200, headers = {}, body = '{}', isTruncated = false } = reply;
    return { status, headers, body: Buffer.from(body), isTruncated };
  };
  const caller = new VendorCaller({
    client: { send } as never,
    limiter: { spendPoints: async () => ({ isGranted: granted, resetMs: 1234 }) } as never,
    metrics,
    rate: new CallRate(limits),
    vendor,
    assertLease() {
      if (!isHeld) throw new Error('the lease was lost');
    },
  });
  return { caller, urls, metrics };
}

async function findError(reply: Reply, request: VendorRequest): Promise<VendorError> {
  const { caller } = createCaller(reply);
  const base = 'https://api.example.com/v2';
  const error = await caller.call(base, request).then(
    () => undefined,
    (reason: VendorError) => reason,
  );
  expect(error, 'an error').to.not.equal(undefined);
  return error as VendorError;
}

describe('a call to a vendor', () => {
  it('is logged with its path and the names of its fields, and no value', async () => {
    const headers = { 'x-request-id': 'req-1' };
    const { caller, urls, metrics } = createCaller({ status: 201, headers, body: '{"id":"secret"}' });
    await caller.call('https://api.example.com/v2', write);
    await caller.call('https://api.example.com/v2/', read);
    expect(urls).to.deep.equal([
      'https://api.example.com/v2/texts',
      'https://api.example.com/v2/texts?after=secret',
    ]);
    expect(caller.calls[0]).to.deep.include({
      method: 'POST',
      path: 'texts',
      response_status: 201,
      error: null,
      vendor_request_id: 'req-1',
      request_fields: ['to', 'body'],
      response_fields: ['id'],
    });
    expect(JSON.stringify(caller.calls)).to.not.include('secret');
    const text = await metrics.registry.metrics();
    expect(text).to.include('tow_vendor_call_duration_seconds_count{vendor="parrot",result="ok"} 2');
  });

  it('that may have written something has an unknown outcome; one that wrote nothing is repeated', async () => {
    const timeout = new OutboundError('timeout', 'It took too long.');
    const refusedConnection = new OutboundError('connect', 'The connection was refused.');
    const found = await Promise.all([
      findError({ error: timeout }, write),
      findError({ error: timeout }, read),
      findError({ error: refusedConnection }, write),
      findError({ status: 503 }, write),
      findError({ status: 503 }, read),
      findError({ isTruncated: true }, write),
      findError({ isTruncated: true }, read),
    ]);
    expect(found.map(({ kind }) => kind)).to.deep.equal([
      'unknown_outcome',
      'again',
      'again',
      'unknown_outcome',
      'again',
      'unknown_outcome',
      'again',
    ]);
  });

  it('with 429 waits as Retry-After says, and half a minute without it', async () => {
    const withHeader = await findError({ status: 429, headers: { 'retry-after': '7' } }, write);
    const fraction = await findError({ status: 429, headers: { 'retry-after': '0.40235' } }, write);
    const without = await findError({ status: 429 }, write);
    const waits = [withHeader, fraction, without].map(({ retryAfterMs }) => retryAfterMs);
    expect(withHeader.kind).to.equal('limit');
    expect(waits).to.deep.equal([7000, 403, 30_000]);
  });

  it('with 401 is a matter of the credentials; other statuses are for the adapter', async () => {
    expect((await findError({ status: 401 }, write)).kind).to.equal('auth');
    const { caller } = createCaller({ status: 422 });
    expect((await caller.call('https://api.example.com', write)).status).to.equal(422);
  });

  it('is not sent once all connections together have used the limit of the application', async () => {
    const { caller, urls } = createCaller({}, { perAppAndMinute: 60, granted: false });
    const error = await caller.call('https://api.example.com', read).catch((reason: VendorError) => reason);
    expect(error).to.include({ kind: 'limit', code: 'app_limit', retryAfterMs: 1234 });
    expect(urls).to.deep.equal([]);
  });

  it('that is not a GET is not sent after the lease of the connection was lost', async () => {
    const { caller, urls } = createCaller({}, { isHeld: false });
    const error = await caller.call('https://api.example.com', write).catch((reason: Error) => reason);
    expect(error).to.have.property('message', 'the lease was lost');
    await caller.call('https://api.example.com', read);
    expect(urls).to.deep.equal(['https://api.example.com/texts?after=secret']);
  });

  it('to another server is refused before the credentials leave', async () => {
    for (const path of [
      'https://evil.example.net/texts',
      '/https://evil.example.net/texts',
      '///evil.example.net',
    ]) {
      const { caller, urls } = createCaller({});
      const error = await caller
        .call('https://api.example.com/v2', { ...read, path })
        .catch((reason) => reason);
      expect(error, path).to.include({ kind: 'refused', code: 'foreign_address' });
      expect(urls).to.deep.equal([]);
    }
  });

  it('is not made after the step was stopped, also if it waits for the rate limit', async () => {
    const { caller, urls } = createCaller({});
    const calls = Array.from({ length: 30 }, () => caller.call('https://api.example.com/v2', read));
    await calls[0];
    caller.stop();
    const errors = await Promise.all(calls.map((call) => call.then(() => '').catch(({ name }) => name)));
    expect(errors.at(-1)).to.equal('StoppedError');
    expect(urls).to.have.length(errors.filter((name) => name === '').length);
    expect(errors.indexOf('StoppedError')).to.be.below(15);
  });
});

describe('the call rate of a connection', () => {
  /**
   * Makes every call that is allowed until the time, to a vendor that answers immediately. Returns
   * the times of these calls.
   */
  function makeCalls(rate: CallRate, clock: { now: number }, until: number): number[] {
    const times: number[] = [];
    for (; clock.now < until; clock.now += 1)
      for (; rate.waitMs === 0; rate.take()(true)) times.push(clock.now);
    return times;
  }

  it('never allows more calls within a second, and makes up for a stall', () => {
    const clock = { now: 0 };
    const rate = new CallRate({ perSecond: 10 }, () => clock.now);
    const times = makeCalls(rate, clock, 5000);
    clock.now += 700;
    times.push(...makeCalls(rate, clock, 9000));
    for (const time of times)
      expect(times.filter((other) => other >= time && other < time + 1000)).to.have.length.within(1, 10);
    expect(times.length).to.be.within(86, 87);
  });

  it('begins with one call, because another process may have made calls until now', () => {
    const clock = { now: 0 };
    const rate = new CallRate({ perSecond: 10 }, () => clock.now);
    expect(makeCalls(rate, clock, 1)).to.have.length(1);
    expect(rate.waitMs).to.be.within(99, 100);
    expect(makeCalls(rate, clock, 1000)).to.have.length(9);
  });

  it('lets waiting calls leave in their order, and counts no call that is no longer wanted', async () => {
    const clock = { now: 0 };
    const rate = new CallRate({ perSecond: 10 }, () => clock.now);
    const order: number[] = [];
    const wanted = (nth: number) => nth !== 1;
    const waits = [0, 1, 2].map(async (nth) => {
      const endCall = await rate.wait(() => wanted(nth));
      endCall?.(true);
      order.push(nth);
    });
    await waits[1];
    expect(order).to.deep.equal([0, 1]);
    clock.now = 100;
    await Promise.all(waits);
    expect(order).to.deep.equal([0, 1, 2]);
    expect(rate.waitMs).to.equal(100);
  });

  it('keeps Xero’s limit of a minute too, and begins no step that the limit would stop', () => {
    const clock = { now: 0 };
    const rate = new CallRate(xero.manifest.limits, () => clock.now);
    const times = makeCalls(rate, clock, 300_000);
    for (const time of times)
      expect(times.filter((other) => other >= time && other < time + 60_000)).to.have.length.within(1, 55);
    expect(times.length).to.be.within(270, 275);
    clock.now += 60_000;
    expect(rate.stepWaitMs).to.equal(0);
    makeCalls(rate, clock, clock.now + 12_000);
    expect(rate.waitMs).to.be.within(40_000, 60_000);
    expect(rate.stepWaitMs).to.be.at.least(rate.waitMs);
  });

  it('keeps QuickBooks’ limits of a second and of a minute', () => {
    const clock = { now: 0 };
    const times = makeCalls(new CallRate(quickbooks.manifest.limits, () => clock.now), clock, 180_000);
    const countWithin = (ms: number) =>
      times.map((at) => times.filter((other) => other >= at && other < at + ms).length);
    expect(Math.max(...countWithin(1000))).to.be.within(1, 10);
    expect(Math.max(...countWithin(60_000))).to.be.within(1, 500);
  });

  it('refuses a rate that is not a whole number from 1', () => {
    for (const perSecond of [0, 0.5, -1, Number.NaN])
      expect(() => new CallRate({ perSecond })).to.throw(RangeError);
  });

  it('allows calls at twice the rate after a pause, as many as a second may have', () => {
    const clock = { now: 0 };
    const rate = new CallRate({ perSecond: 10 }, () => clock.now);
    clock.now = 60_000;
    expect(makeCalls(rate, clock, 60_500)).to.have.length(10);
    expect(rate.waitMs).to.equal(500);
  });

  /**
   * Makes every call that is allowed within 20 s. Each call arrives after its delay, and its
   * response comes 50 ms later. Returns the times of the arrivals.
   */
  function makeDelayedCalls(delayMs: (nth: number) => number): number[] {
    const clock = { now: 0 };
    const rate = new CallRate({ perSecond: 10 }, () => clock.now);
    const arrivals: number[] = [];
    const ends = new Map<number, (() => void)[]>();
    for (; clock.now < 20_000; clock.now += 1) {
      for (const end of ends.get(clock.now) ?? []) end();
      while (rate.waitMs === 0) {
        const endCall = rate.take();
        const arrival = clock.now + delayMs(arrivals.length);
        arrivals.push(arrival);
        ends.set(arrival + 50, [...(ends.get(arrival + 50) ?? []), () => endCall(true)]);
      }
    }
    return arrivals;
  }

  it('lets no more calls arrive within a second than the vendor allows, however late some arrive', () => {
    const arrivals = makeDelayedCalls((nth) => (nth % 7 < 3 ? 10 + (nth % 5) * 150 : 10));
    for (const time of arrivals)
      expect(arrivals.filter((other) => other >= time && other < time + 1000)).to.have.length.within(1, 10);
    expect(arrivals.length).to.be.above(100);
  });

  it('loses no call of the rate to a vendor that takes equally long for each', () => {
    expect(makeDelayedCalls(() => 300).length).to.be.within(198, 200);
  });

  it('counts a call without a response from the time of its failure, and one in flight all the time', () => {
    const clock = { now: 0 };
    const rate = new CallRate({ perSecond: 1 }, () => clock.now);
    clock.now = 1000;
    const endCall = rate.take();
    clock.now = 9000;
    expect(rate.waitMs).to.equal(Number.POSITIVE_INFINITY);
    expect(rate.stepWaitMs, 'the dispatcher needs a time to look again').to.be.within(1, 100);
    endCall(false);
    expect(rate.waitMs).to.equal(1000);
  });
});
