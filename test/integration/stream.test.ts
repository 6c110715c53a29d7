import { expect } from 'chai';
import { invoiceInput } from '../support/samples.js';
import { SseClient, type SseOptions } from '../support/sse-client.js';
import { TestStack, type TestTenant } from '../support/stack.js';

describe('GET /stream', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  const open: SseClient[] = [];

  before(async () => {
    stack = await TestStack.start();
    tenant = await stack.createTenant();
  });
  afterEach(() => {
    for (const client of open.splice(0)) client.close();
  });
  after(() => stack.stop());

  const connect = async (options: SseOptions = {}, key = tenant.client.key, origin = stack.origin) => {
    const client = await SseClient.connect(origin, key, options);
    open.push(client);
    return client;
  };
  it('tells', async () => {
    const client = await connect();
    expect(client.status).to.equal(200);
    const answer = await tenant.client.post('/invoices', invoiceInput());
    const t = Date.now();
    const [event] = await client.waitFor(1);
    console.log(Date.now() - t, client.text);
    console.log(client.headers, answer.status);
    console.log(
      await stack.rows(
        tenant.id,
        `explain (verbose off) select xid, id, type, body from events
                 where tenant_id = $1 and (xid, id) > ($2::text::xid8, $3::uuid) order by xid, id limit 200`,
        [tenant.id, '5', '00000000-0000-0000-0000-000000000000'],
      ),
    );
  });
});
