/**
 * Fault injection under load: the tests kill processes and stores while clients write. Afterwards
 * every acknowledged write must exist exactly once, without any intervention.
 */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { TestClient } from '../support/client.js';
import { registerConcurrentTests } from '../support/concurrent-tests.js';
import { type DeployedService, runTotals } from '../support/load/deployed-service.js';
import { Deployment, type DeploymentOptions } from '../support/load/deployment.js';
import { CLIENT_COUNT, type Load, type LoadCall } from '../support/load/load.js';
import { countInvoices } from '../support/load/load-invariants.js';
import { fetchStatus } from '../support/load/processes.js';
import { type Fault, runUnderLoad } from '../support/load/run-load.js';
import { eventually } from '../support/poll.js';
import { IS_SCALED } from '../support/stores.js';
import { runPoisonCommand } from './poison-command.js';

/**
 * This timeout is shorter than the default, so that many writes become operations and get a 202.
 */
const WRITE_TIMEOUT_MS = 3000;
const SETTINGS = { WRITE_TIMEOUT_MS: `${WRITE_TIMEOUT_MS}` };
/** The default of the setting WRITES_CONCURRENCY. */
const WRITES_CONCURRENCY = 4;
const CLEAN_END = { code: 0, signal: null };

function underLoad(fault: Fault, options: DeploymentOptions = {}): () => Promise<void> {
  return () => runUnderLoad(fault, { settings: SETTINGS, ...options });
}

async function repeat(count: number, act: (nth: number) => Promise<void>): Promise<void> {
  for (let nth = 0; nth < count; nth += 1) await act(nth);
}

/**
 * Lets the writer kill itself at a failpoint (a named place in its code). Then starts the writer
 * again without failpoints.
 */
async function crashAt(failpoint: string, { writer }: Deployment, load: Load): Promise<void> {
  await writer.kill();
  const end = await writer.launch({ FAILPOINTS: failpoint }).waitForExit();
  expect(end).to.deep.equal({ code: null, signal: 'SIGKILL' });
  runTotals.kills += 1;
  await writer.start();
  await load.waitForCalls();
}

/**
 * Kills the writer between commit and reply, until two deaths were harmful. A harmful death leaves
 * writes that are committed but not acknowledged. A death is harmless if the writer's job contained
 * only repeated requests.
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
  // If fewer deaths are harmful, the failpoint is not between commit and reply.
  expect(harmful).to.equal(2);
}

/**
 * Sends SIGTERM to a process while requests wait for their commit. A lock delays the commits until
 * the process has started to shut down. Asserts that every request gets a response, and that no
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
  // Ignore refused connections, because the process never accepted their requests.
  const responses = load.calls
    .flatMap((call) => call.attempts.slice(answeredBefore.get(call)))
    .filter((response) => !/ECONNREFUSED/.test(response));
  expect(responses.filter((response) => response !== 'POST 201')).to.deep.equal([]);
}

/**
 * Resolves with true if the condition becomes true within `withinMs`, else with false. The batching
 * of the clients' writes decides whether the condition can become true. So callers try again after
 * false.
 */
function becomesTrueSoon(probe: () => Promise<boolean> | boolean, withinMs = 1500): Promise<boolean> {
  return eventually('it', probe, withinMs).catch(() => false);
}

/**
 * Pauses the only writer and injects a fault that deletes waiting jobs from Redis. If the API
 * process notices the loss, it sends the job again, and the write gets its 201. Otherwise the write
 * gets a 202, and the clock must recover the lost job. Repeats until a write gets a 202.
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
  'no write is lost when PostgreSQL is killed twice': underLoad((deployment, load) =>
    repeat(2, async () => {
      await deployment.killPostgres();
      await load.waitForCalls();
    }),
  ),
  'no write is lost when the writer dies before its commit': underLoad((deployment, load) =>
    repeat(2, () => crashAt('before_commit', deployment, load)),
  ),
  'no write is doubled when the writer dies between commit and reply': underLoad(crashUnacknowledged),
  'no write is lost when the web process is killed six times': underLoad((deployment, load) =>
    repeat(6, async () => {
      await deployment.web.kill();
      await deployment.web.start();
      await load.waitForCalls();
    }),
  ),
  'the web process answers every request before it ends on SIGTERM, twice': underLoad(
    (deployment, load) =>
      repeat(2, async () => {
        const { web } = deployment;
        let refusals = 0;
        await shutDownGracefully({ deployment, load }, web, {
          isBusy: () => load.waitingCount === CLIENT_COUNT,
          // Wait for more than one refusal. The first refusal only shows that the process has
          // stopped listening. A faulty shutdown would cut waiting connections a little later.
          hasStartedShutdown: async () =>
            (await fetchStatus(`${web.origin}/healthz`)) === undefined && ++refusals > 8,
        });
        // Send nothing to the process while it starts, because it responds with 503 until it is
        // ready.
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
  'no write is lost when two writers are killed alternately, three times': underLoad(
    (deployment, load) =>
      repeat(3, async (nth) => {
        const victim = deployment.writers[nth % 2] as DeployedService;
        await victim.kill();
        await load.waitForCalls();
        await victim.start();
      }),
    { writers: 2 },
  ),
  'no write is lost when Redis loses its data three times': underLoad(async (deployment, load) => {
    await deployment.flushRedis();
    await load.waitForCalls();
    const flushWhileJobsWait = whileJobsWait(() => deployment.flushRedis());
    await repeat(2, () => flushWhileJobsWait(deployment, load));
  }),
  'no write is lost when Redis is killed and restarts empty, twice': underLoad(async (deployment, load) => {
    await deployment.restartRedisEmpty();
    await load.waitForCalls();
    await whileJobsWait(() => deployment.restartRedisEmpty())(deployment, load);
  }),
  'a writer that ends on SIGTERM leaves its jobs to the other writer': underLoad(
    async (deployment, load) => {
      const { writer } = deployment;
      await shutDownGracefully({ deployment, load }, writer, {
        // The other writer alone cannot have so many active jobs, so this writer has some of them.
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
 * Sends fifty concurrent requests with one idempotency key to all web processes. Repeats this,
 * because requests can collide only for a short time in each round.
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
    { maxConcurrent: 2, timeoutMs: 400_000 },
  );

  after(() => {
    const { acknowledged, retried, kills } = runTotals;
    process.stdout.write(
      `      ${acknowledged} acknowledged writes under faults, ${retried} of them sent more than once, ${kills} kills\n`,
    );
  });
});
