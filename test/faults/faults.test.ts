/**
 * Fault injection under load: the tests kill processes and stores while clients write. Afterwards
 * every acknowledged write exists exactly once, without any intervention.
 */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { TestClient } from '../support/client.js';
import { registerConcurrentTests } from '../support/concurrent-tests.js';
import {
  type DeployedService,
  Deployment,
  type DeploymentOptions,
  runTotals,
} from '../support/load/deployment.js';
import { CLIENT_COUNT, Load, type LoadCall } from '../support/load/load.js';
import { countInvoices, expectNothingLost } from '../support/load/load-invariants.js';
import { fetchStatus } from '../support/load/processes.js';
import { eventually } from '../support/poll.js';
import { IS_SCALED } from '../support/stores.js';
import { runPoisonCommand } from './poison-command.js';

const TENANTS = 3;
/** Short, so that many writes take the path by 202 and the operation. */
const WRITE_TIMEOUT_MS = 3000;
const SETTINGS = { WRITE_TIMEOUT_MS: `${WRITE_TIMEOUT_MS}` };
/** The default of the setting WRITES_CONCURRENCY. */
const WRITES_CONCURRENCY = 4;
const CLEAN_END = { code: 0, signal: null };

type Fault = (deployment: Deployment, load: Load) => Promise<void>;

/** Runs a scenario: load, fault, more load, then the invariants. */
function runUnderLoad(fault: Fault, options: DeploymentOptions = {}): () => Promise<void> {
  return () =>
    Deployment.run({ settings: SETTINGS, ...options }, async (deployment) => {
      await deployment.start();
      const origins = deployment.webs.map(({ origin }) => origin);
      const load = new Load({ origins, tenants: await deployment.createTenants(TENANTS) }).start();
      try {
        await load.waitForCalls();
        await fault(deployment, load);
        await load.waitForCalls();
        await expectNothingLost(deployment, load);
      } finally {
        await load.stop(0);
      }
    });
}

async function repeat(count: number, act: (nth: number) => Promise<void>): Promise<void> {
  for (let nth = 0; nth < count; nth += 1) await act(nth);
}

/** The writer dies once at the worst moment of a commit; a healthy process takes its place. */
async function crashAt(failpoint: string, { writer }: Deployment, load: Load): Promise<void> {
  await writer.kill();
  const end = await writer.launch({ FAILPOINTS: failpoint }).waitForExit();
  expect(end).to.deep.equal({ code: null, signal: 'SIGKILL' });
  runTotals.kills += 1;
  await writer.start();
  await load.waitForCalls();
}

/**
 * The writer dies twice between commit and reply and leaves something committed and unacknowledged.
 * A writer may also reach the failpoint with a job of nothing but repeated requests, and die
 * without harm. Then it dies once more.
 */
async function crashUnacknowledged(deployment: Deployment, load: Load): Promise<void> {
  let harmful = 0;
  for (let nth = 0; nth < 10 && harmful < 2; nth += 1) {
    await deployment.writer.kill();
    await deployment.writer.launch({ FAILPOINTS: 'after_commit' }).waitForExit();
    runTotals.kills += 1;
    const acknowledged = load.acknowledgedCount;
    if ((await countInvoices(deployment)) > acknowledged) harmful += 1;
    await deployment.writer.start();
    await load.waitForCalls();
  }
  // With fewer harmful deaths, the failpoint would not be between commit and reply.
  expect(harmful).to.equal(2);
}

/**
 * Ends a process gracefully while requests wait for their commit. A lock delays the commits until
 * the process has started to shut down. Every request that was sent gets a response, and no
 * response asks the client to retry.
 */
async function shutDownGracefully(
  { deployment, load }: { deployment: Deployment; load: Load },
  service: DeployedService,
  {
    isBusy,
    hasStartedShutdown,
  }: { isBusy: () => Promise<boolean> | boolean; hasStartedShutdown: () => Promise<boolean> },
): Promise<void> {
  const answeredBefore = new Map<LoadCall, number>();
  const signal = async () => {
    if (!(await becomesTrueSoon(isBusy))) return false;
    for (const call of load.calls) answeredBefore.set(call, call.attempts.length);
    service.process?.signal('SIGTERM');
    await eventually('the process to start its shutdown', hasStartedShutdown);
    return true;
  };
  await eventually('the process to be busy', async () => {
    if (await deployment.withCommitsBlocked(signal)) return true;
    await load.waitForCalls(CLIENT_COUNT);
    return false;
  });
  expect(await service.process?.waitForExit(), service.process?.output).to.deep.equal(CLEAN_END);
  expect(load.unanswered).to.deep.equal([]);
  // A refused connection is no response, but the process did not accept that request either.
  const responses = load.calls
    .flatMap((call) => call.attempts.slice(answeredBefore.get(call)))
    .filter((response) => !/ECONNREFUSED/.test(response));
  expect(responses.filter((response) => response !== 'POST 201')).to.deep.equal([]);
}

/**
 * Returns whether a condition becomes true within this time. It may never become true, depending on
 * how the clients' writes are batched; the test then goes on without it.
 */
function becomesTrueSoon(probe: () => Promise<boolean> | boolean, withinMs = 1500): Promise<boolean> {
  return eventually('it', probe, withinMs).catch(() => false);
}

/**
 * Injects a fault while jobs wait in Redis and the only writer is stopped, so that the jobs are
 * gone when the writer continues. A job may also be lost before its sender knows that it was added.
 * Then the sender sees the failure and resends the job, so no lost job had to be recovered, and the
 * fault is injected again.
 */
function whileJobsWait(fault: (deployment: Deployment) => Promise<void>): Fault {
  return async (deployment, load) => {
    const accepted = () => load.calls.filter(({ attempts }) => attempts.includes('POST 202')).length;
    for (let nth = 0; nth < 5; nth += 1) {
      deployment.writer.process?.signal('SIGSTOP');
      await eventually('a job to wait', async () => (await deployment.countJobs('wait')) > 0);
      const before = accepted();
      await fault(deployment);
      deployment.writer.process?.signal('SIGCONT');
      await load.waitForCalls();
      if (await becomesTrueSoon(() => accepted() > before, 2 * WRITE_TIMEOUT_MS)) return;
    }
    expect.fail('no write got a 202');
  };
}

const inBothDeployments: Record<string, () => Promise<void>> = {
  'a command that keeps killing its worker is parked, other commands run, and a replay runs it':
    runPoisonCommand,
  'no write is lost when PostgreSQL is killed twice': runUnderLoad((deployment, load) =>
    repeat(2, async () => {
      await deployment.killPostgres();
      await load.waitForCalls();
    }),
  ),
  'no write is lost when the writer dies before its commit': runUnderLoad((deployment, load) =>
    repeat(2, () => crashAt('before_commit', deployment, load)),
  ),
  'no write is doubled when the writer dies between commit and reply': runUnderLoad(crashUnacknowledged),
  'no write is lost when the web process is killed six times': runUnderLoad((deployment, load) =>
    repeat(6, async () => {
      await deployment.web.kill();
      await deployment.web.start();
      await load.waitForCalls();
    }),
  ),
  'the web process answers every request before it ends on SIGTERM, twice': runUnderLoad(
    (deployment, load) =>
      repeat(2, async () => {
        const { web } = deployment;
        let refusals = 0;
        await shutDownGracefully({ deployment, load }, web, {
          isBusy: () => load.waitingCount === CLIENT_COUNT,
          // Wait for several refusals: a shutdown that cuts waiting connections does so only after
          // it stops listening.
          hasStartedShutdown: async () =>
            (await fetchStatus(`${web.origin}/healthz`)) === undefined && ++refusals > 8,
        });
        // A process that starts already listens, and responds 503 until it is ready.
        load.excludeOrigin(web.origin);
        await deployment.web.start();
        load.includeOrigin(deployment.web.origin);
        await load.waitForCalls();
      }),
    { webs: 2, settings: {} },
  ),
  'concurrent requests with one idempotency key create one invoice': raceWithOneKey,
};

const onlyScaledOut: Record<string, () => Promise<void>> = {
  'no write is lost when two writers are killed alternately, three times': runUnderLoad(
    (deployment, load) =>
      repeat(3, async (nth) => {
        const victim = deployment.writers[nth % 2] as DeployedService;
        await victim.kill();
        await load.waitForCalls();
        await victim.start();
      }),
    { writers: 2 },
  ),
  'no write is lost when Redis loses its data three times': runUnderLoad(async (deployment, load) => {
    await deployment.flushRedis();
    await load.waitForCalls();
    const flushWhileJobsWait = whileJobsWait(() => deployment.flushRedis());
    await repeat(2, () => flushWhileJobsWait(deployment, load));
  }),
  'no write is lost when Redis is killed and restarts empty, twice': runUnderLoad(
    async (deployment, load) => {
      await deployment.restartRedisEmpty();
      await load.waitForCalls();
      await whileJobsWait(() => deployment.restartRedisEmpty())(deployment, load);
    },
  ),
  'a writer that ends on SIGTERM leaves its jobs to the other writer': runUnderLoad(
    async (deployment, load) => {
      const { writer } = deployment;
      await shutDownGracefully({ deployment, load }, writer, {
        // More than the other writer runs alone.
        isBusy: async () => (await deployment.countJobs('active')) > WRITES_CONCURRENCY,
        hasStartedShutdown: async () => (await fetchStatus(`${writer.origin}/readyz`)) !== 200,
      });
      await load.waitForCalls();
      await deployment.writer.start();
    },
    { webs: 2, writers: 2, settings: {} },
  ),
};

/**
 * Fifty clients send one key to all web processes. Several rounds, because the race window is
 * short.
 */
function raceWithOneKey(): Promise<void> {
  return Deployment.run({ webs: 2, writers: 2 }, async (deployment) => {
    await deployment.start();
    const [tenant] = await deployment.createTenants(1);
    const clients = deployment.webs.map(({ origin }) => new TestClient(origin, tenant?.key ?? ''));
    for (let round = 1; round <= 10; round += 1) {
      const body = { invoice_number: `R-${round}`, line_items: [] };
      const headers = { 'idempotency-key': randomUUID() };
      const send = (nth: number) =>
        (clients[nth % clients.length] as TestClient).post('/invoices', body, { headers });
      const responses = await Promise.all(Array.from({ length: 50 }, (_, nth) => send(nth)));
      const created = responses.filter(({ status }) => status === 201);
      const others = responses.filter(({ status }) => status !== 201).map(({ body }) => body.error.code);
      expect(others.filter((code) => code !== 'idempotency_in_progress')).to.deep.equal([]);
      expect(created.length).to.be.at.least(1);
      expect([...new Set(created.map(({ text }) => text))]).to.have.length(1);
      const again = await send(0);
      expect([again.status, again.text, again.headers['x-idempotency-replay']]).to.deep.equal([
        201,
        created[0]?.text,
        'true',
      ]);
      expect(await countInvoices(deployment)).to.equal(round);
    }
  });
}

describe('writes under fault injection', () => {
  registerConcurrentTests(
    { ...inBothDeployments, ...(IS_SCALED ? onlyScaledOut : {}) },
    { maxConcurrent: 4, timeoutMs: 240_000 },
  );

  after(() => {
    const { acknowledged, retried, kills } = runTotals;
    process.stdout.write(
      `      ${acknowledged} acknowledged writes under faults, ${retried} of them sent more than once, ${kills} kills\n`,
    );
  });
});
