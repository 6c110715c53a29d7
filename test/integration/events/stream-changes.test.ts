import { expect } from 'chai';
import { broadcastMovedTrucks } from '../../../shared/events/recorded-broadcast.js';
import { SseClient } from '../../support/network/sse-client.js';
import { eventually } from '../../support/poll.js';
import { invoiceInput } from '../../support/records/samples.js';
import { useStack } from '../../support/use-stack.js';

describe('GET /stream with changes=true', () => {
  const stack = useStack();
  const clients: SseClient[] = [];
  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
  });

  const connect = async (key: string, query: string) => {
    const client = await SseClient.connect(stack.origin, key, { query });
    clients.push(client);
    expect(client.status, client.text).to.equal(200);
    await eventually('the stream to begin', () => client.lastEventId);
    return client;
  };
  const countChanges = ({ events }: SseClient) => events.filter(({ type }) => type === 'changed').length;

  it('the stream announces a write without an event to this account alone, and only if the client asks', async () => {
    const [tenant, other] = [await stack.createTenant(), await stack.createTenant()];
    const asking = await connect(tenant.client.key, '?changes=true');
    const silent = await connect(tenant.client.key, '');
    const foreign = await connect(other.client.key, '?changes=true');
    const sandbox = await connect(tenant.sandbox.key, '?changes=true');
    const created = await tenant.client.post('/customers', { company_name: 'No event for this' });
    expect(created.status).to.equal(201);
    await eventually('the announcement', () => countChanges(asking) > 0);
    // Create an invoice after the write. Once the invoice's event arrives, each stream has handled
    // the write.
    for (const client of [tenant.client, other.client, tenant.sandbox])
      await client.post('/invoices', invoiceInput());
    for (const stream of [asking, silent, foreign, sandbox])
      await eventually('the event', () => stream.events.some(({ type }) => type === 'invoice.created'));
    expect(countChanges(silent)).to.equal(0);
    await eventually('an announcement of the own write', () => countChanges(foreign) > 0);
    expect(countChanges(foreign), 'the writes of another account are not announced').to.equal(1);
    expect(countChanges(sandbox)).to.be.at.most(1);
  });

  it('an announcement has no id and no record, so a client resumes from its last event', async () => {
    const tenant = await stack.createTenant();
    const stream = await connect(tenant.client.key, '?changes=true');
    const idBefore = stream.lastEventId;
    await tenant.client.post('/customers', { company_name: 'Quiet' });
    const change = await eventually('the announcement', () => stream.events[0]);
    expect(change).to.deep.equal({ id: '', type: 'changed', body: {} });
    expect(stream.lastEventId).to.equal(idBefore);
  });

  it('moves of trucks are announced to their account as positions alone, unless a write came too', async () => {
    const [tenant, other] = [await stack.createTenant(), await stack.createTenant()];
    const stream = await connect(tenant.client.key, '?changes=true');
    const foreign = await connect(other.client.key, '?changes=true');
    await broadcastMovedTrucks(stack.runtime.bus, tenant.id);
    const change = await eventually('the announcement', () => stream.events[0]);
    expect(change).to.deep.equal({ id: '', type: 'changed', body: { only: 'positions' } });
    // Both come within the interval of the announcements.
    await broadcastMovedTrucks(stack.runtime.bus, tenant.id);
    await tenant.client.post('/customers', { company_name: 'With a move' });
    await eventually('the second announcement', () =>
      stream.events.some(({ body }) => Object.keys(body).length === 0),
    );
    await other.client.post('/customers', { company_name: 'Elsewhere' });
    await eventually('the announcement of the own write', () => countChanges(foreign) > 0);
    expect(foreign.events.map(({ body }) => body)).to.deep.equal([{}]);
  });

  it('a dry run, a refused write and a repeated write announce nothing', async () => {
    const tenant = await stack.createTenant();
    const headers = { 'idempotency-key': '0192f1c2-7d3c-7a52-b0a1-0d8a5b6c7d8e' };
    const body = { company_name: 'Once' };
    const earlier = await connect(tenant.client.key, '?changes=true');
    await tenant.client.post('/customers', body, { headers });
    await eventually('the announcement of the first write', () => countChanges(earlier) > 0);
    const stream = await connect(tenant.client.key, '?changes=true&types=invoice.*');
    const repeated = await tenant.client.post('/customers', body, { headers });
    expect(repeated.headers['x-idempotency-replay']).to.equal('true');
    await tenant.client.post('/customers', body, { headers: { 'x-service-dry-run': 'true' } });
    expect((await tenant.client.post('/customers', {})).status).to.equal(400);
    await tenant.client.post('/invoices', invoiceInput());
    await eventually('the event', () => stream.events.some(({ type }) => type === 'invoice.created'));
    await eventually('the announcement of the last write', () => countChanges(stream) > 0);
    expect(countChanges(stream)).to.equal(1);
  });
});
