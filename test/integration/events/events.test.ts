import { expect } from 'chai';
import { newId } from '../../../shared/platform/ids.js';
import type { SqlQuery } from '../../../shared/platform/postgres/database.js';
import { listEvents } from '../../../shared/resources/events/queries.js';
import { expectError, listValidationErrors } from '../../support/expect-error.js';
import { invoiceInput, UNKNOWN_ID } from '../../support/records/samples.js';
import { useStack, useTenant } from '../../support/use-stack.js';

interface EventRecord {
  id: string;
  type: string;
  timestamp: string;
}

describe('GET /events', () => {
  const stack = useStack({}, 'query plans');
  const tenant = useTenant(stack);
  /** Ten events, newest first. */
  let events: EventRecord[];

  before(async () => {
    for (let nth = 0; nth < 5; nth += 1) {
      await tenant.client.post('/invoices', invoiceInput());
      await tenant.client.post('/work-orders', { service_type: 'tow' });
    }
    events = await readItems('');
  });

  const readItems = async (query: string, client = tenant.client): Promise<EventRecord[]> => {
    const response = await client.get(`/events${query}`);
    expect(response.status, response.text).to.equal(200);
    return response.body.data.items;
  };
  const listIds = (items: EventRecord[]) => items.map(({ id }) => id);

  it('GET /events lists events newest first, each exactly as recorded', async () => {
    const rows = await stack.rows<{ id: string; body: string }>(
      tenant.id,
      'select id, body from events where tenant_id = $1 order by id desc',
      [tenant.id],
    );
    expect(rows).to.have.length(10);
    const response = await tenant.client.get('/events');
    expect(response.text).to.include(`"items":[${rows.map(({ body }) => body).join(',')}]`);
    expect(response.body.data).to.include({ cursor: null, count: 10 });
  });

  it('GET /events pages have no duplicates and no gaps, and a cursor is refused with another filter', async () => {
    const seen: string[] = [];
    let cursor = '';
    do {
      const { body } = await tenant.client.get(`/events?limit=3${cursor && `&cursor=${cursor}`}`);
      seen.push(...listIds(body.data.items));
      cursor = body.data.cursor;
    } while (cursor);
    expect(seen).to.deep.equal(listIds(events));
    const { body } = await tenant.client.get('/events?limit=3&type=invoice.*');
    const response = await tenant.client.get(`/events?limit=3&type=work_order.*&cursor=${body.data.cursor}`);
    expectError(response, 400, 'invalid_cursor');
  });

  it('GET /events filters by one type, by type.* and by *', async () => {
    const listIdsOfType = (type: string) => listIds(events.filter((event) => event.type === type));
    expect(listIds(await readItems('?type=invoice.created'))).to.deep.equal(listIdsOfType('invoice.created'));
    expect(listIds(await readItems('?type=work_order.*'))).to.deep.equal(listIdsOfType('work_order.created'));
    expect(listIds(await readItems('?type=*'))).to.deep.equal(listIds(events));
    expect(await readItems('?type=invoice.paid')).to.deep.equal([]);
    // An underscore in a filter is not a wildcard of SQL.
    expect(await readItems('?type=workxorder.*')).to.deep.equal([]);
    for (const type of ['invoice', 'invoice.', '*.*', 'invoice.*,work_order.*', 'Invoice.created'])
      expect(listValidationErrors(await tenant.client.get(`/events?type=${type}`)), type).to.deep.equal([
        'type pattern',
      ]);
  });

  it('GET /events includes events at since and excludes those at until', async () => {
    for (const { timestamp } of events) {
      const isBefore = (event: EventRecord) => event.timestamp < timestamp;
      expect(listIds(await readItems(`?since=${timestamp}`))).to.deep.equal(
        listIds(events.filter((event) => !isBefore(event))),
      );
      expect(listIds(await readItems(`?until=${timestamp}`))).to.deep.equal(listIds(events.filter(isBefore)));
    }
  });

  it("GET /events takes a plain date as midnight in the tenant's time zone", async () => {
    const other = await stack.createTenant('Far East', { timeZone: 'Pacific/Kiritimati' });
    const at = '2026-03-01T10:30:00.000Z'; // 2026-03-02 00:30 in Kiritimati
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
      expect(listIds(await readItems(`?${query}`, other.client)), query).to.deep.equal([id]);
    for (const query of ['since=2026-03-03', 'until=2026-03-02'])
      expect(listIds(await readItems(`?${query}`, other.client)), query).to.deep.equal([]);
  });

  for (const query of ['since=yesterday', 'until=2026-02-30', 'limit=0', 'limit=201'])
    it(`GET /events refuses ${query}`, async () => {
      expectError(await tenant.client.get(`/events?${query}`), 400, 'validation_error');
    });

  it('GET /events/{id} returns the event byte for byte', async () => {
    for (const { id } of events.slice(0, 2)) {
      const response = await tenant.client.get(`/events/${id}`);
      const [row] = await stack.rows<{ body: string }>(tenant.id, 'select body from events where id = $1', [
        id,
      ]);
      expect(response.text).to.equal(row?.body);
    }
  });

  it("GET /events/{id} returns 404 for another tenant's event and for an unknown id", async () => {
    const other = await stack.createTenant('Other');
    const id = events[0]?.id ?? '';
    expect(await readItems('', other.client)).to.deep.equal([]);
    expect(await readItems('', tenant.sandbox)).to.deep.equal([]);
    for (const client of [other.client, tenant.sandbox])
      expectError(await client.get(`/events/${id}`), 404, 'not_found');
    for (const unknown of [UNKNOWN_ID, 'x'])
      expectError(await tenant.client.get(`/events/${unknown}`), 404, 'not_found');
  });

  describe('GET /events over 20,000 events', () => {
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
      await stack.runAsOwner('analyze events');
    });

    /**
     * Returns the plan of a query. The query is prepared as in production, where PostgreSQL plans
     * without knowing the parameter values.
     */
    const explainPlan = (query: SqlQuery): Promise<string> =>
      stack.runtime.db.transaction([tenant.id], async (tx) => {
        const values = (query.values ?? []).map((value) => `'${String(value).replaceAll("'", "''")}'`);
        await tx.query({ text: `prepare page as ${query.text}` });
        const rows = await tx.query<{ 'QUERY PLAN': string }>({
          text: `explain execute page (${values.join(', ')})`,
        });
        await tx.query({ text: 'deallocate page' });
        return rows.map((row) => row['QUERY PLAN']).join('\n');
      });
    const listScope = () => ({
      tenantId: tenant.id,
      timeZone: 'America/New_York',
      position: { at: new Date().toISOString(), id: newId() },
    });

    for (const query of [{}, { type: 'test.*' }, { since: '2026-01-01', until: '2026-12-31T00:00:00Z' }]) {
      it(`GET /events with ${JSON.stringify(query)} reads a page by the primary key and sorts nothing`, async () => {
        const plan = await explainPlan(listEvents({ limit: 50, ...query }, listScope()));
        // PostgreSQL scans the primary key of each partition, and merges the results.
        expect(plan)
          .to.match(/Index Scan Backward using events_(\w+_)?pkey/)
          .and.not.match(/Sort {2}\(|Seq Scan/);
        expect(plan).to.match(/Index Cond: .*id < /);
        if (query.since) expect(plan).to.match(/Index Cond: .*id >= /);
      });
    }
  });
});
