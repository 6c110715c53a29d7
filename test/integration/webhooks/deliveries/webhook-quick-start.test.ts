import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'chai';
import { PROJECT } from '../../../support/load/processes.js';
import { eventually } from '../../../support/poll.js';
import { invoiceInput } from '../../../support/records/samples.js';
import { getFreePort } from '../../../support/stores.js';
import { useWebhookBench } from '../endpoints/webhook-fixture.js';

/** Follows the quick start for webhooks that the README promises. */
describe('webhook quick start', () => {
  const bench = useWebhookBench();
  let receiver: ChildProcess | undefined;

  after(async () => {
    receiver?.kill('SIGKILL');
  });

  it('one request registers a webhook, another causes an event, and docs/webhooks/receiver.ts verifies it', async () => {
    const { client } = await bench.stack.createTenant();
    const port = await getFreePort();
    const url = `http://127.0.0.1:${port}/`;
    const made = await client.post('/webhook-endpoints', { url, event_types: ['invoice.*'] });
    expect(made.status, made.text).to.equal(201);
    const script = join(PROJECT, 'docs/webhooks/receiver.ts');
    const env = { ...process.env, PORT: `${port}` };
    receiver = spawn(process.execPath, ['--import', 'tsx', script, made.body.secret], { env });
    let output = '';
    receiver.stdout?.on('data', (chunk) => {
      output += chunk;
    });
    await eventually('the receiver to listen', () => output.includes('listening'));
    const invoice = await client.post('/invoices', invoiceInput());
    await eventually('the event to arrive', () => output.includes('verified invoice.created'));
    expect(output).to.include(invoice.body.id);
  });
});

describe('webhook endpoints paused after failures', () => {
  const bench = useWebhookBench();

  it('PATCH enabled: true resets a webhook endpoint whose circuit breaker is open', async () => {
    let works = false;
    const hook = await bench.createHook({ respond: () => ({ status: works ? 200 : 500 }) });
    const { client } = hook;
    for (let nth = 0; nth < 6; nth += 1) await client.post('/invoices', invoiceInput());
    const path = `/webhook-endpoints/${hook.id}`;
    await eventually(
      'the circuit breaker to open',
      async () => (await client.get(path)).body.health.state === 'paused',
    );
    works = true;
    const resumed = await client.patch(path, { enabled: true });
    expect(resumed.body.health).to.include({ state: 'unknown', paused_until: null, failing_since: null });
    await client.post('/invoices', invoiceInput());
    await eventually(
      'deliveries to succeed',
      async () => (await client.get(path)).body.health.state === 'healthy',
      5000,
    );
    const audit = await client.get(`/audit-log?entity_id=${hook.id}`);
    const changes = audit.body.data.items.flatMap((one: { changes: { field: string }[] }) => one.changes);
    expect(changes.map(({ field }: { field: string }) => field)).to.include('failures');
  });
});
