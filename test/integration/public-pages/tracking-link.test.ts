import { expect } from 'chai';
import { newId } from '../../../shared/platform/ids.js';
import {
  deriveLinkKeys,
  sealDriverLink,
  sealTrackingLink,
} from '../../../shared/resources/work-order-links/link.js';
import { TestClient } from '../../support/client.js';
import { TrackedTow } from '../../support/public-pages/tracked-tow.js';
import { PROXIED_STACK, useStack, useTenant } from '../../support/use-stack.js';

describe('tracking link', () => {
  const stack = useStack(PROXIED_STACK);
  const tenant = useTenant(stack, 'Hudson Towing');

  let serial = 0;
  /** Sends a request from a new network, so that only the test of the limits reaches a limit. */
  const open = (path: string) => {
    serial += 1;
    return fetch(`${stack.origin}${path}`, {
      headers: { 'x-forwarded-for': `10.8.${serial >> 8}.${serial & 255}` },
    });
  };
  const getToken = ({ path }: TrackedTow) => path.slice('/t/'.length);
  const change = (tow: TrackedTow, assignments: string) =>
    stack.rows(tenant.id, `update work_orders set ${assignments} where tenant_id = $1 and id = $2`, [
      tenant.id,
      tow.id,
    ]);

  it('a tampered, foreign or unknown tracking token gets the same 404 page, which names no company', async () => {
    const tow = await TrackedTow.book(tenant.client);
    await tow.assign();
    const token = getToken(tow);
    const other = await stack.createTenant('Other Towing');
    const keys = deriveLinkKeys(stack.runtime.config);
    const target = { tenantId: tenant.id, workOrderId: tow.id };
    const flipped = [0, 12, 30, 60, 79].map(
      (at) => token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1),
    );
    const { body } = await tenant.client.get(`/work-orders/${tow.id}`);
    const tokens = [
      ...flipped,
      sealTrackingLink(keys, { ...target, tenantId: other.id }),
      sealTrackingLink(keys, { ...target, tenantId: tenant.sandboxId }),
      sealTrackingLink(keys, { ...target, workOrderId: newId() }),
      sealDriverLink(keys, target, newId()),
      new URL(body.driver_url).pathname.slice('/d/'.length),
      token.slice(1),
      `${token}A`,
      `${token}%00`,
      token.toUpperCase(),
      'A'.repeat(80),
      '..%2f',
      '',
    ];
    const texts = new Set<string>();
    for (const bad of tokens) {
      for (const part of ['', '/state', '/logo']) {
        const response = await open(`/t/${bad}${part}`);
        expect(response.status, bad + part).to.equal(404);
        expect(response.headers.get('content-type')).to.include('text/html');
        texts.add(await response.text());
      }
    }
    expect(texts.size, 'number of different pages').to.equal(1);
    expect([...texts][0]).to.not.match(/Hudson|Dana/);
    expect((await open(tow.path)).status, 'the true link').to.equal(200);
  });

  it('a tracking link opens neither the page of the driver nor that of an invoice', async () => {
    const token = getToken(await TrackedTow.book(tenant.client));
    for (const page of ['d', 'i']) {
      const response = await open(`/${page}/${token}`);
      expect(response.status, page).to.equal(404);
      expect(await response.text()).to.not.match(/Hudson|Dana/);
    }
  });

  it('a tracking link ends six hours after its work order, and its page then names whom to call', async () => {
    await tenant.client.patch('/settings', { phone: '+1 518 555 0142' });
    const endings: Record<string, string> = {
      completed: `status = 'completed', completion_time = now() - interval '7 hours'`,
      cancelled: `status = 'cancelled', updated_at = now() - interval '7 hours'`,
      'open for a month': `created_at = now() - interval '31 days'`,
    };
    for (const [name, assignments] of Object.entries(endings)) {
      const tow = await TrackedTow.book(tenant.client);
      await change(tow, assignments);
      for (const part of ['', '/state', '/logo']) {
        const response = await open(tow.path + part);
        expect([response.status, response.headers.get('cache-control')], name).to.deep.equal([
          410,
          'no-store',
        ]);
        const text = await response.text();
        expect(text).to.include('Hudson Towing: +1 518 555 0142').and.to.not.include('Dana');
      }
    }
    for (const assignments of [
      `status = 'completed', completion_time = now() - interval '5 hours'`,
      `status = 'cancelled', updated_at = now() - interval '5 hours'`,
    ]) {
      const tow = await TrackedTow.book(tenant.client);
      await change(tow, assignments);
      expect((await open(tow.path)).status, assignments).to.equal(200);
    }
  });

  it('the tracking page of a sandbox work order says that no truck will come', async () => {
    const tow = await TrackedTow.book(tenant.sandbox);
    expect(await (await open(tow.path)).text()).to.include('Test: no truck will come');
  });

  it('the tracking page limits its states and its pages per network, each apart, and its link still works from another', async () => {
    const { path } = await TrackedTow.book(tenant.client);
    const client = new TestClient(stack.origin, '', '');
    const requestFrom = (address: string, part = '') =>
      client.send('GET', path + part, { headers: { 'x-forwarded-for': address } });
    const requestOften = (length: number, part: string) =>
      Promise.all(Array.from({ length }, () => requestFrom('192.0.2.77', part)));
    const states = await requestOften(1210, '/state');
    const pages = await requestOften(310, '');
    const refused = [...states, ...pages].filter(({ status }) => status === 429);
    expect(states.filter(({ status }) => status === 429)).to.have.length(10);
    expect(pages.filter(({ status }) => status === 429)).to.have.length(10);
    for (const { headers, text } of refused) {
      expect(Number(headers['retry-after'])).to.be.above(0);
      expect(text).to.include('Too many requests').and.to.not.include('Dana');
    }
    expect((await requestFrom('192.0.2.78')).status, 'another network').to.equal(200);
  });

  it('no audit entry contains the token of a tracking link', async () => {
    const tow = await TrackedTow.book(tenant.client);
    await open(`${tow.path}/state`);
    const [audit] = await stack.rows<{ all: string }>(
      tenant.id,
      'select json_agg(a)::text as all from audit_entries a where tenant_id = $1',
      [tenant.id],
    );
    expect(audit?.all).to.include(tow.id).and.to.not.include(getToken(tow));
  });
});
