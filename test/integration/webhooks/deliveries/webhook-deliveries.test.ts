import { expect } from 'chai';
import { newId } from '../../../../shared/platform/ids.js';
import { expectError, listValidationErrors } from '../../../support/expect-error.js';
import { UNKNOWN_ID } from '../../../support/records/samples.js';
import { useStack, useTenant } from '../../../support/use-stack.js';
import {
  type DeliveryInput,
  insertAttempt,
  insertDeliveries,
  insertEndpoint,
  insertEvents,
  type TenantRows,
} from '../../../support/webhooks/webhook-rows.js';

const MINUTE_MS = 60_000;

type Item = Record<string, unknown> & { id: string; created_at: string };

describe('the log of webhook deliveries', () => {
  const stack = useStack();
  const tenant = useTenant(stack);
  let of: TenantRows;
  let endpoints: string[];
  let eventId: string;
  const replayId = newId();
  /** The deliveries in the log, newest first. */
  let log: (DeliveryInput & { id: string })[];

  before(async () => {
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

  const listItems = async (query: string, client = tenant.client): Promise<Item[]> => {
    const response = await client.get(`/webhook-deliveries?limit=200&${query}`);
    expect(response.status, response.text).to.equal(200);
    return response.body.data.items;
  };
  const listIds = async (query: string) => (await listItems(query)).map(({ id }) => id);
  const readColumns = async (id: string, columns: string) => {
    const text = `select ${columns} from webhook_deliveries where tenant_id = $1 and id = $2`;
    return (await stack.rows<Record<string, unknown>>(tenant.id, text, [tenant.id, id]))[0];
  };

  it('GET /webhook-deliveries filters by each parameter and by several together, newest first', async () => {
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
      expect(await listIds(query), query).to.deep.equal(wanted.map(({ id }) => id));
    }
  });

  it('GET /webhook-deliveries?event_type=invoice.* lists all event types with that prefix', async () => {
    const listWithPrefix = (kind: string) =>
      log.filter((row) => row.event_type?.startsWith(kind)).map(({ id }) => id);
    expect(await listIds('event_type=invoice.*')).to.deep.equal(listWithPrefix('invoice.'));
    expect(await listIds('event_type=work_order.*')).to.deep.equal(listWithPrefix('work_order.'));
    // An underscore in a filter is not a wildcard, unlike in SQL LIKE.
    expect(await listIds('event_type=workxorder.*')).to.deep.equal([]);
  });

  it('since and until filter GET /webhook-deliveries by the creation time of a delivery', async () => {
    const all = log.map(({ id }) => id);
    const at = log[20]?.created_at as string;
    expect(await listIds(`since=${at}`)).to.deep.equal(all.slice(0, 21));
    expect(await listIds(`until=${at}`)).to.deep.equal(all.slice(21));
    expect(await listIds(`since=${log[9]?.created_at}&until=${log[4]?.created_at}`)).to.deep.equal(
      all.slice(5, 10),
    );
    // The filters accept microseconds, times of any age, and dates in the tenant's time zone.
    expect(await listIds(`since=${at.replace('Z', '001Z')}`)).to.deep.equal(all.slice(0, 20));
    expect(await listIds(`until=${at.replace('Z', '001Z')}`)).to.deep.equal(all.slice(20));
    expect(await listIds('since=0001-01-01T00:00:00Z')).to.deep.equal(all);
    expect(await listIds('until=0001-01-01')).to.deep.equal([]);
    expect(await listIds('until=9999-12-31T23:59:59Z')).to.deep.equal(all);
    const dayOf = (ms: number) =>
      new Intl.DateTimeFormat('en-CA', { timeZone: 'America/New_York' }).format(new Date(ms));
    const [first, second] = [dayOf(Date.parse(at)), dayOf(Date.parse(at) + 24 * 60 * MINUTE_MS)];
    const ofDay = log.filter((row) => dayOf(Date.parse(row.created_at as string)) === first);
    expect(await listIds(`since=${first}&until=${second}`)).to.deep.equal(ofDay.map(({ id }) => id));
  });

  it('pages of GET /webhook-deliveries repeat and skip no delivery, also with filters', async () => {
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
      expect(seen, filter).to.deep.equal(await listIds(filter));
    }
    const { body } = await tenant.client.get('/webhook-deliveries?limit=4');
    expectError(
      await tenant.client.get(`/webhook-deliveries?status=failed&cursor=${body.data.cursor}`),
      400,
      'invalid_cursor',
    );
  });

  it('GET /webhook-deliveries refuses invalid filters', async () => {
    for (const [query, expectedError] of [
      ['status=lost', 'status only'],
      ['trigger=cron', 'trigger only'],
      ['event_type=invoice', 'event_type pattern'],
      ['endpoint_id=7', 'endpoint_id guid'],
      ['since=yesterday', 'since dateTime'],
    ])
      expect(
        listValidationErrors(await tenant.client.get(`/webhook-deliveries?${query}`)),
        query,
      ).to.deep.equal([expectedError]);
  });

  it('GET /webhook-deliveries/{id}/attempts shows request and response of each attempt, newest first', async () => {
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

  it('another account cannot read, replay or cancel webhook deliveries', async () => {
    const otherAccount = await stack.createTenant('Stranger');
    expect(await listItems('', otherAccount.client)).to.deep.equal([]);
    expect(await listItems('', tenant.sandbox)).to.deep.equal([]);
    for (const path of ['', '/attempts'])
      expectError(
        await otherAccount.client.get(`/webhook-deliveries/${log[0]?.id}${path}`),
        404,
        'not_found',
      );
    for (const path of [
      `/webhook-deliveries/${log[0]?.id}/replay`,
      `/webhook-deliveries/${log[0]?.id}/cancel`,
    ])
      expectError(await otherAccount.client.post(path, {}), 404, 'not_found');
    expectError(
      await otherAccount.client.post(`/webhook-endpoints/${endpoints[0]}/test`, {}),
      404,
      'not_found',
    );
  });

  describe('POST /webhook-deliveries/{id}/replay', () => {
    const replay = (id: string, headers: Record<string, string> = {}) =>
      tenant.client.post(`/webhook-deliveries/${id}/replay`, {}, { headers });

    it('a replay of a delivery in any status creates a new delivery of the same event, due immediately', async () => {
      const [endpoint_id] = endpoints as [string];
      for (const status of ['succeeded', 'exhausted', 'cancelled', 'failed']) {
        const [id] = (await insertDeliveries(of, [{ endpoint_id, event_id: eventId, status }])) as [string];
        const response = await replay(id);
        expect(response.status, response.text).to.equal(201);
        expect(response.headers.location).to.equal(`/v1/webhook-deliveries/${response.body.id}`);
        expect(response.body).to.include({
          endpoint_id,
          event_id: eventId,
          event_type: 'invoice.created',
          trigger: 'replay',
          replay_of: id,
          replay_id: null,
          status: 'pending',
          attempts: 0,
          completed_at: null,
        });
        expect(response.body.id).to.not.equal(id);
        expect((await tenant.client.get(`/webhook-deliveries/${id}`)).body.status).to.equal(status);
        const row = await readColumns(response.body.id, 'priority, body, next_attempt_at <= now() as is_due');
        expect(row).to.deep.equal({ priority: 0, body: null, is_due: true });
      }
    });

    it('a replay of one delivery happens once per Idempotency-Key, and not in a dry run', async () => {
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

    it('a replay of one delivery is 409 when its endpoint is disabled or deleted or its event was purged', async () => {
      const disabled = await insertEndpoint(of, { enabled: false });
      const deleted = await insertEndpoint(of, { deleted_at: new Date().toISOString() });
      const ids = await insertDeliveries(of, [
        { endpoint_id: disabled, event_id: eventId, status: 'cancelled' },
        { endpoint_id: deleted, event_id: eventId, status: 'cancelled' },
        { endpoint_id: endpoints[0] as string, event_id: newId(), status: 'exhausted' },
      ]);
      const responses = await Promise.all(ids.map((id) => replay(id)));
      for (const response of responses) expectError(response, 409, 'conflict');
      const errorMessages = responses.map((response) => response.body.error.message);
      expect(errorMessages[0]).to.match(/disabled/);
      expect(errorMessages[1]).to.match(/deleted/);
      expect(errorMessages[2]).to.match(/no longer kept/);
      expectError(await replay(UNKNOWN_ID), 404, 'not_found');
      expectError(await replay('nothing'), 404, 'not_found');
    });
  });

  describe('POST /webhook-deliveries/{id}/cancel', () => {
    it('cancelling ends an open webhook delivery and changes no finished one', async () => {
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
        const response = await tenant.client.post(`/webhook-deliveries/${id}/cancel`, {});
        expect(response.status, `${status}: ${response.text}`).to.equal(code);
        const after = await tenant.client.get(`/webhook-deliveries/${id}`);
        if (code === 409) expectError(response, 409, 'invalid_status_transition');
        if (code === 409 || status === 'cancelled') expect(after.text).to.equal(before.text);
        else {
          expect(after.body).to.include({ status: 'cancelled', next_attempt_at: null });
          expect(after.body.completed_at).to.be.a('string');
        }
      }
    });
  });

  describe('POST /webhook-endpoints/{id}/test', () => {
    it('a test event is a complete event, ignores the filters of its endpoint and is not listed as an event', async () => {
      const endpoint = await insertEndpoint(of, { eventTypes: ['customer.created'] });
      const response = await tenant.client.post(`/webhook-endpoints/${endpoint}/test`, {
        type: 'invoice.paid',
      });
      expect(response.status, response.text).to.equal(201);
      expect(response.body).to.include({
        endpoint_id: endpoint,
        event_type: 'invoice.paid',
        trigger: 'test',
        status: 'pending',
      });
      const row = await readColumns(response.body.id, 'body');
      const body = JSON.parse(row?.body as string);
      expect(body).to.deep.include({
        id: response.body.event_id,
        type: 'invoice.paid',
        api_version: 'v1',
        tenant_id: tenant.id,
        environment: 'live',
      });
      expect(body.data, 'the members of a real event')
        .to.have.keys('object', 'payment', 'fully_paid', 'test')
        .and.include({ test: true });
      expectError(await tenant.client.get(`/events/${response.body.event_id}`), 404, 'not_found');
      expect(await listIds(`endpoint_id=${endpoint}`)).to.deep.equal([response.body.id]);

      const again = await tenant.client.post(`/webhook-deliveries/${response.body.id}/replay`, {});
      expect(again.body).to.include({ event_id: response.body.event_id, trigger: 'replay' });
      expect(await readColumns(again.body.id, 'body')).to.deep.equal(row);
    });

    it('a test event is an invoice.created by default, and is refused for a disabled or deleted endpoint', async () => {
      const { body } = await tenant.client.post(`/webhook-endpoints/${endpoints[0]}/test`, {});
      expect(body.event_type).to.equal('invoice.created');
      const disabled = await insertEndpoint(of, { enabled: false });
      expectError(await tenant.client.post(`/webhook-endpoints/${disabled}/test`, {}), 409, 'conflict');
      const deleted = await insertEndpoint(of, { deleted_at: new Date().toISOString() });
      for (const id of [deleted, UNKNOWN_ID])
        expectError(await tenant.client.post(`/webhook-endpoints/${id}/test`, {}), 404, 'not_found');
      const path = `/webhook-endpoints/${endpoints[0]}/test`;
      for (const type of ['invoice.*', '*', 'invoice', ''])
        expect(listValidationErrors(await tenant.client.post(path, { type }))[0], type).to.match(/^type /);
    });
  });
});
