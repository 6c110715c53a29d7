import { expect } from 'chai';
import type { TestResponse } from '../../../support/client.js';
import { expectError } from '../../../support/expect-error.js';
import { endpointInput } from '../../../support/records/samples.js';
import { openSession } from '../../../support/records/sign-in.js';
import { useStack, useTenant } from '../../../support/use-stack.js';
import { createEndpoint } from '../../../support/webhooks/webhook-endpoints.js';

const DRY_RUN = { headers: { 'x-service-dry-run': 'true' } };
const DAY_MS = 24 * 3_600_000;

const HEALTH = {
  state: 'unknown',
  consecutive_failures: 0,
  failing_since: null,
  last_success_at: null,
  last_failure_at: null,
  last_error: null,
  paused_until: null,
  disables_at: null,
};

describe('webhook endpoints', () => {
  const stack = useStack();
  const tenant = useTenant(stack);

  const makeEndpoint = (input: Record<string, unknown> = {}) => createEndpoint(tenant.client, input);
  const readEndpoint = async (id: string): Promise<TestResponse['body']> =>
    (await tenant.client.get(`/webhook-endpoints/${id}`)).body;
  const patchEndpoint = async (id: string, body: unknown): Promise<TestResponse['body']> => {
    const response = await tenant.client.patch(`/webhook-endpoints/${id}`, body);
    expect(response.status, response.text).to.equal(200);
    return response.body;
  };
  const updateQueueRow = (id: string, columns: string) =>
    stack.rows(tenant.id, `update webhook_lanes set ${columns} where endpoint_id = $1`, [id]);
  const readQueueRow = async (id: string) =>
    (await stack.rows(tenant.id, 'select * from webhook_lanes where endpoint_id = $1', [id]))[0];
  const readChanges = async (id: string, action: string) => {
    const text =
      'select changes from audit_entries where entity_id = $1 and action = $2 order by id desc limit 1';
    const [entry] = await stack.rows<{ changes: unknown }>(tenant.id, text, [id, action]);
    return entry?.changes;
  };

  describe('POST /webhook-endpoints', () => {
    it('POST /webhook-endpoints stores the sent members and defaults, and creates an endpoint queue', async () => {
      const made = await makeEndpoint();
      expect(made).to.deep.include({
        url: 'https://receiver.example.com/hooks',
        event_types: ['*'],
        description: null,
        header_names: [],
        rate_limit_per_second: null,
        max_in_flight: 20,
        enabled: true,
        disabled_reason: null,
        disabled_at: null,
        asymmetric: false,
        public_keys: [],
        health: HEALTH,
      });
      expect(await readEndpoint(made.id)).to.deep.equal(made);
      expect(await readQueueRow(made.id)).to.include({ tenant_id: tenant.id, consecutive_failures: 0 });
      const full = {
        url: 'http://127.0.0.1:9/in?a=b',
        event_types: ['invoice.*', 'delivery.exhausted'],
        description: 'Books',
        headers: { 'X-B': '2', 'X-A': '1' },
        rate_limit_per_second: 5,
        max_in_flight: 1,
        enabled: false,
        asymmetric: true,
      };
      const second = await makeEndpoint(full);
      const { headers: _values, ...shown } = full;
      expect(second).to.deep.include({ ...shown, header_names: ['X-A', 'X-B'], disabled_reason: 'user' });
      expect(second.health.state).to.equal('disabled');
      expect(Date.parse(second.disabled_at)).to.be.closeTo(Date.now(), 60_000);
    });

    it('a signed-in user can create a webhook endpoint, and other accounts get 404 for it', async () => {
      const person = await openSession(stack, { tenantId: tenant.id });
      const made = await person.post('/webhook-endpoints', endpointInput());
      expect(made.status, made.text).to.equal(201);
      const path = `/webhook-endpoints/${made.body.id}`;
      for (const { client } of [await stack.createTenant('Other'), { client: tenant.sandbox }]) {
        expectError(await client.get(path), 404, 'not_found');
        expectError(await client.patch(path, { enabled: false }), 404, 'not_found');
        expectError(await client.post(`${path}/rotate-secret`), 404, 'not_found');
        expectError(await client.delete(path), 404, 'not_found');
      }
      expect((await readEndpoint(made.body.id)).enabled).to.equal(true);
    });

    it('an account has at most fifty webhook endpoints, also with concurrent requests; deleting one allows another', async () => {
      const owner = await stack.createTenant('Full');
      const post = () => owner.client.post('/webhook-endpoints', endpointInput());
      const responses = await Promise.all(Array.from({ length: 54 }, post));
      const refused = responses.filter(({ status }) => status !== 201);
      expect(refused).to.have.length(4);
      for (const response of refused) expectError(response, 409, 'conflict');
      const list = await owner.client.get('/webhook-endpoints?limit=200');
      expect(list.body.data.count).to.equal(50);
      await owner.client.delete(`/webhook-endpoints/${list.body.data.items[7].id}`);
      expect((await post()).status).to.equal(201);
      expect((await post()).status).to.equal(409);
      expect((await tenant.client.post('/webhook-endpoints', endpointInput(), DRY_RUN)).status).to.equal(200);
    });
  });

  describe('GET /webhook-endpoints', () => {
    it('GET /webhook-endpoints lists newest first, in pages, without deleted endpoints', async () => {
      const owner = await stack.createTenant('Lister');
      const ids: string[] = [];
      for (let nth = 0; nth < 4; nth += 1) ids.unshift((await createEndpoint(owner.client)).id);
      const [deleted] = ids.splice(1, 1);
      await owner.client.delete(`/webhook-endpoints/${deleted}`);
      const first = (await owner.client.get('/webhook-endpoints?limit=2')).body.data;
      const second = (await owner.client.get(`/webhook-endpoints?limit=2&cursor=${first.cursor}`)).body.data;
      const listed = [...first.items, ...second.items].map(({ id }: { id: string }) => id);
      expect(listed).to.deep.equal(ids);
      expect(second.cursor).to.equal(null);
    });
  });

  describe('PATCH /webhook-endpoints/{id}', () => {
    it('PATCH /webhook-endpoints/{id} changes the sent members and updated_at, and audits the changes', async () => {
      const before = await makeEndpoint({ description: 'old', rate_limit_per_second: 9 });
      const change = {
        url: 'https://new.example.com/',
        event_types: ['invoice.paid'],
        description: null,
        rate_limit_per_second: null,
        max_in_flight: 3,
      };
      const after = await patchEndpoint(before.id, change);
      expect(after).to.deep.equal({ ...before, ...change, updated_at: after.updated_at });
      expect(Date.parse(after.updated_at)).to.be.above(Date.parse(before.updated_at));
      expect(await readChanges(before.id, 'webhook_endpoint.updated')).to.deep.include.members([
        { field: 'description', from: 'old', to: null },
        { field: 'event_types', from: ['*'], to: ['invoice.paid'] },
      ]);
    });

    it('PATCH /webhook-endpoints/{id} with no members, equal values or reordered headers changes nothing', async () => {
      const headers = { 'X-A': '1', 'X-B': '2' };
      const before = await makeEndpoint({ headers, asymmetric: true });
      const same = {
        headers: { 'X-B': '2', 'X-A': '1' },
        asymmetric: true,
        enabled: true,
        max_in_flight: 20,
      };
      for (const nothing of [undefined, {}, same])
        expect(await patchEndpoint(before.id, nothing)).to.deep.equal(before);
    });

    it('PATCH /webhook-endpoints/{id} replaces all headers together, and null removes them', async () => {
      const { id } = await makeEndpoint({ headers: { 'X-A': '1', 'X-B': '2' } });
      expect((await patchEndpoint(id, { description: 'd' })).header_names).to.deep.equal(['X-A', 'X-B']);
      const other = await patchEndpoint(id, { headers: { 'X-C': '3' } });
      expect(other.header_names).to.deep.equal(['X-C']);
      const next = await patchEndpoint(id, { headers: { 'X-C': '4' } });
      expect(next.header_names).to.deep.equal(['X-C']);
      expect(next.updated_at).to.not.equal(other.updated_at);
      expect(await readChanges(id, 'webhook_endpoint.updated')).to.deep.equal([
        { field: 'headers', from: null, to: 'changed' },
      ]);
      expect((await patchEndpoint(id, { headers: null })).header_names).to.deep.equal([]);
      const [row] = await stack.rows(
        tenant.id,
        'select headers_sealed from webhook_endpoints where id = $1',
        [id],
      );
      expect(row?.headers_sealed).to.equal(null);
    });

    it('PATCH, rotate-secret and DELETE of a webhook endpoint require the version in If-Match', async () => {
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

    it('enabling a webhook endpoint or changing its URL resets its health', async () => {
      const { id } = await makeEndpoint();
      const off = await patchEndpoint(id, { enabled: false });
      expect(off).to.include({ enabled: false, disabled_reason: 'user' });
      expect(off.health.state).to.equal('disabled');
      const failures = `failing_since = now() - interval '2 days', consecutive_failures = 12, opened = 3, open_until = now() + interval '1 hour',
        throttled_until = now() + interval '1 hour', stop_reason = 'gone', warned_hours = 24, probe_after = now(), probes = 4,
        last_failure_at = now(), last_error = 'connect_refused'`;
      await updateQueueRow(id, failures);
      const on = await patchEndpoint(id, { enabled: true });
      expect(on).to.include({ enabled: true, disabled_reason: null, disabled_at: null });
      expect(on.health).to.include({ consecutive_failures: 0, failing_since: null, paused_until: null });
      expect(await readQueueRow(id)).to.include({
        failing_since: null,
        consecutive_failures: 0,
        opened: 0,
        open_until: null,
        throttled_until: null,
        stop_reason: null,
        warned_hours: 0,
        probe_after: null,
        probes: 0,
        last_error: 'connect_refused',
      });
      await updateQueueRow(id, 'consecutive_failures = 2, failing_since = now()');
      expect((await patchEndpoint(id, { description: 'x' })).health.consecutive_failures).to.equal(2);
      expect(
        (await patchEndpoint(id, { enabled: true })).health.consecutive_failures,
        'enabling an enabled endpoint',
      ).to.equal(0);
      await updateQueueRow(id, 'consecutive_failures = 2, failing_since = now()');
      const moved = await patchEndpoint(id, { url: 'https://example.com/moved' });
      expect(moved.health.consecutive_failures, 'a new URL').to.equal(0);
    });

    it('disabling an endpoint that failures had disabled sets disabled_reason to user', async () => {
      const { id } = await makeEndpoint();
      const disable =
        "update webhook_endpoints set enabled = false, disabled_reason = 'failing', disabled_at = '2026-01-01' where id = $1";
      await stack.rows(tenant.id, disable, [id]);
      expect(await patchEndpoint(id, { enabled: false })).to.include({
        disabled_reason: 'user',
        disabled_at: '2026-01-01T00:00:00.000Z',
      });
    });
  });

  describe('health of webhook endpoints', () => {
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
      it(`the health of a webhook endpoint is ${state} with ${columns}`, async () => {
        const { id } = await makeEndpoint();
        await updateQueueRow(id, columns);
        const { health } = await readEndpoint(id);
        expect(health.state).to.equal(state);
        expect(health.paused_until === null).to.equal(!['throttled', 'paused'].includes(state));
        if (state === 'paused') expect(Date.parse(health.paused_until)).to.be.above(Date.now() + 90_000);
        const until = health.failing_since && Date.parse(health.failing_since) + 5 * DAY_MS;
        expect(health.disables_at && Date.parse(health.disables_at)).to.equal(until);
        expect((await patchEndpoint(id, { enabled: false })).health).to.include({
          state: 'disabled',
          disables_at: null,
        });
      });
    }
  });
});
