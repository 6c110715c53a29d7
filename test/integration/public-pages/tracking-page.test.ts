import { expect } from 'chai';
import type { Json } from '../../support/client.js';
import { TrackedTow } from '../../support/public-pages/tracked-tow.js';
import { createRedPng } from '../../support/records/pictures.js';
import { PROXIED_STACK, useStack, useTenant } from '../../support/use-stack.js';

const ATTACK = `<img src=x onerror=alert(1)>"'&`;
const MINUTE_MS = 60_000;

describe('tracking page', () => {
  const stack = useStack(PROXIED_STACK);
  const tenant = useTenant(stack, 'Hudson Towing');

  let serial = 0;
  /** Sends a request from a new network, so that the test reaches no limit by accident. */
  const open = (path: string, init: RequestInit = {}) => {
    serial += 1;
    const headers = { 'x-forwarded-for': `10.7.${serial >> 8}.${serial & 255}`, ...init.headers };
    return fetch(`${stack.origin}${path}`, { ...init, headers });
  };
  const readState = async ({ path }: TrackedTow): Promise<Json> => (await open(`${path}/state`)).json();

  it('the tracking page follows a work order from the booking to its completion', async () => {
    const actions: [string, (tow: TrackedTow) => Promise<unknown>][] = [
      ['received', async () => undefined],
      ['assigned', (tow) => tow.assign()],
      ['assigned', (tow) => tow.log('acknowledged')],
      ['en_route', (tow) => tow.log('en_route')],
      ['en_route', (tow) => tow.act('start')],
      ['on_scene', (tow) => tow.log('on_scene')],
      ['on_scene', (tow) => tow.log('hooked')],
      ['towing', (tow) => tow.log('towing')],
      ['towing', (tow) => tow.log('at_destination')],
      ['done', (tow) => tow.log('cleared')],
      ['done', (tow) => tow.act('complete')],
    ];
    const runFirst = async (count: number) => {
      const tow = await TrackedTow.book(tenant.client);
      for (const [, act] of actions.slice(0, count)) await act(tow);
      return readState(tow);
    };
    const states = await Promise.all(actions.map((_, nth) => runFirst(nth + 1)));
    expect(states.map(({ state }) => state)).to.deep.equal(actions.map(([state]) => state));
    expect(states.map(({ has_ended }) => has_ended)).to.deep.equal(actions.map((_, nth) => nth === 10));
    expect(states[10].texts).to.include({
      headline: 'The work is done.',
      truck: null,
      eta: null,
      position: null,
    });
    const marks = states[5].steps.map(({ mark, word }: Json) => `${mark} ${word}`.trim());
    expect(marks).to.deep.equal([
      'passed Done',
      'passed Done',
      'passed Done',
      'current Now',
      'ahead',
      'ahead',
    ]);
  });

  it('the tracking page leaves out steps that a work order does not need, or no longer has', async () => {
    const lockout = await TrackedTow.book(tenant.client, { service_type: 'lockout' });
    const marks = async (tow: TrackedTow) =>
      (await readState(tow)).steps.map(({ mark }: { mark: string }) => mark);
    expect(await marks(lockout)).to.deep.equal(['current', 'ahead', 'ahead', 'ahead', 'left_out', 'ahead']);
    const dropoff = { lat: 41, lng: -73 };
    const moved = await TrackedTow.book(tenant.client, { service_type: 'lockout', dropoff });
    expect(await marks(moved)).to.not.include('left_out');
    const cancelled = await TrackedTow.book(tenant.client);
    await cancelled.act('cancel', { reason: 'customer', note: 'Found another' });
    expect(new Set(await marks(cancelled))).to.deep.equal(new Set(['left_out']));
    const html = await (await open(cancelled.path)).text();
    expect(html).to.include('This request was cancelled.').and.to.not.include('Found another');
  });

  it('the tracking page greets a motorist by the first name only, and without a name if the first name is not clear', async () => {
    const greetings: Record<string, string> = {
      'Dana Whitfield': 'Hello Dana<',
      'Whitfield, Dana M.': 'Hello Dana<',
      "Seán O'Neill": 'Hello Seán<',
      'Mrs. Whitfield': 'Hello<',
      'Dana Whitfield, Jr.': 'Hello Dana<',
      '+1 212 555 0100': 'Hello<',
      'dana@example.com': 'Hello<',
    };
    for (const [contact_name, greeting] of Object.entries(greetings)) {
      const { path } = await TrackedTow.book(tenant.client, { contact_name });
      const html = await (await open(path)).text();
      expect(html, contact_name).to.include(`<h1>${greeting}`).and.to.not.include('Whitfield');
    }
  });

  it("the tracking page shows the ETA in the account's time zone, and none if nobody has set one", async () => {
    const account = await stack.createTenant('Far Towing');
    await account.client.patch('/settings', { time_zone: 'Asia/Tokyo' });
    const tow = await TrackedTow.book(account.client);
    await tow.assign(new Date(Date.now() + 72.5 * MINUTE_MS));
    const { texts } = await readState(tow);
    expect(texts.eta).to.match(/^Expected at .*GMT\+9$/);
    expect(texts.eta_in).to.match(/^In about 1 h 1[23] min$/);
    const late = await TrackedTow.book(account.client);
    await late.assign(new Date(Date.now() - MINUTE_MS));
    expect((await readState(late)).texts.eta_in).to.equal('This time has passed.');
    const without = await TrackedTow.book(account.client);
    await without.assign();
    expect((await readState(without)).texts).to.include({ eta: null, eta_in: null });
    expect(await (await open(without.path)).text()).to.not.include('Expected');
  });

  it('the tracking page shows texts of the account and of the motorist as text, not as HTML', async () => {
    const account = await stack.createTenant(ATTACK);
    await account.client.patch('/settings', { business_name: ATTACK, phone: `"><b>1` });
    const tow = await TrackedTow.book(
      account.client,
      {
        contact_name: `<b>${ATTACK}`,
        vehicle: { make: ATTACK, model: '</script><script>alert(1)</script>' },
      },
      { unit_number: '<script>x()</script>' },
    );
    await tow.assign();
    const html = await (await open(tow.path)).text();
    expect(html).to.include('&#60;img src=x onerror=alert(1)&#62;').and.to.include('&#60;script&#62;x()');
    expect(html).to.not.match(/<img|<b>|alert\(1\)<\/script|<script>x/);
    expect(html.match(/<script/g)).to.have.length(1);
    const { headers } = await open(`${tow.path}/state`);
    expect(headers.get('content-type')).to.include('application/json');
    expect(headers.get('x-content-type-options')).to.equal('nosniff');
  });

  it('the tracking page shows the letterhead of the account, and serves the logo under the same link', async () => {
    const account = await stack.createTenant('Plain Name');
    await account.client.patch('/settings', {
      business_name: 'Hudson & Sons',
      phone: '+1 518 555 0142 ext. 7',
    });
    const tow = await TrackedTow.book(account.client);
    const plain = await TrackedTow.book(account.client);
    expect((await open(`${plain.path}/logo`)).status, 'without a logo').to.equal(404);
    expect(await (await open(plain.path)).text()).to.not.include('<img');
    const picture = createRedPng();
    await account.client.call('PUT', '/settings/logo', {
      raw: picture,
      headers: { 'content-type': 'image/png' },
    });
    const logo = await open(`${tow.path}/logo`);
    expect(Buffer.from(await logo.arrayBuffer()).equals(picture)).to.equal(true);
    const html = await (await open(tow.path)).text();
    expect(html).to.include(`src="${tow.path}/logo"`).and.to.include('Hudson &#38; Sons');
    expect(html).to.include('<a href="tel:+15185550142">Call +1 518 555 0142 ext. 7</a>');
  });

  it('no response of the tracking page may be cached, indexed, framed or sent on as a referrer, and none sets a cookie', async () => {
    const tow = await TrackedTow.book(tenant.client);
    const responses = await Promise.all(
      [tow.path, `${tow.path}/state`, `${tow.path}/logo`, '/t/unknown'].map((path) =>
        open(path, { headers: { 'if-none-match': '*', 'if-modified-since': new Date().toUTCString() } }),
      ),
    );
    expect(responses.map(({ status }) => status)).to.deep.equal([200, 200, 404, 404]);
    for (const { headers } of responses) {
      expect(Object.fromEntries(headers)).to.include({
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-frame-options': 'DENY',
        'x-robots-tag': 'noindex, nofollow, noarchive',
        'cross-origin-resource-policy': 'same-origin',
      });
      for (const name of ['set-cookie', 'etag', 'last-modified', 'access-control-allow-origin'])
        expect(headers.has(name), name).to.equal(false);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).to.include("default-src 'none'").and.to.include("frame-ancestors 'none'");
      expect(policy).to.not.match(/unsafe|\*|https?:/);
    }
    const html = await responses[0]?.text();
    expect(html?.length).to.be.below(60 * 1024);
    expect(html?.split('<script>')[1]?.length).to.be.below(5 * 1024);
  });

  it('the tracking page answers HEAD without a body, and refuses all methods but GET and HEAD', async () => {
    const { path } = await TrackedTow.book(tenant.client);
    const head = await open(path, { method: 'HEAD' });
    expect([head.status, await head.text()]).to.deep.equal([200, '']);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      for (const part of ['', '/state', '/logo']) {
        const refused = await open(path + part, { method });
        expect([refused.status, refused.headers.get('allow')]).to.deep.equal([405, 'GET']);
      }
    }
  });
});
