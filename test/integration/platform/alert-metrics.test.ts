import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect } from 'chai';
import { newId } from '../../../shared/platform/ids.js';
import { openQueue, openWorker } from '../../../shared/queues/backend.js';
import { createClockTasks } from '../../support/clock.js';
import { eventually } from '../../support/poll.js';
import { invoiceInput } from '../../support/records/samples.js';
import {
  findSelectorProblem,
  listExpressions,
  listSelectors,
  parseSeries,
} from '../../support/text/promql.js';
import { readSource } from '../../support/text/source-text.js';
import { TextingStack } from '../../support/vendors/texting.js';
import { insertSignedEndpoint } from '../../support/webhooks/webhooks.js';

const MAX_CONNECTIONS = 40;

describe('the metrics of the alert rules and the dashboard', () => {
  let texting: TextingStack;
  let receiver: Server;

  before(async () => {
    const environment = { CONNECTIONS_PER_NETWORK: `${MAX_CONNECTIONS}` };
    texting = await TextingStack.start({ clock: true, webhooks: true, exports: true, environment });
    receiver = createServer((_request, response) => void response.end()).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
  });
  after(async () => {
    await texting.stop();
    receiver.close();
  });

  const readSeries = async () => parseSeries(await (await fetch(`${texting.stack.origin}/metrics`)).text());

  /** Makes a job fail for good. */
  async function failJob(): Promise<void> {
    const { runtime } = texting.stack;
    const queue = openQueue(runtime, 'failing', { attempts: 1, removeOnFail: true });
    const fail = async () => {
      throw new Error('a test');
    };
    openWorker(runtime, 'failing', fail, { concurrency: 1 });
    await queue.add('once', {}, { jobId: newId() });
  }

  /** Opens connections until the service refuses one. */
  async function exceedConnections(): Promise<void> {
    const port = Number(new URL(texting.stack.origin).port);
    const sockets = Array.from({ length: MAX_CONNECTIONS + 1 }, () => connect(port, '127.0.0.1'));
    await Promise.race(sockets.map((socket) => once(socket, 'close')));
    for (const socket of sockets) socket.destroy();
  }

  it('every metric, label and value in them is exposed by a running service', async () => {
    const { stack } = texting;
    const account = await (await texting.createAccount()).connectWithKey('live_key_of_alerts');
    const { client, tenant } = account;
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
    await insertSignedEndpoint(stack.runtime, tenant.id, { url });
    expect((await client.post('/invoices', invoiceInput())).status).to.equal(201);
    const created = await client.post('/exports', { resource: 'invoices', format: 'csv' });
    expect(created.status, created.text).to.equal(202);
    await eventually('the export', async () => {
      const { body } = await client.get(`/exports/${created.body.id}`);
      return body.status === 'completed';
    });
    // The worker of this export dies again and again, so the clock marks it as failed.
    await stack.rows(
      tenant.id,
      "update exports set status = 'running', tries = 99, lease_until = now() - interval '1 h' where id = $1",
      [created.body.id],
    );
    await account.run("update connections set status = 'needs_reauth' where id = $1");
    const runTask = createClockTasks(stack.runtime);
    await runTask('watch-exports');
    await runTask('wake-connections');
    await failJob();
    await exceedConnections();

    const selectors = listExpressions().flatMap(({ place, expression }) =>
      listSelectors(expression).map((selector) => ({ place, selector })),
    );
    expect(selectors.length).to.be.above(30);
    const findProblems = async () => {
      const exposed = await readSeries();
      return selectors.flatMap(({ place, selector }) => {
        const problem = findSelectorProblem(selector, exposed);
        return problem ? [`${place}: ${problem}`] : [];
      });
    };
    await eventually('all series', async () => (await findProblems()).length === 0, 15_000).catch(
      () => undefined,
    );
    expect(await findProblems()).to.deep.equal([]);
  });

  it('a metric, label or value that no process exposes is found', async () => {
    const exposed = await readSeries();
    const findProblem = (expression: string) =>
      listSelectors(expression).map((selector) => findSelectorProblem(selector, exposed));
    expect(findProblem('max(tow_nothing_total) > 0')).to.deep.equal(['tow_nothing_total is not exposed']);
    expect(findProblem('sum by (shelf) (tow_check_up)')).to.deep.equal(['tow_check_up has no label shelf']);
    expect(findProblem('tow_check_up{check="moon"} == 0')).to.deep.equal([
      'no series of tow_check_up has {"check":"moon"}',
    ]);
    expect(findProblem('up{job="tow"} == 0 and tow_check_up{check="postgres"} == 1')).to.deep.equal([
      undefined,
    ]);
  });

  it('PostgreSQL runs every query of the runbooks', async () => {
    const queries = [...readSource('docs/guides/runbooks.md').matchAll(/```sql\n([\s\S]*?)```/g)];
    expect(queries.length).to.be.above(3);
    for (const [, text = ''] of queries) await texting.stack.runAsOwner(text);
  });
});
