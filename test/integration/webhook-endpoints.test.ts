import { expect } from 'chai';
import type { Answer } from '../support/client.js';
import { expectError, faultsOf } from '../support/expect-error.js';
import { endpointInput } from '../support/samples.js';
import { signIn } from '../support/sign-in.js';
import { TestStack, type TestTenant } from '../support/stack.js';

const DRY_RUN = { headers: { 'x-service-dry-run': 'true' } };
const DAY_MS = 24 * 3_600_000;

const HEALTH = {
  ...{ state: 'unknown', consecutive_failures: 0, failing_since: null, last_success_at: null },
  ...{ last_failure_at: null, last_error: null, paused_until: null, disables_at: null },
};

describe('webhook endpoints', () => {
  let stack: TestStack;
  let tenant: TestTenant;

  before(async () => {
    stack = await TestStack.start();
    tenant = await stack.createTenant();
  });
  after(() => stack.stop());

  const created = async (
    input: Record<string, unknown> = {},
    owner: TestTenant = tenant,
  ): Promise<Answer['body']> => {
    const answer = await owner.client.post('/webhook-endpoints', endpointInput(input));
    expect(answer.status, answer.text).to.equal(201);
    const { secret: _secret, ...record } = answer.body;
    return record;
  };
  const read = async (id: string): Promise<Answer['body']> =>
    (await tenant.client.get(`/webhook-endpoints/${id}`)).body;
  const patched = async (id: string, body: unknown): Promise<Answer['body']> => {
    const answer = await tenant.client.patch(`/webhook-endpoints/${id}`, body);
    expect(answer.status, answer.text).to.equal(200);
    return answer.body;
  };
  /** What the deliveries' worker would leave in the endpoint's lane. */
  const setLane = (id: string, columns: string) =>
    stack.rows(tenant.id, `update webhook_lanes set ${columns} where endpoint_id = $1`, [id]);
  const laneOf = async (id: string) =>
    (await stack.rows(tenant.id, 'select * from webhook_lanes where endpoint_id = $1', [id]))[0];
  const changesOf = async (id: string, action: string) => {
    const text =
      'select changes from audit_entries where entity_id = $1 and action = $2 order by id desc limit 1';
    const [entry] = await stack.rows<{ changes: unknown }>(tenant.id, text, [id, action]);
    return entry?.changes;
  };

  describe('are made', () => {
    it('with what was asked for and the rest by default, and with a lane of their own', async () => {
      const made = await created();
      expect(made).to.deep.include({
        ...{ url: 'https://receiver.example.com/hooks', event_types: ['*'], description: null },
        ...{ header_names: [], rate_limit_per_second: null, max_in_flight: 20, enabled: true },
        ...{ disabled_reason: null, disabled_at: null, asymmetric: false, public_keys: [], health: HEALTH },
      });
      expect(await read(made.id)).to.deep.equal(made);
      expect(await laneOf(made.id)).to.include({ tenant_id: tenant.id, consecutive_failures: 0 });
      const full = {
        ...{ url: 'http://127.0.0.1:9/in?a=b', event_types: ['invoice.*', 'delivery.exhausted'] },
        ...{ description: 'Books', headers: { 'X-B': '2', 'X-A': '1' }, rate_limit_per_second: 5 },
        ...{ max_in_flight: 1, enabled: false, asymmetric: true },
      };
      const second = await created(full);
      const { headers: _values, ...shown } = full;
      expect(second).to.deep.include({ ...shown, header_names: ['X-A', 'X-B'], disabled_reason: 'user' });
      expect(second.health.state).to.equal('disabled');
      expect(Date.parse(second.disabled_at)).to.be.closeTo(Date.now(), 60_000);
    });

    it('by a person as well, and never for another account', async () => {
      const person = await signIn(stack, { tenantId: tenant.id });
      const made = await person.post('/webhook-endpoints', endpointInput());
      expect(made.status, made.text).to.equal(201);
      const path = `/webhook-endpoints/${made.body.id}`;
      for (const { client } of [await stack.createTenant('Other'), { client: tenant.sandbox }]) {
        expectError(await client.get(path), 404, 'not_found');
        expectError(await client.patch(path, { enabled: false }), 404, 'not_found');
        expectError(await client.post(`${path}/rotate-secret`), 404, 'not_found');
        expectError(await client.delete(path), 404, 'not_found');
      }
      expect((await read(made.body.id)).enabled).to.equal(true);
    });

    it('fifty at most in an account, however many ask at once; a deleted one makes room', async () => {
      const owner = await stack.createTenant('Full');
      const post = () => owner.client.post('/webhook-endpoints', endpointInput());
      const answers = await Promise.all(Array.from({ length: 54 }, post));
      const refused = answers.filter(({ status }) => status !== 201);
      expect(refused).to.have.length(4);
      for (const answer of refused) expectError(answer, 409, 'conflict');
      const list = await owner.client.get('/webhook-endpoints?limit=200');
      expect(list.body.data.count).to.equal(50);
      await owner.client.delete(`/webhook-endpoints/${list.body.data.items[7].id}`);
      expect((await post()).status).to.equal(201);
      expect((await post()).status).to.equal(409);
      expect((await tenant.client.post('/webhook-endpoints', endpointInput(), DRY_RUN)).status).to.equal(200);
    });
  });

  describe('are refused', () => {
    const faults = async (body: Record<string, unknown>) => {
      const whole = faultsOf(await tenant.client.post('/webhook-endpoints', endpointInput(body)));
      const { id } = await created();
      expect(faultsOf(await tenant.client.patch(`/webhook-endpoints/${id}`, body))).to.deep.equal(whole);
      return whole;
    };

    it('with every fault at once', async () => {
      const answer = await tenant.client.post('/webhook-endpoints', {
        ...{
          url: 'ftp://example.com',
          event_types: [],
          description: 'x'.repeat(201),
          headers: { host: 'h' },
        },
        ...{ rate_limit_per_second: 0, max_in_flight: 101, enabled: 'yes', asymmetric: 1 },
      });
      expect(faultsOf(answer)).to.deep.equal([
        ...['asymmetric base', 'description max', 'enabled base', 'event_types min', 'headers.host unknown'],
        ...['max_in_flight max', 'rate_limit_per_second min', 'url uriCustomScheme'],
      ]);
      expect(faultsOf(await tenant.client.post('/webhook-endpoints', {}))).to.deep.equal([
        'event_types required',
        'url required',
      ]);
    });

    it('with an address that is none, is too long or holds credentials', async () => {
      const long = `https://example.com/${'a'.repeat(2048 - 'https://example.com/'.length)}`;
      expect(await faults({ url: `${long}a` })).to.deep.equal(['url max']);
      expect((await created({ url: long })).url).to.equal(long);
      expect(await faults({ url: 'example.com/hooks' })).to.deep.equal(['url uriCustomScheme']);
      for (const url of ['https://user@example.com', 'https://user:pass@example.com/x', 'https://'])
        expect(await faults({ url }), url)
          .to.have.length(1)
          .and.match(/^url /);
    });

    it('with types of events that there are not', async () => {
      expect(await faults({ event_types: ['invoice.*', 'invoice.*'] })).to.deep.equal([
        'event_types[1] unique',
      ]);
      expect(
        await faults({ event_types: ['Invoice', 'invoice.created.*', 'invoices.*', 'in*'] }),
      ).to.deep.equal([
        'event_types[0] pattern',
        'event_types[1] eventType',
        'event_types[2] eventType',
        'event_types[3] pattern',
      ]);
      expect(await faults({ event_types: '*' })).to.deep.equal(['event_types base']);
      expect(await faults({ event_types: Array.from({ length: 51 }, () => '*') })).to.include(
        'event_types max',
      );
      for (const type of ['ai.*', 'ai.suggestion.*', 'endpoint.failing', 'export.completed'])
        expect((await created({ event_types: [type] })).event_types).to.deep.equal([type]);
    });

    it('with headers that would break a delivery, or that it sets itself', async () => {
      const reserved = [
        ...['Host', 'content-length', 'Content-Type', 'CONNECTION', 'transfer-encoding', 'upgrade', 'te'],
        ...['trailer', 'expect', 'keep-alive', 'proxy-authorization', 'webhook-id', 'user-agent'],
        'accept-encoding',
      ];
      for (const name of [...reserved, 'x y', 'x:y', 'ä', ''])
        expect(await faultsOfHeaders({ [name]: 'v' }), name).to.deep.equal([`headers.${name} unknown`]);
      for (const value of ['a\r\nb', 'a\nb', 'a\tb', 'ä', '\u0001'])
        expect(await faultsOfHeaders({ 'x-a': value }), value).to.deep.equal(['headers.x-a pattern']);
      expect(await faultsOfHeaders({ 'x-a': '', 'x-b': 'v'.repeat(1025), 'x-c': 3 })).to.deep.equal([
        ...['headers.x-a empty', 'headers.x-b max', 'headers.x-c base'],
      ]);
      expect(await faultsOfHeaders({ 'x-a': '1', 'X-A': '2' })).to.deep.equal(['headers repeated']);
      const many = (count: number) =>
        Object.fromEntries(Array.from({ length: count }, (_, nth) => [`x-${nth}`, 'v'.repeat(1024)]));
      expect(await faultsOfHeaders(many(21))).to.deep.equal(['headers max']);
      expect((await created({ headers: many(20) })).header_names).to.have.length(20);
      expect((await created({ headers: { 'content-typed': 'v', 'x-te': 'v' } })).header_names).to.have.length(
        2,
      );
    });
    const faultsOfHeaders = async (headers: Record<string, unknown>) =>
      faultsOf(await tenant.client.post('/webhook-endpoints', endpointInput({ headers })));
  });

  describe('are listed', () => {
    it('newest first, page by page, without those that were deleted', async () => {
      const owner = await stack.createTenant('Lister');
      const ids: string[] = [];
      for (let nth = 0; nth < 4; nth += 1) ids.unshift((await created({}, owner)).id);
      const [deleted] = ids.splice(1, 1);
      await owner.client.delete(`/webhook-endpoints/${deleted}`);
      const first = (await owner.client.get('/webhook-endpoints?limit=2')).body.data;
      const second = (await owner.client.get(`/webhook-endpoints?limit=2&cursor=${first.cursor}`)).body.data;
      const listed = [...first.items, ...second.items].map(({ id }: { id: string }) => id);
      expect(listed).to.deep.equal(ids);
      expect(second.cursor).to.equal(null);
    });
  });

  describe('are changed', () => {
    it('in what was named, with a new version; the audit log tells what', async () => {
      const before = await created({ description: 'old', rate_limit_per_second: 9 });
      const change = {
        ...{ url: 'https://new.example.com/', event_types: ['invoice.paid'], description: null },
        ...{ rate_limit_per_second: null, max_in_flight: 3 },
      };
      const after = await patched(before.id, change);
      expect(after).to.deep.equal({ ...before, ...change, updated_at: after.updated_at });
      expect(Date.parse(after.updated_at)).to.be.above(Date.parse(before.updated_at));
      expect(await changesOf(before.id, 'webhook_endpoint.updated')).to.deep.include.members([
        { field: 'description', from: 'old', to: null },
        { field: 'event_types', from: ['*'], to: ['invoice.paid'] },
      ]);
    });

    it('not at all by nothing, equal values, or the same headers in another order', async () => {
      const headers = { 'X-A': '1', 'X-B': '2' };
      const before = await created({ headers, asymmetric: true });
      const same = {
        headers: { 'X-B': '2', 'X-A': '1' },
        asymmetric: true,
        enabled: true,
        max_in_flight: 20,
      };
      for (const nothing of [undefined, {}, same])
        expect(await patched(before.id, nothing)).to.deep.equal(before);
    });

    it('in all their headers, or in none: they are replaced as a whole, and null removes them', async () => {
      const { id } = await created({ headers: { 'X-A': '1', 'X-B': '2' } });
      expect((await patched(id, { description: 'd' })).header_names).to.deep.equal(['X-A', 'X-B']);
      const other = await patched(id, { headers: { 'X-C': '3' } });
      expect(other.header_names).to.deep.equal(['X-C']);
      const next = await patched(id, { headers: { 'X-C': '4' } });
      expect(next.header_names).to.deep.equal(['X-C']);
      expect(next.updated_at).to.not.equal(other.updated_at);
      expect(await changesOf(id, 'webhook_endpoint.updated')).to.deep.equal([
        { field: 'headers', from: null, to: 'changed' },
      ]);
      expect((await patched(id, { headers: null })).header_names).to.deep.equal([]);
      const [row] = await stack.rows(
        tenant.id,
        'select headers_sealed from webhook_endpoints where id = $1',
        [id],
      );
      expect(row?.headers_sealed).to.equal(null);
    });

    it('only in the version that If-Match names', async () => {
      const made = await tenant.client.post('/webhook-endpoints', endpointInput());
      const path = `/webhook-endpoints/${made.body.id}`;
      const bound = { headers: { 'If-Match': made.headers.etag as string } };
      expect((await tenant.client.get(path)).headers.etag).to.equal(made.headers.etag);
      const rotated = await tenant.client.post(`${path}/rotate-secret`, {}, bound);
      expect(rotated.status, rotated.text).to.equal(200);
      const late = { headers: { 'If-Match': made.headers.etag as string } };
      expectError(await tenant.client.patch(path, { max_in_flight: 2 }, late), 412, 'precondition_failed');
      expectError(await tenant.client.post(`${path}/rotate-secret`, {}, late), 412, 'precondition_failed');
      expectError(await tenant.client.delete(path, late), 412, 'precondition_failed');
      const current = { headers: { 'If-Match': rotated.headers.etag as string } };
      expect((await tenant.client.delete(path, current)).status).to.equal(200);
      expectError(await tenant.client.patch(path, {}, late), 404, 'not_found');
    });

    it('off and on: what is enabled again begins afresh', async () => {
      const { id } = await created();
      const off = await patched(id, { enabled: false });
      expect(off).to.include({ enabled: false, disabled_reason: 'user' });
      expect(off.health.state).to.equal('disabled');
      const failures = `failing_since = now() - interval '2 days', consecutive_failures = 12, opened = 3, open_until = now() + interval '1 hour',
        throttled_until = now() + interval '1 hour', stop_reason = 'gone', warned_hours = 24, probe_after = now(), probes = 4,
        last_failure_at = now(), last_error = 'connect_refused'`;
      await setLane(id, failures);
      const on = await patched(id, { enabled: true });
      expect(on).to.include({ enabled: true, disabled_reason: null, disabled_at: null });
      expect(on.health).to.include({ consecutive_failures: 0, failing_since: null, paused_until: null });
      expect(await laneOf(id)).to.include({
        ...{
          failing_since: null,
          consecutive_failures: 0,
          opened: 0,
          open_until: null,
          throttled_until: null,
        },
        ...{
          stop_reason: null,
          warned_hours: 0,
          probe_after: null,
          probes: 0,
          last_error: 'connect_refused',
        },
      });
      await setLane(id, 'consecutive_failures = 2, failing_since = now()');
      expect((await patched(id, { description: 'x' })).health.consecutive_failures).to.equal(2);
      expect((await patched(id, { enabled: true })).health.consecutive_failures, 'on is on').to.equal(0);
      await setLane(id, 'consecutive_failures = 2, failing_since = now()');
      const moved = await patched(id, { url: 'https://example.com/moved' });
      expect(moved.health.consecutive_failures, 'another receiver').to.equal(0);
    });

    it('off for good by who says so, also when the failures did it first', async () => {
      const { id } = await created();
      const disable =
        "update webhook_endpoints set enabled = false, disabled_reason = 'failing', disabled_at = '2026-01-01' where id = $1";
      await stack.rows(tenant.id, disable, [id]);
      expect(await patched(id, { enabled: false })).to.include({
        disabled_reason: 'user',
        disabled_at: '2026-01-01T00:00:00.000Z',
      });
    });
  });

  describe('tell their health', () => {
    const STATES: [string, string][] = [
      ['unknown', 'consecutive_failures = 0'],
      ['healthy', 'last_success_at = now()'],
      ['slow', 'last_success_at = now(), is_slow = true'],
      ['failing', 'failing_since = now(), last_failure_at = now(), is_slow = true'],
      ['failing', "failing_since = now(), open_until = now() - interval '1 second'"],
      ['throttled', "failing_since = now(), throttled_until = now() + interval '1 minute'"],
      ['paused', "throttled_until = now() + interval '1 minute', open_until = now() + interval '2 minutes'"],
    ];
    for (const [state, columns] of STATES) {
      it(`${state} with ${columns}`, async () => {
        const { id } = await created();
        await setLane(id, columns);
        const { health } = await read(id);
        expect(health.state).to.equal(state);
        expect(health.paused_until === null).to.equal(!['throttled', 'paused'].includes(state));
        if (state === 'paused') expect(Date.parse(health.paused_until)).to.be.above(Date.now() + 90_000);
        const until = health.failing_since && Date.parse(health.failing_since) + 5 * DAY_MS;
        expect(health.disables_at && Date.parse(health.disables_at)).to.equal(until);
        expect((await patched(id, { enabled: false })).health).to.include({
          state: 'disabled',
          disables_at: null,
        });
      });
    }
  });
});
