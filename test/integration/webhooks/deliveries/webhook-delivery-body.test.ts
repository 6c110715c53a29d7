import { expect } from 'chai';
import { newId } from '../../../../shared/platform/ids.js';
import { expectError } from '../../../support/expect-error.js';
import { invoiceInput } from '../../../support/records/samples.js';
import { useStack, useTenant } from '../../../support/use-stack.js';
import { insertDeliveries, insertEndpoint } from '../../../support/webhooks/webhook-rows.js';

describe('GET /webhook-deliveries/{id}/body', () => {
  const stack = useStack();
  const tenant = useTenant(stack);
  let endpoint: string;

  before(async () => {
    endpoint = await insertEndpoint({ stack, tenantId: tenant.id });
  });

  const readBody = (id: string, client = tenant.client) => client.get(`/webhook-deliveries/${id}/body`);

  it('returns the text of the event, as GET /events/{id} does', async () => {
    await tenant.client.post('/invoices', invoiceInput());
    const { body } = await tenant.client.get(`/webhook-deliveries?endpoint_id=${endpoint}`);
    const [{ id, event_id }] = body.data.items;
    const { text } = await tenant.client.get(`/events/${event_id}`);
    expect((await readBody(id)).text).to.equal(text);
  });

  it('returns the body of a made-up event, which no other route shows, and that of its replay', async () => {
    const { body: test } = await tenant.client.post(`/webhook-endpoints/${endpoint}/test`, {});
    const sent = await readBody(test.id);
    expect(sent.body).to.deep.include({ id: test.event_id, type: 'invoice.created' });
    expect(sent.body.data.test).to.equal(true);
    const { body: again } = await tenant.client.post(`/webhook-deliveries/${test.id}/replay`, {});
    expect((await readBody(again.id)).text).to.equal(sent.text);
  });

  it('is 404 for an event that is not kept, for an unknown delivery and for one of another account', async () => {
    const forgotten = { endpoint_id: endpoint, event_id: newId() };
    const [id] = (await insertDeliveries({ stack, tenantId: tenant.id }, [forgotten])) as [string];
    for (const unknown of [id, newId(), 'none']) expectError(await readBody(unknown), 404, 'not_found');
    const { body: test } = await tenant.client.post(`/webhook-endpoints/${endpoint}/test`, {});
    const stranger = await stack.createTenant('Stranger');
    expectError(await readBody(test.id, stranger.client), 404, 'not_found');
  });
});
