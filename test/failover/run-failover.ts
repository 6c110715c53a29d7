/** Kills the Redis master and then the PostgreSQL primary under the load of all clients. */
import { setTimeout as sleep } from 'node:timers/promises';
import { runTotals } from '../support/load/deployed-service.js';
import type { PatroniCluster } from '../support/load/patroni/cluster.js';
import { AllClients } from './clients/all-clients.js';
import type { Period } from './clients/client-call.js';
import { type FailoverStack, type Print, withCluster, withFailoverStack } from './failover-stack.js';
import { type FailoverResult, findTakeoverProblems } from './report-table.js';

/** What was under way at a kill may still succeed within this time. */
const UNDER_WAY_MS = 500;

export interface FailoverOptions {
  print: Print;
  /** How long the load runs before each kill. */
  quietMs: number;
  /** A running cluster, which goes on afterwards; default: a new one, which ends. */
  cluster?: PatroniCluster;
}

/** Runs the whole scenario. Throws only if the stack did not start, or never recovered. */
export async function runFailover({ print, quietMs, cluster }: FailoverOptions): Promise<FailoverResult> {
  const startedAt = Date.now();
  const seconds = () => `${Math.round((Date.now() - startedAt) / 1000)}`.padStart(4);
  const printTimed: Print = (line) => print(`${seconds()} s  ${line}`);
  let result: FailoverResult | undefined;
  const run = (running: PatroniCluster) =>
    withFailoverStack({ print: printTimed, cluster: running }, async (stack) => {
      result = await failUnderLoad(stack, printTimed, quietMs);
    });
  await (cluster ? run(cluster) : withCluster(printTimed, run));
  if (!result) throw new Error('the stack ended without a result');
  return result;
}

async function failUnderLoad(stack: FailoverStack, print: Print, quietMs: number): Promise<FailoverResult> {
  const { cluster, sentinels, deployment, mailServer, origin } = stack;
  print('starting the clients: REST, agents, webhooks, streams, exports, mails');
  const clients = await AllClients.start(deployment, mailServer, origin);
  const problems: string[] = [];
  try {
    await clients.waitForProgress();
    await sleep(quietMs);
    const master = await sentinels.findMaster();
    print(`killing the Redis master at 127.0.0.1:${master.port}`);
    const redisKill = await measure(clients, async () => void (await sentinels.killMaster()));
    const promoted = await sentinels.findMaster();
    problems.push(...findTakeoverProblems('Redis', `port ${master.port}`, `port ${promoted.port}`));
    print(`  every client succeeds again; the master is at 127.0.0.1:${promoted.port}`);
    // The sentinels look for replicas every ten seconds only, so nothing waits for it here. The
    // handler keeps an early failure from ending the process.
    const redisIsBack = sentinels.restart(master);
    redisIsBack.catch(() => undefined);
    await sleep(quietMs);

    const primary = await cluster.findPrimary();
    print(`killing the machine of the PostgreSQL primary: ${primary.name}, Patroni with all its processes`);
    const postgresKill = await measure(clients, () => primary.kill());
    const successor = await cluster.findPrimary();
    problems.push(...findTakeoverProblems('PostgreSQL', primary.name, successor.name));
    print(`  every client succeeds again; the primary is ${successor.name}`);
    primary.start();
    const haveRejoined = Promise.all([redisIsBack, cluster.waitUntilComplete()]);
    haveRejoined.catch(() => undefined);
    await sleep(quietMs);
    await clients.waitForProgress();

    print('ending the load, and checking the stores against what the clients got');
    problems.push(...(await clients.finish()));
    await haveRejoined;
    const role = (await cluster.listStates()).find(({ name }) => name === primary.name)?.role;
    const redisRole = await sentinels.readRole(master);
    print(`  ${primary.name} is back as ${role}, and the killed Redis as ${redisRole}`);
    if (role === undefined || role === 'leader') problems.push(`${primary.name} came back as ${role}`);
    if (redisRole !== 'slave') problems.push(`the killed Redis came back as ${redisRole}`);
    problems.push(...(await sentinels.listDenials()).map((denial) => `Redis denied a command: ${denial}`));
    for (const { port, process } of deployment.services)
      if (process?.end) problems.push(`the process at port ${port} ended: ${process.output.slice(-1000)}`);
    return { reports: await clients.report(), redisKill, postgresKill, problems };
  } finally {
    await clients.stop();
  }
}

/** Kills something, and waits until every kind of client succeeds again. */
async function measure(clients: AllClients, kill: () => Promise<void>): Promise<Period> {
  const from = Date.now();
  await kill();
  runTotals.kills += 1;
  await sleep(UNDER_WAY_MS);
  await clients.waitForProgress();
  return { from, to: Date.now() };
}
