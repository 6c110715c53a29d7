/**
 * Tests the event streams of a deployment. In a scaled-out deployment, one process streams the
 * events that another process commits.
 */
import { expect } from 'chai';
import { TestClient } from '../../support/client.js';
import { Deployment } from '../../support/load/deployment.js';
import { SseClient } from '../../support/network/sse-client.js';
import { eventually } from '../../support/poll.js';
import { invoiceInput } from '../../support/records/samples.js';
import { createDatabase, IS_SCALED } from '../../support/stores.js';

describe('event streams of a deployment', function () {
  this.timeout(120_000);

  it('event streams do not delay a SIGTERM, and continue on another process or after a restart without loss', async () => {
    const options = { webs: 2, writers: 2, databaseUrl: await createDatabase() };
    await Deployment.run(options, async (deployment) => {
      await deployment.start();
      const [{ key } = { key: '' }] = await deployment.createTenants(1);
      const first = deployment.web;
      const other = deployment.webs[1] ?? first;
      const post = async () => {
        const response = await new TestClient(other.origin, key).post('/invoices', invoiceInput());
        expect(response.status, response.text).to.equal(201);
        return response.body.id as string;
      };
      const readInvoiceIds = (client: SseClient) => client.events.map(({ body }) => body.data.object.id);

      const before = await SseClient.connect(first.origin, key);
      const createdIds = [await post(), await post()];
      await before.waitFor(2);
      const { code } = await first.stop('SIGTERM');
      expect(code).to.equal(0);
      await before.waitForEnd();
      if (!IS_SCALED) await first.start();
      createdIds.push(await post());

      const after = await SseClient.connect(other.origin, key, { lastEventId: before.lastEventId });
      createdIds.push(await post());
      await after.waitFor(2);
      expect([...readInvoiceIds(before), ...readInvoiceIds(after)]).to.deep.equal(createdIds);
      after.close();
      await eventually('the end of the closed stream', () => after.hasEnded);
    });
  });
});
