import { expect } from 'chai';
import { newId } from '../../shared/platform/ids.js';
import type { Statement } from '../../shared/platform/postgres.js';
import { listEvents } from '../../shared/resources/events/queries.js';
import { expectError, faultsOf } from '../support/expect-error.js';
import { invoiceInput, UNKNOWN_ID } from '../support/samples.js';
import { TestStack, type TestTenant } from '../support/stack.js';

interface Shown {
  id: string;
  type: string;
  timestamp: string;
}

describe('GET /events', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  /** Ten events, newest first. */
  let events: Shown[];

  before(async () => {
    stack = await TestStack.start();
    tenant = await stack.createTenant();
    for (let nth = 0; nth < 5; nth += 1) {
      await tenant.client.post('/invoices', invoiceInput());
      await tenant.client.post('/work-orders', { service_type: 'tow' });
    }
    events = await itemsOf('');
  });
  after(() => stack.stop());

  const itemsOf = async (query: string, client = tenant.client): Promise<Shown[]> => {
    const answer = await client.get(`/events${query}`);
    expect(answer.status, answer.text).to.equal(200);
    return answer.body.data.items;
  };
  const ids = (items: Shown[]) => items.map(({ id }) => id);

  it('lists what happened, newest first, each as it was recorded', async () => {
    const rows = await stack.rows<{ id: string; body: string }>(
      tenant.id,
      'select id, body from events where tenant_id = $1 order by id desc',
      [tenant.id],
    );
    expect(rows).to.have.length(10);
    const answer = await tenant.client.get('/events');
    expect(answer.text).to.include(`"items":[${rows.map(({ body }) => body).join(',')}]`);
    expect(answer.body.data).to.include({ cursor: null, count: 10 });
  });

  it('comes in pages that neither repeat nor leave out', async () => {
    const seen: string[] = [];
    let cursor = '';
    do {
      const { body } = await tenant.client.get(`/events?limit=3${cursor && `&cursor=${cursor}`}`);
      seen.push(...ids(body.data.items));
      cursor = body.data.cursor;
    } while (cursor);
    expect(seen).to.deep.equal(ids(events));
    const { body } = await tenant.client.get('/events?limit=3&type=invoice.*');
    const moved = await tenant.client.get(`/events?limit=3&type=work_order.*&cursor=${body.data.cursor}`);
    expectError(moved, 400, 'invalid_cursor');
  });

  it('is filtered by a type, by all of a kind, or not at all', async () => {
    const ofType = (type: string) => ids(events.filter((event) => event.type === type));
    expect(ids(await itemsOf('?type=invoice.created'))).to.deep.equal(ofType('invoice.created'));
    expect(ids(await itemsOf('?type=work_order.*'))).to.deep.equal(ofType('work_order.created'));
    expect(ids(await itemsOf('?type=*'))).to.deep.equal(ids(events));
    expect(await itemsOf('?type=invoice.paid')).to.deep.equal([]);
    // An underscore is no wildcard.
    expect(await itemsOf('?type=workxorder.*')).to.deep.equal([]);
    for (const type of ['invoice', 'invoice.', '*.*', 'invoice.*,work_order.*', 'Invoice.created'])
      expect(faultsOf(await tenant.client.get(`/events?type=${type}`)), type).to.deep.equal(['type pattern']);
  });

  it('since takes in the very moment that an event shows, until leaves it out', async () => {
    for (const { timestamp } of events) {
      const isBefore = (event: Shown) => event.timestamp < timestamp;
      expect(ids(await itemsOf(`?since=${timestamp}`))).to.deep.equal(
        ids(events.filter((event) => !isBefore(event))),
      );
      expect(ids(await itemsOf(`?until=${timestamp}`))).to.deep.equal(ids(events.filter(isBefore)));
    }
  });

  it("takes a plain date as midnight in the tenant's time zone, wherever that is", async () => {
    const other = await stack.createTenant('Far East', { timeZone: 'Pacific/Kiritimati' });
    const at = '2026-03-01T10:30:00.000Z'; // 2026-03-02 00:30 there
    const id = `${Date.parse(at)
      .toString(16)
      .padStart(12, '0')
      .replace(/^(.{8})/, '$1-')}-7000-8000-000000000001`;
    const event = { id, type: 'test.dated', api_version: 'v1', timestamp: at, tenant_id: other.id };
    const body = JSON.stringify({ ...event, environment: 'live', data: { object: {} } });
    await stack.rows(
      other.id,
      'insert into events (tenant_id, id, type, occurred_at, body) values ($1, $2, $3, $4, $5)',
      [other.id, id, event.type, at, body],
    );
    for (const query of ['since=2026-03-02', 'until=2026-03-03', 'since=2026-03-02&until=2026-03-03'])
      expect(ids(await itemsOf(`?${query}`, other.client)), query).to.deep.equal([id]);
    for (const query of ['since=2026-03-03', 'until=2026-03-02'])
      expect(ids(await itemsOf(`?${query}`, other.client)), query).to.deep.equal([]);
  });

  for (const query of ['since=yesterday', 'until=2026-02-30', 'limit=0', 'limit=201'])
    it(`refuses ${query}`, async () => {
      expectError(await tenant.client.get(`/events?${query}`), 400, 'validation_error');
    });

  it('of one id shows that event, byte for byte', async () => {
    for (const { id } of events.slice(0, 2)) {
      const answer = await tenant.client.get(`/events/${id}`);
      const [row] = await stack.rows<{ body: string }>(tenant.id, 'select body from events where id = $1', [
        id,
      ]);
      expect(answer.text).to.equal(row?.body);
    }
  });

  it('knows no event of another tenant, nor an id that is none', async () => {
    const other = await stack.createTenant('Other');
    const id = events[0]?.id ?? '';
    expect(await itemsOf('', other.client)).to.deep.equal([]);
    expect(await itemsOf('', tenant.sandbox)).to.deep.equal([]);
    for (const client of [other.client, tenant.sandbox])
      expectError(await client.get(`/events/${id}`), 404, 'not_found');
    for (const unknown of [UNKNOWN_ID, 'x'])
      expectError(await tenant.client.get(`/events/${unknown}`), 404, 'not_found');
  });

  describe('over 20,000 events', () => {
    before(async () => {
      for (const owner of [tenant.id, (await stack.createTenant('Neighbour')).id]) {
        await stack.rows(
          owner,
          `insert into events (tenant_id, id, type, body)
           select $1, overlay(gen_random_uuid()::text placing substr($2, 1, 14) from 1)::uuid, 'test.x' || n % 10, '{}'
           from generate_series(1, 20000) n`,
          [owner, newId()],
        );
      }
      await stack.asOwner('analyze events');
    });

    /** Plans of the application's own session: a list is prepared, so its plan knows no values. */
    const planOf = (statement: Statement): Promise<string> =>
      stack.runtime.db.transaction([tenant.id], async (tx) => {
        const values = (statement.values ?? []).map((value) => `'${String(value).replaceAll("'", "''")}'`);
        await tx.query({ text: `prepare page as ${statement.text}` });
        const rows = await tx.query<{ 'QUERY PLAN': string }>({
          text: `explain execute page (${values.join(', ')})`,
        });
        await tx.query({ text: 'deallocate page' });
        return rows.map((row) => row['QUERY PLAN']).join('\n');
      });
    const scope = () => ({
      tenantId: tenant.id,
      timeZone: 'America/New_York',
      position: { at: new Date().toISOString(), id: newId() },
    });

    for (const query of [{}, { type: 'test.*' }, { since: '2026-01-01', until: '2026-12-31T00:00:00Z' }]) {
      it(`reads a page of ${JSON.stringify(query)} in the order of the primary key and sorts nothing`, async () => {
        const plan = await planOf(listEvents({ limit: 50, ...query }, scope()));
        // Of each partition; what these give is merged.
        expect(plan)
          .to.match(/Index Scan Backward using events_(\w+_)?pkey/)
          .and.not.match(/Sort {2}\(|Seq Scan/);
        expect(plan).to.match(/Index Cond: .*id < /);
        if (query.since) expect(plan).to.match(/Index Cond: .*id >= /);
      });
    }
  });
});
