/** Tests `npm start`: one process with its own PostgreSQL, on a machine that has only Node. */
import { once } from 'node:events';
import { chmod, chown, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import type { DemoFile } from '../../../bin/demo/demo-file.js';
import { TestClient } from '../../support/client.js';
import { registerConcurrentTests } from '../../support/concurrent-tests.js';
import {
  listPostgresProcesses,
  PROJECT,
  Processes,
  type TestProcess,
  useProcesses,
} from '../../support/load/processes.js';
import { eventually } from '../../support/poll.js';
import { getFreePort, IS_SCALED } from '../../support/stores.js';

const START = ['node', 'dist/bin/start.js'];
const IS_ROOT = process.geteuid?.() === 0;
/**
 * User id and group id of the system account `nobody`. This account owns no file of the checkout.
 */
const NOBODY = 65_534;
const AS_NOBODY = ['setpriv', '--reuid=nobody', '--regid=nogroup', '--clear-groups'];

const KEYS = ['api_key', 'sandbox_key', 'agent_key', 'agent_read_only_key', 'sandbox_agent_key'] as const;

interface StartOptions {
  dataDir?: string;
  command?: string[];
  env?: Record<string, string>;
  cwd?: string;
}

interface Started {
  process: TestProcess;
  origin: string;
  dataDir: string;
  /** Stops the process, and asserts that it exits cleanly and leaves no process behind. */
  stop: (signal: NodeJS.Signals) => Promise<void>;
}

async function start(processes: Processes, options: StartOptions = {}): Promise<Started> {
  const { command = START, cwd = PROJECT, dataDir = await processes.createFolder() } = options;
  const port = await getFreePort();
  const env = { DATA_DIR: dataDir, PORT: `${port}`, ...options.env };
  const process = processes.start({ command, cwd, env });
  const stop = async (signal: NodeJS.Signals) => {
    expect(await process.stop(signal), process.output).to.deep.equal({ code: 0, signal: null });
    expect(await processes.listSurvivors()).to.deep.equal([]);
  };
  return { process, origin: `http://127.0.0.1:${port}`, dataDir, stop };
}

async function startReady(processes: Processes, options: StartOptions = {}): Promise<Started> {
  const started = await start(processes, options);
  await started.process.waitUntilReady(started.origin);
  return started;
}

async function readDemo({ dataDir }: { dataDir: string }): Promise<DemoFile> {
  return JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8')) as DemoFile;
}

async function createDemoClient(started: Started): Promise<TestClient> {
  return new TestClient(started.origin, (await readDemo(started)).tenants[0]?.api_key ?? '');
}

/** Creates an invoice through the API, reads it back, and returns its id. */
async function createInvoice(started: Started, number: string): Promise<string> {
  const client = await createDemoClient(started);
  const created = await client.post('/invoices', { invoice_number: number, line_items: [] });
  expect(created.status, created.text).to.equal(201);
  const read = await client.get(`/invoices/${created.body.id}`);
  expect([read.status, read.text]).to.deep.equal([200, created.text]);
  return created.body.id;
}

async function expectKeysToWork({ origin }: Started, demo: DemoFile): Promise<void> {
  for (const tenant of demo.tenants) {
    for (const field of KEYS) {
      const me = await new TestClient(origin, tenant[field]).get('/me');
      expect(me.status, `${tenant.name} ${field}`).to.equal(200);
      const environment = field.startsWith('sandbox') ? 'sandbox' : 'live';
      expect(me.body.tenant).to.include({ name: tenant.name, environment });
      expect(me.body.key.kind).to.equal(field.includes('agent') ? 'agent' : 'api');
    }
  }
}

async function expectFailure(processes: Processes, env: Record<string, string>): Promise<string> {
  const { code, output } = await processes.run({ command: START, env: { LOG_LEVEL: 'warn', ...env } });
  expect(code, output).to.equal(1);
  return output;
}

/** A line of a stack trace, which a person with a wrong setting should not have to read. */
const STACK_LINE = /^ +at /m;

async function stopWhenLogged(processes: Processes, logPattern: RegExp): Promise<void> {
  const started = await start(processes, { env: { LOG_LEVEL: 'info' } });
  await started.process.waitForOutput(logPattern);
  await started.stop('SIGTERM');
}

async function runWithOwnProcesses(run: (processes: Processes) => Promise<void>): Promise<void> {
  const processes = new Processes();
  await run(processes).finally(() => processes.endAll());
}

/** Each scenario has its own processes and mostly waits, so the scenarios run concurrently. */
const scenarios: Record<string, (processes: Processes) => Promise<void>> = {
  'npm start leaves nothing behind when SIGTERM arrives while it creates the cluster': async (processes) => {
    await stopWhenLogged(processes, /making a PostgreSQL cluster/);
  },

  'npm start leaves nothing behind when SIGTERM arrives just after PostgreSQL started': async (processes) => {
    await stopWhenLogged(processes, /PostgreSQL is ready/);
  },

  'npm start runs from any folder, resolves a relative DATA_DIR against it and accepts a space in it': async (
    processes,
  ) => {
    const cwd = await processes.createFolder();
    const command = ['node', join(PROJECT, 'dist/bin/start.js')];
    const relative = join('my data', 'tow');
    const started = await startReady(processes, { command, cwd, dataDir: relative });
    const dataDir = join(cwd, relative);
    expect((await readDemo({ dataDir })).tenants.length).to.be.at.least(2);
    await createInvoice({ ...started, dataDir }, 'E2E-1');
    await started.stop('SIGTERM');
  },

  'npm start runs as an ordinary user who cannot write to the checkout': async (processes) => {
    const folder = await processes.createFolder();
    const dataDir = join(folder, 'data');
    await mkdir(dataDir);
    if (IS_ROOT) {
      await chmod(folder, 0o755);
      await chown(dataDir, NOBODY, NOBODY);
    }
    const command = IS_ROOT ? [...AS_NOBODY, process.execPath, ...START.slice(1)] : START;
    const started = await startReady(processes, { dataDir, command });
    await createInvoice(started, 'E2E-1');
    expect((await stat(join(dataDir, 'demo.json'))).uid).to.equal(IS_ROOT ? NOBODY : process.geteuid?.());
    await started.stop('SIGTERM');
  },

  'npm start reports all invalid settings together': async (processes) => {
    const output = await expectFailure(processes, {
      DATA_DIR: await processes.createFolder(),
      PORT: 'http',
      LOG_LEVEL: 'loud',
      DATABASE_URL: 'mysql://localhost/tow',
      RATE_LIMIT_TIERS: '{"standard":{"minute":0,"hour":1}}',
      NODE_ENV: 'production',
    });
    const wrong = ['PORT', 'LOG_LEVEL', 'DATABASE_URL', 'RATE_LIMIT_TIERS', 'SECRET_KEY', 'BASE_URL'];
    expect(wrong.filter((name) => !output.includes(`"${name}"`))).to.deep.equal([]);
    expect(output).to.not.match(STACK_LINE);
  },

  'npm start reports a taken port and leaves no PostgreSQL behind': async (processes) => {
    const blocker = createServer().listen(0, '127.0.0.1');
    await once(blocker, 'listening');
    const { port } = blocker.address() as { port: number };
    const output = await expectFailure(processes, {
      DATA_DIR: await processes.createFolder(),
      PORT: `${port}`,
    });
    blocker.close();
    expect(output).to.match(new RegExp(`port ${port} .*taken.*PORT=`));
    expect(output).to.not.match(STACK_LINE);
    expect(await processes.listSurvivors()).to.deep.equal([]);
  },

  'npm start names a DATA_DIR that is a file': async (processes) => {
    const file = join(await processes.createFolder(), 'file');
    await writeFile(file, '');
    expect(await expectFailure(processes, { DATA_DIR: file, PORT: `${await getFreePort()}` })).to.include(
      file,
    );
  },
};

if (!IS_SCALED) {
  describe('npm start, all in one', function () {
    this.timeout(120_000);

    // The tests use one DATA_DIR one after another, because creating a database takes most of the
    // time of a first start.
    describe('on an empty DATA_DIR, and then again on the same one', () => {
      const processes = useProcesses();
      let dataDir: string;
      let first: DemoFile;
      let invoiceId: string;
      let recovered: Started;
      let reachable: Started;

      it('npm start needs only a port and a folder, and writes demo.json for its owner alone', async () => {
        dataDir = await processes.createFolder();
        const started = await startReady(processes, { dataDir });
        first = await readDemo(started);
        expect((await stat(join(dataDir, 'demo.json'))).mode & 0o777).to.equal(0o600);
        expect(first).to.have.all.keys('api_url', 'mcp_url', 'dashboard_url', 'tenants');
        expect(first).to.include({
          api_url: `${started.origin}/v1`,
          mcp_url: `${started.origin}/mcp`,
          dashboard_url: `${started.origin}/app/`,
        });
        expect(first.tenants.length).to.be.at.least(2);
        for (const tenant of first.tenants) {
          expect(tenant).to.have.all.keys('name', 'email', 'password', ...KEYS);
        }
        await expectKeysToWork(started, first);
        await started.process.waitForOutput(
          new RegExp(`dashboard ${first.dashboard_url} .* agents ${first.mcp_url} `),
        );
        await started.process.waitForOutput(new RegExp(`Agent key +${first.tenants[0]?.agent_key}\n`));
        invoiceId = await createInvoice(started, 'E2E-1');
        await started.stop('SIGTERM');
      });

      it('npm start keeps data and keys over a restart, and stops on SIGINT as on SIGTERM', async () => {
        const started = await startReady(processes, { dataDir });
        expect((await readDemo(started)).tenants).to.deep.equal(first.tenants);
        const read = await (await createDemoClient(started)).get(`/invoices/${invoiceId}`);
        expect([read.status, read.body.invoice_number]).to.deep.equal([200, 'E2E-1']);
        await started.stop('SIGINT');
      });

      it('npm start recovers after kill -9: it stops the orphaned PostgreSQL and has the data', async () => {
        const killed = await startReady(processes, { dataDir });
        const id = await createInvoice(killed, 'E2E-2');
        await killed.process.stop('SIGKILL');
        const orphans = await listPostgresProcesses(dataDir);
        expect(orphans).to.not.deep.equal([]);
        recovered = await startReady(processes, { dataDir, env: { LOG_LEVEL: 'info' } });
        expect((await listPostgresProcesses(dataDir)).filter((line) => orphans.includes(line))).to.deep.equal(
          [],
        );
        expect((await (await createDemoClient(recovered)).get(`/invoices/${id}`)).status).to.equal(200);
      });

      it('npm start counts the second SIGINT, which npm adds to a terminal’s Ctrl-C, as the same signal', async () => {
        recovered.process.signal('SIGINT');
        await recovered.process.waitForOutput(/shutting down/);
        await recovered.stop('SIGINT');
      });

      it('npm start leaves no PostgreSQL behind when a second signal ends it immediately', async () => {
        const started = await startReady(processes, { dataDir });
        const server = await listPostgresProcesses(dataDir);
        // A request that never finishes prevents a clean shutdown.
        const stuck = await openHalfRequest(started.origin, first.tenants[0]?.api_key ?? '');
        // Repetitions within the first second count as the same signal. A later signal ends the
        // process at once.
        const end = await eventually('the end of the process', () => {
          if (!started.process.end) started.process.signal('SIGTERM');
          return started.process.end;
        });
        stuck.destroy();
        expect(end.code).to.equal(1);
        expect(server).to.not.deep.equal([]);
        await eventually('the end of PostgreSQL', async () => (await processes.listSurvivors()).length === 0);
      });

      it('npm start logs one warning when other machines can reach it outside production', async () => {
        reachable = await startReady(processes, {
          command: ['npm', 'start'],
          dataDir,
          env: { HOST: '0.0.0.0' },
        });
        const lines = reachable.process.output.split('\n').filter((line) => line.includes('HOST=0.0.0.0'));
        expect(lines).to.have.length(1);
        expect(lines[0]).to.include('NODE_ENV is not production').and.include('Unset HOST');
      });

      it('npm start refuses a DATA_DIR that another process uses, without harming that process', async () => {
        const output = await expectFailure(processes, {
          DATA_DIR: dataDir,
          PORT: `${await getFreePort()}`,
        });
        expect(output).to.match(/another process \(pid \d+\) already runs in DATA_DIR/);
        await createInvoice(reachable, 'E2E-3');
      });

      it('npm start leaves no orphan when only npm gets SIGTERM', async () => {
        await reachable.stop('SIGTERM');
      });
    });
  });

  describe('npm start, started and stopped in many ways', () => {
    const runs = Object.entries(scenarios).map(([title, run]) => [title, () => runWithOwnProcesses(run)]);
    registerConcurrentTests(Object.fromEntries(runs), { maxConcurrent: 3, timeoutMs: 120_000 });
  });
}

/**
 * Opens a connection with a request whose body never arrives. The service would refuse a request
 * without a valid key or with another content type before the body arrives.
 */
async function openHalfRequest(origin: string, key: string): Promise<Socket> {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.on('error', () => undefined);
  const headers = [
    'Host: tow',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    'Expect: 100-continue',
    'Content-Length: 10',
  ];
  socket.write(`POST /v1/invoices HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`);
  // "100 Continue" shows that the process has read the request. Only from then on does the request
  // prevent a clean shutdown, as the test requires.
  await once(socket, 'data');
  return socket;
}
