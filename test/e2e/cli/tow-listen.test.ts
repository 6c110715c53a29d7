/** Runs `tow listen` as a process, against the product and a receiver on this machine. */
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { registerConcurrentTests } from '../../support/concurrent-tests.js';
import type { TestProcess } from '../../support/load/processes.js';
import { eventually } from '../../support/poll.js';
import { invoiceInput } from '../../support/records/samples.js';
import { TestStack, type TestTenant } from '../../support/stack.js';
import { getFreePort } from '../../support/stores.js';
import { useStack } from '../../support/use-stack.js';
import { DeveloperMachine } from './developer-machine.js';

const CLEAN = { code: 0, signal: null };

describe('tow listen', () => {
  const stack = useStack();

  /** Runs `work` on a machine whose settings contain the key of a new tenant. */
  async function withMachine(
    work: (machine: DeveloperMachine, tenant: TestTenant) => Promise<void>,
  ): Promise<void> {
    const tenant = await stack.createTenant();
    const settings = { TOW_API_URL: `${stack.origin}/v1`, TOW_API_KEY: tenant.client.key };
    await DeveloperMachine.run(settings, (machine) => work(machine, tenant));
  }

  /** Creates an invoice. Resolves with the id of the event `invoice.created`. */
  async function createInvoice({ id, client }: TestTenant, fields: object = {}): Promise<string> {
    const made = await client.post('/invoices', { ...invoiceInput(), ...fields });
    expect(made.status, made.text).to.equal(201);
    const [event] = await stack.rows<{ id: string }>(
      id,
      `select id from events where body::jsonb #>> '{data,object,id}' = '${made.body.id}'`,
    );
    return event?.id ?? '';
  }

  const createInvoices = async (tenant: TestTenant, count: number) => {
    const ids: string[] = [];
    for (let nth = 0; nth < count; nth += 1) ids.push(await createInvoice(tenant));
    return ids;
  };

  async function findStateFile(machine: DeveloperMachine): Promise<string> {
    const names = await readdir(machine.dataDir);
    return join(machine.dataDir, names.find((name) => /^listen-[0-9a-f]{16}\.json$/.test(name)) ?? '');
  }

  const readSecret = ({ output }: TestProcess) => /Signing secret: (\S+)/.exec(output)?.[1] ?? '';

  registerConcurrentTests(
    {
      'tow listen reconnects after a restart of the API and loses no event': async () => {
        const port = await getFreePort();
        const first = await TestStack.start({ environment: { PORT: `${port}` } });
        const tenant = await first.createTenant();
        const settings = { TOW_API_URL: `${first.origin}/v1`, TOW_API_KEY: tenant.client.key };
        await DeveloperMachine.run(settings, async (machine) => {
          await machine.receiver.start();
          const listener = await machine.startListener('--events', 'invoice.created');
          const make = async () => (await tenant.client.post('/invoices', invoiceInput())).body.id as string;
          const made = [await make()];
          await machine.receiver.waitForDeliveries(1);
          await first.stop();
          await listener.waitForOutput(/cannot be reached/);
          const second = await TestStack.start({ environment: { PORT: `${port}` }, previousStack: first });
          try {
            // Create two invoices while the listener is not connected.
            made.push(await make(), await make());
            await listener.waitForOutput(/Connected again/);
            made.push(await make());
            const deliveries = await machine.receiver.waitForDeliveries(4);
            expect(deliveries.map(({ body }) => JSON.parse(body).data.object.id)).to.deep.equal(made);
            expect(await listener.stop('SIGTERM')).to.deep.equal(CLEAN);
          } finally {
            await second.stop();
          }
        });
      },

      'tow listen loses nothing and keeps the sequence while the receiver is unreachable, even if killed':
        () =>
          withMachine(async (machine, tenant) => {
            const first = await machine.startListener();
            const made = await createInvoices(tenant, 3);
            await first.waitForOutput(new RegExp(`${made[0]}  → ECONNREFUSED; trying again in 1 s`));
            await first.stop('SIGKILL');
            made.push(...(await createInvoices(tenant, 2)));
            const second = await machine.startListener();
            await second.waitForOutput(/from where the last run ended/);
            await second.waitForOutput(/trying again/);
            // The status 500 counts as a response too, so `tow listen` continues with the next
            // event.
            machine.receiver.chooseStatus = ({ id }) => (id === made[1] ? 500 : 200);
            await machine.receiver.start();
            await machine.receiver.waitForDeliveries(5);
            expect(await second.stop('SIGTERM')).to.deep.equal(CLEAN);
            expect(machine.receiver.ids).to.deep.equal(made);
            expect(second.stdout).to.match(
              new RegExp(`^\\d\\d:\\d\\d:\\d\\d  invoice.created +${made[1]}  → 500  \\d+ ms$`, 'm'),
            );
          }),

      'tow listen ends when its key is revoked': () =>
        withMachine(async (machine, tenant) => {
          const { body } = await tenant.client.post('/api-keys', { name: 'Laptop', permissions: ['read'] });
          const listener = await machine.startListener('--key', body.key);
          await tenant.client.delete(`/api-keys/${body.id}`);
          expect(await listener.waitForExit()).to.deep.equal({ code: 3, signal: null });
          expect(listener.output).to.match(/The API refuses the key \(401\)/);
        }),

      'tow listen forwards each event as a webhook: in sequence, signed, with the recorded bytes': () =>
        withMachine(async (machine, tenant) => {
          await machine.receiver.start();
          const filters = ['--events', 'invoice.*, work_order.created'];
          const listener = await machine.startListener(...filters, '--json');
          await createInvoice(tenant, { notes: 'Žofia’s 🚗\n“two lines”' });
          await tenant.client.post('/customers', { company_name: 'Hudson', company_type: 'fleet' });
          const { body: workOrder } = await tenant.client.post('/work-orders', { service_type: 'tow' });
          await tenant.client.post(`/work-orders/${workOrder.id}/cancel`, { reason: 'customer' });
          await createInvoice(tenant);
          await machine.receiver.waitForDeliveries(3);
          expect(await listener.stop('SIGINT')).to.deep.equal(CLEAN);
          const recorded = await stack.rows<{ id: string; type: string; body: string }>(
            tenant.id,
            `select id, type, body from events where type in ('invoice.created', 'work_order.created') order by id`,
          );
          const { deliveries } = machine.receiver;
          expect(deliveries.map(({ body }) => body)).to.deep.equal(recorded.map(({ body }) => body));
          const verifier = new Webhook(readSecret(listener));
          for (const { id, headers, body } of deliveries) {
            expect(headers['content-type']).to.equal('application/json');
            expect(verifier.verify(body, headers as Record<string, string>)).to.include({ id });
          }
          const lines = listener.stdout
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line));
          const { data } = lines.pop();
          expect(data.forwarded).to.equal(3);
          expect(
            lines.map(({ id, type, status, attempts }) => ({ id, type, status, attempts })),
          ).to.deep.equal(recorded.map(({ id, type }) => ({ id, type, status: 204, attempts: 1 })));
        }),

      'tow listen finishes the current event on SIGINT, and the next run starts with the next event': () =>
        withMachine(async (machine, tenant) => {
          let release = () => {};
          const heldResponse = new Promise<void>((done) => {
            release = done;
          });
          await machine.receiver.start();
          machine.receiver.chooseStatus = () => heldResponse.then(() => 200);
          const first = await machine.startListener();
          const made = await createInvoices(tenant, 2);
          await machine.receiver.waitForDeliveries(1);
          first.signal('SIGINT');
          // Under npx, one Ctrl-C sends two signals.
          first.signal('SIGINT');
          await first.waitForOutput(/Stopping once/);
          release();
          expect(await first.waitForExit()).to.deep.equal(CLEAN);
          expect(first.stdout).to.include(`${made[0]}  → 200`);
          expect(machine.receiver.ids).to.deep.equal([made[0]]);
          const second = await machine.startListener();
          await machine.receiver.waitForDeliveries(2);
          expect(await second.stop('SIGTERM')).to.deep.equal(CLEAN);
          expect(machine.receiver.ids).to.deep.equal(made);
        }),

      'tow listen keeps secret and position for its owner, refuses a second listener, and skips an unknown position only with --from-now':
        () =>
          withMachine(async (machine, tenant) => {
            const target = ['listen', '--forward-to', machine.receiver.url];
            const shown = await machine.runJson(...target, '--print-secret');
            await machine.receiver.start();
            const first = await machine.startListener();
            expect(readSecret(first))
              .to.equal(shown.out.data.secret)
              .and.to.match(/^whsec_[\w+/]{43}=$/);
            expect((await machine.runJson(...target)).out.error.code).to.equal('already_listening');
            expect(await first.stop('SIGTERM')).to.deep.equal(CLEAN);

            const path = await findStateFile(machine);
            expect((await stat(path)).mode & 0o777).to.equal(0o600);
            const state = JSON.parse(await readFile(path, 'utf8'));
            expect(state.last_event_id).to.match(/^\d+-/);
            const futureState = {
              ...state,
              last_event_id: state.last_event_id.replace(/^\d+/, '99999999999'),
            };
            await writeFile(path, JSON.stringify(futureState));
            const lostRun = await machine.runJson(...target);
            expect([lostRun.code, lostRun.out.error.code]).to.deep.equal([1, 'place_unknown']);
            expect(lostRun.out.error.message).to.include('--from-now');
            await createInvoice(tenant);
            const second = await machine.startListener('--from-now');
            expect(readSecret(second)).to.equal(shown.out.data.secret);
            const made = await createInvoice(tenant);
            await machine.receiver.waitForDeliveries(1);
            expect(await second.stop('SIGTERM')).to.deep.equal(CLEAN);
            expect(machine.receiver.ids).to.deep.equal([made]);
          }),

      'tow listen reports errors with the right exit code': () =>
        withMachine(async (machine, tenant) => {
          const target = ['listen', '--forward-to', machine.receiver.url];
          const key = tenant.client.key;
          const other = `${key.slice(0, -1)}${key.endsWith('x') ? 'y' : 'x'}`;
          const runs = await Promise.all([
            machine.runJson('listen'),
            machine.runJson('listen', '--forward-to', 'ftp://localhost/hook'),
            machine.runJson(...target, '--events', 'invoice.*,Paid!'),
            machine.runJson(...target, '--sandbox', '--key', key),
            machine.runJson(...target, '--key', other),
            machine.runJson(...target, '--sandbox'),
            machine.runJson(...target, '--api-url', `${stack.origin}/docs`),
            machine.runJson(
              ...target,
              '--api-url',
              'http://127.0.0.1:1/v1',
              '--key',
              await stack.createKey(tenant.id),
            ),
          ]);
          expect(runs.map(({ code }) => code)).to.deep.equal([2, 2, 2, 2, 3, 3, 3, 5]);
          expect(runs.map(({ out }) => out.error.message).join()).to.not.include(key.slice(8, 20));
          const agent = await stack.createKey(tenant.id, { kind: 'agent', scopes: ['read_invoices'] });
          expect((await machine.runJson(...target, '--key', agent)).code).to.equal(3);
        }),
    },
    { maxConcurrent: 3, timeoutMs: 90_000 },
  );

  it('tow listen leaves no stream open', async () => {
    await eventually('the end of all streams', async () => {
      const metrics = await fetch(`${stack.origin}/metrics`).then((response) => response.text());
      return /^tow_event_streams 0$/m.test(metrics);
    });
  });
});
