import { expect } from 'chai';
import { newId } from '../../shared/platform/ids.js';
import { expectError, faultsOf } from '../support/expect-error.js';
import { UNKNOWN_ID } from '../support/samples.js';
import { TestStack, type TestTenant } from '../support/stack.js';
import {
  type DeliveryInput,
  insertAttempt,
  insertDeliveries,
  insertEndpoint,
  insertEvents,
  type RowsOf,
} from '../support/webhook-rows.js';

const MINUTE_MS = 60_000;

type Item = Record<string, unknown> & { id: string; created_at: string };

describe('the log of deliveries', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  let of: RowsOf;
  let endpoints: string[];
  let eventId: string;
  const replayId = newId();
  /** What is in the log, newest first. */
  let log: (DeliveryInput & { id: string })[];

  before(async () => {
    stack = await TestStack.start();
    tenant = await stack.createTenant();
    of = { stack, tenantId: tenant.id };
    endpoints = [await insertEndpoint(of), await insertEndpoint(of)];
    [eventId] = (await insertEvents(of, ['invoice.created'])) as [string];
    const types = ['invoice.created', 'invoice.paid', 'work_order.completed'];
    const statuses = ['pending', 'delivering', 'succeeded', 'failed', 'exhausted', 'cancelled'];
    const triggers = ['event', 'replay', 'recover', 'test', 'probe'];
    const inputs = Array.from({ length: 60 }, (_, nth) => ({
      endpoint_id: endpoints[nth % 2] as string,
      event_type: types[nth % 3] as string,
      status: statuses[nth % 6] as string,
      trigger: triggers[nth % 5] as string,
      ...(nth % 7 === 0 ? { replay_id: replayId, event_id: eventId } : { event_id: newId() }),
      created_at: new Date(Date.now() - (60 - nth) * MINUTE_MS).toISOString(),
    }));
    const ids = await insertDeliveries(of, inputs);
    log = inputs.map((input, nth) => ({ ...input, id: ids[nth] as string })).reverse();
  });
  after(() => stack.stop());

  const itemsOf = async (query: string, client = tenant.client): Promise<Item[]> => {
    const answer = await client.get(`/webhook-deliveries?limit=200&${query}`);
    expect(answer.status, answer.text).to.equal(200);
    return answer.body.data.items;
  };
  const idsOf = async (query: string) => (await itemsOf(query)).map(({ id }) => id);

  it('is filtered by each member and by all of them together, newest first', async () => {
    const filters: Record<string, string | undefined>[] = [
      {},
      ...['succeeded', 'failed', 'pending', 'delivering', 'exhausted', 'cancelled'].map((status) => ({
        status,
      })),
      ...['event', 'replay', 'recover', 'test', 'probe'].map((trigger) => ({ trigger })),
      { endpoint_id: endpoints[1] },
      { event_type: 'invoice.paid' },
      { event_id: eventId },
      { replay_id: replayId },
      { endpoint_id: endpoints[0], status: 'exhausted' },
      { endpoint_id: endpoints[0], event_type: 'invoice.created', status: 'pending', trigger: 'event' },
    ];
    for (const filter of filters) {
      const wanted = log.filter((row) =>
        Object.entries(filter).every(([name, value]) => row[name as keyof DeliveryInput] === value),
      );
      expect(wanted, JSON.stringify(filter)).to.not.deep.equal([]);
      const query = new URLSearchParams(filter as Record<string, string>).toString();
      expect(await idsOf(query), query).to.deep.equal(wanted.map(({ id }) => id));
    }
  });

  it('takes all types of a kind', async () => {
    const ofKind = (kind: string) =>
      log.filter((row) => row.event_type?.startsWith(kind)).map(({ id }) => id);
    expect(await idsOf('event_type=invoice.*')).to.deep.equal(ofKind('invoice.'));
    expect(await idsOf('event_type=work_order.*')).to.deep.equal(ofKind('work_order.'));
    // An underscore is no wildcard.
    expect(await idsOf('event_type=workxorder.*')).to.deep.equal([]);
  });

  it('takes since and until by the time a delivery was made', async () => {
    const all = log.map(({ id }) => id);
    const at = log[20]?.created_at as string;
    expect(await idsOf(`since=${at}`)).to.deep.equal(all.slice(0, 21));
    expect(await idsOf(`until=${at}`)).to.deep.equal(all.slice(21));
    expect(await idsOf(`since=${log[9]?.created_at}&until=${log[4]?.created_at}`)).to.deep.equal(
      all.slice(5, 10),
    );
    // As finely as PostgreSQL tells times, however long ago, and by days of the tenant.
    expect(await idsOf(`since=${at.replace('Z', '001Z')}`)).to.deep.equal(all.slice(0, 20));
    expect(await idsOf(`until=${at.replace('Z', '001Z')}`)).to.deep.equal(all.slice(20));
    expect(await idsOf('since=0001-01-01T00:00:00Z')).to.deep.equal(all);
    expect(await idsOf('until=0001-01-01')).to.deep.equal([]);
    expect(await idsOf('until=9999-12-31T23:59:59Z')).to.deep.equal(all);
    const dayOf = (ms: number) =>
      new Intl.DateTimeFormat('en-CA', { timeZone: 'America/New_York' }).format(new Date(ms));
    const [first, second] = [dayOf(Date.parse(at)), dayOf(Date.parse(at) + 24 * 60 * MINUTE_MS)];
    const ofDay = log.filter((row) => dayOf(Date.parse(row.created_at as string)) === first);
    expect(await idsOf(`since=${first}&until=${second}`)).to.deep.equal(ofDay.map(({ id }) => id));
  });

  it('comes in pages that neither repeat nor leave out, also under filters', async () => {
    for (const filter of ['', `&endpoint_id=${endpoints[0]}`, '&event_type=invoice.*&status=failed']) {
      const seen: string[] = [];
      let cursor = '';
      do {
        const { body } = await tenant.client.get(
          `/webhook-deliveries?limit=4${filter}${cursor && `&cursor=${cursor}`}`,
        );
        seen.push(...body.data.items.map((item: Item) => item.id));
        cursor = body.data.cursor;
      } while (cursor);
      expect(seen, filter).to.deep.equal(await idsOf(filter));
    }
    const { body } = await tenant.client.get('/webhook-deliveries?limit=4');
    expectError(
      await tenant.client.get(`/webhook-deliveries?status=failed&cursor=${body.data.cursor}`),
      400,
      'invalid_cursor',
    );
  });

  it('refuses filters that mean nothing', async () => {
    for (const [query, fault] of [
      ['status=lost', 'status only'],
      ['trigger=cron', 'trigger only'],
      ['event_type=invoice', 'event_type pattern'],
      ['endpoint_id=7', 'endpoint_id guid'],
      ['since=yesterday', 'since dateTime'],
    ])
      expect(faultsOf(await tenant.client.get(`/webhook-deliveries?${query}`)), query).to.deep.equal([fault]);
  });

  it('shows each attempt of a delivery, the last first, with what was sent and what came back', async () => {
    const [delivery, other] = [log[0] as Item & DeliveryInput, log[1] as Item & DeliveryInput];
    const target = { deliveryId: delivery.id, endpointId: delivery.endpoint_id };
    const ids = [
      await insertAttempt(of, { ...target, attempt: 1 }),
      await insertAttempt(of, { ...target, attempt: 2 }),
    ];
    await insertAttempt(of, { ...target, deliveryId: other.id, attempt: 1 });
    const { body } = await tenant.client.get(`/webhook-deliveries/${delivery.id}/attempts`);
    expect(body.data.items.map((item: Item) => item.id)).to.deep.equal(ids.reverse());
    expect(body.data.items[0]).to.deep.include({
      delivery_id: delivery.id,
      attempt: 2,
      request_headers: { 'webhook-id': 'x' },
      response_status: 500,
      response_headers: { 'content-type': 'text/plain' },
      response_body: 'no',
      response_truncated: false,
      error_class: null,
      connect_ms: null,
      total_ms: 12,
    });
    const first = await tenant.client.get(`/webhook-deliveries/${delivery.id}/attempts?limit=1`);
    const next = `/webhook-deliveries/${delivery.id}/attempts?limit=1&cursor=${first.body.data.cursor}`;
    expect((await tenant.client.get(next)).body.data.items[0].attempt).to.equal(1);
    expectError(await tenant.client.get(`/webhook-deliveries/${UNKNOWN_ID}/attempts`), 404, 'not_found');
  });

  it("is the account's own: another one finds, replays and cancels nothing of it", async () => {
    const stranger = await stack.createTenant('Stranger');
    expect(await itemsOf('', stranger.client)).to.deep.equal([]);
    expect(await itemsOf('', tenant.sandbox)).to.deep.equal([]);
    for (const path of ['', '/attempts'])
      expectError(await stranger.client.get(`/webhook-deliveries/${log[0]?.id}${path}`), 404, 'not_found');
    for (const path of [
      `/webhook-deliveries/${log[0]?.id}/replay`,
      `/webhook-deliveries/${log[0]?.id}/cancel`,
    ])
      expectError(await stranger.client.post(path, {}), 404, 'not_found');
    expectError(await stranger.client.post(`/webhook-endpoints/${endpoints[0]}/test`, {}), 404, 'not_found');
  });

  describe('a replay of one delivery', () => {
    const replay = (id: string, headers: Record<string, string> = {}) =>
      tenant.client.post(`/webhook-deliveries/${id}/replay`, {}, { headers });

    it('is a delivery of its own with the same event, at once, whatever became of the first', async () => {
      const [endpoint_id] = endpoints as [string];
      for (const status of ['succeeded', 'exhausted', 'cancelled', 'failed']) {
        const [id] = (await insertDeliveries(of, [{ endpoint_id, event_id: eventId, status }])) as [string];
        const answer = await replay(id);
        expect(answer.status, answer.text).to.equal(201);
        expect(answer.headers.location).to.equal(`/v1/webhook-deliveries/${answer.body.id}`);
        expect(answer.body).to.include({
          ...{ endpoint_id, event_id: eventId, event_type: 'invoice.created', trigger: 'replay' },
          ...{ replay_of: id, replay_id: null, status: 'pending', attempts: 0, completed_at: null },
        });
        expect(answer.body.id).to.not.equal(id);
        expect((await tenant.client.get(`/webhook-deliveries/${id}`)).body.status).to.equal(status);
        const [row] = await stack.rows(
          tenant.id,
          'select priority, body, next_attempt_at <= now() as is_due from webhook_deliveries where tenant_id = $1 and id = $2',
          [tenant.id, answer.body.id],
        );
        expect(row).to.deep.equal({ priority: 0, body: null, is_due: true });
      }
    });

    it('happens once under one Idempotency-Key, and not at all in a dry run', async () => {
      const [id] = (await insertDeliveries(of, [
        { endpoint_id: endpoints[0] as string, event_id: eventId },
      ])) as [string];
      const count = async () => {
        const rows = await stack.rows(
          tenant.id,
          'select from webhook_deliveries where tenant_id = $1 and replay_of = $2',
          [tenant.id, id],
        );
        return rows.length;
      };
      const dry = await replay(id, { 'X-Service-Dry-Run': 'true' });
      expect(dry.body).to.deep.include({ ok: true, dry_run: true });
      expect(dry.body.data).to.include({ replay_of: id, trigger: 'replay' });
      expect(await count()).to.equal(0);
      const headers = { 'Idempotency-Key': newId() };
      const [first, again] = [await replay(id, headers), await replay(id, headers)];
      expect(again.text).to.equal(first.text);
      expect(await count()).to.equal(1);
    });

    it('is refused when the endpoint is closed or the event is gone', async () => {
      const disabled = await insertEndpoint(of, { enabled: false });
      const deleted = await insertEndpoint(of, { deleted_at: new Date().toISOString() });
      const ids = await insertDeliveries(of, [
        { endpoint_id: disabled, event_id: eventId, status: 'cancelled' },
        { endpoint_id: deleted, event_id: eventId, status: 'cancelled' },
        { endpoint_id: endpoints[0] as string, event_id: newId(), status: 'exhausted' },
      ]);
      const answers = await Promise.all(ids.map((id) => replay(id)));
      for (const answer of answers) expectError(answer, 409, 'conflict');
      const told = answers.map((answer) => answer.body.error.message);
      expect(told[0]).to.match(/disabled/);
      expect(told[1]).to.match(/deleted/);
      expect(told[2]).to.match(/no longer kept/);
      expectError(await replay(UNKNOWN_ID), 404, 'not_found');
      expectError(await replay('nothing'), 404, 'not_found');
    });
  });

  describe('cancelling a delivery', () => {
    it('ends one that is open, and changes none that has ended', async () => {
      for (const [status, code] of [
        ['pending', 200],
        ['delivering', 200],
        ['failed', 200],
        ['cancelled', 200],
        ['succeeded', 409],
        ['exhausted', 409],
      ] as const) {
        const [id] = (await insertDeliveries(of, [{ endpoint_id: endpoints[0] as string, status }])) as [
          string,
        ];
        const before = await tenant.client.get(`/webhook-deliveries/${id}`);
        const answer = await tenant.client.post(`/webhook-deliveries/${id}/cancel`, {});
        expect(answer.status, `${status}: ${answer.text}`).to.equal(code);
        const after = await tenant.client.get(`/webhook-deliveries/${id}`);
        if (code === 409) expectError(answer, 409, 'invalid_status_transition');
        if (code === 409 || status === 'cancelled') expect(after.text).to.equal(before.text);
        else {
          expect(after.body).to.include({ status: 'cancelled', next_attempt_at: null });
          expect(after.body.completed_at).to.be.a('string');
        }
      }
    });
  });

  describe('a test event', () => {
    it('goes to its endpoint whatever the filters, as a whole event of its own, and is no event of the account', async () => {
      const endpoint = await insertEndpoint(of, { eventTypes: ['customer.created'] });
      const answer = await tenant.client.post(`/webhook-endpoints/${endpoint}/test`, {
        type: 'invoice.paid',
      });
      expect(answer.status, answer.text).to.equal(201);
      expect(answer.body).to.include({
        endpoint_id: endpoint,
        event_type: 'invoice.paid',
        trigger: 'test',
        status: 'pending',
      });
      const [row] = await stack.rows<{ body: string }>(
        tenant.id,
        'select body from webhook_deliveries where tenant_id = $1 and id = $2',
        [tenant.id, answer.body.id],
      );
      const body = JSON.parse(row?.body as string);
      expect(body).to.deep.include({
        ...{ id: answer.body.event_id, type: 'invoice.paid', api_version: 'v1' },
        ...{ tenant_id: tenant.id, environment: 'live' },
      });
      expect(body.data, 'as a true one')
        .to.have.keys('object', 'payment', 'fully_paid', 'test')
        .and.include({ test: true });
      expectError(await tenant.client.get(`/events/${answer.body.event_id}`), 404, 'not_found');
      expect(await idsOf(`endpoint_id=${endpoint}`)).to.deep.equal([answer.body.id]);

      const again = await tenant.client.post(`/webhook-deliveries/${answer.body.id}/replay`, {});
      expect(again.body).to.include({ event_id: answer.body.event_id, trigger: 'replay' });
      const [copy] = await stack.rows<{ body: string }>(
        tenant.id,
        'select body from webhook_deliveries where tenant_id = $1 and id = $2',
        [tenant.id, again.body.id],
      );
      expect(copy).to.deep.equal(row);
    });

    it('is an invoice.created unless said otherwise, and is refused by a closed endpoint', async () => {
      const { body } = await tenant.client.post(`/webhook-endpoints/${endpoints[0]}/test`, {});
      expect(body.event_type).to.equal('invoice.created');
      const disabled = await insertEndpoint(of, { enabled: false });
      expectError(await tenant.client.post(`/webhook-endpoints/${disabled}/test`, {}), 409, 'conflict');
      const deleted = await insertEndpoint(of, { deleted_at: new Date().toISOString() });
      for (const id of [deleted, UNKNOWN_ID])
        expectError(await tenant.client.post(`/webhook-endpoints/${id}/test`, {}), 404, 'not_found');
      const path = `/webhook-endpoints/${endpoints[0]}/test`;
      for (const type of ['invoice.*', '*', 'invoice', ''])
        expect(faultsOf(await tenant.client.post(path, { type }))[0], type).to.match(/^type /);
    });
  });
});
