/** Starts the service and all its stores from docs/deploy, on this machine. */
import { areTimesShort } from '../support/deploy/deploy-files.js';
import { Deployment } from '../support/load/deployment.js';
import { listKinds } from '../support/load/list-kinds.js';
import { startNginx } from '../support/load/nginx.js';
import { findOtherPostgresFolders } from '../support/load/other-postgres.js';
import { PatroniCluster } from '../support/load/patroni/cluster.js';
import { PROJECT } from '../support/load/processes.js';
import { MailServer } from '../support/network/mail-server.js';
import { SentinelSet } from '../support/redis/topologies/sentinels.js';
import { getFreePort } from '../support/stores.js';
import { Senders } from './clients/senders.js';

/** Shows a line of progress. */
export type Print = (line: string) => void;

export interface FailoverStack {
  cluster: PatroniCluster;
  sentinels: SentinelSet;
  deployment: Deployment;
  /** Gets the mails of the service. */
  mailServer: MailServer;
  /** The address of nginx. */
  origin: string;
}

/** Two of each kind that clients or their writes meet, so that the balancer has a choice. */
const PROCESSES = { webs: 2, mcps: 2, writers: 2, webhooks: 1, exporters: 1, integrators: 1 };

/** Calls `work` with a new cluster of PostgreSQL, and ends the cluster. */
export async function withCluster(
  print: Print,
  work: (cluster: PatroniCluster) => Promise<void>,
): Promise<void> {
  const programs = findOtherPostgresFolders().at(-1);
  if (!programs) throw new Error('there is no PostgreSQL server in /usr/lib/postgresql');
  print('starting etcd, three members of Patroni and HAProxy (docs/deploy/patroni)');
  const cluster = new PatroniCluster(programs);
  try {
    await work(await cluster.start());
  } finally {
    await cluster.stop();
  }
}

/** Starts everything else, calls `work`, and ends everything but the cluster. */
export async function withFailoverStack(
  { print, cluster }: { print: Print; cluster: PatroniCluster },
  work: (stack: FailoverStack) => Promise<void>,
): Promise<void> {
  for (const { name, role } of await cluster.listStates()) {
    const member = cluster.members.find((one) => one.name === name);
    print(`  PostgreSQL ${name} at 127.0.0.1:${member?.options.port}: ${role}`);
  }
  print('starting a Redis master, two replicas and three sentinels (docs/deploy/redis)');
  const sentinels = new SentinelSet();
  const port = await getFreePort();
  const mailServer = await MailServer.start();
  const settings = {
    TRUST_PROXY: 'true',
    BASE_URL: `http://127.0.0.1:${port}`,
    DATABASE_REPLICA_URL: cluster.replicaUrl,
    ...Senders.buildSettings(mailServer),
    // Writes whose job a dead Redis forgot become operations after this time.
    ...(areTimesShort() ? { WRITE_TIMEOUT_MS: '3000' } : {}),
  };
  const startRedis = async () => {
    await sentinels.start();
    print(`  Redis master at 127.0.0.1:${(await sentinels.findMaster()).port}, with TLS`);
    print('running the release: it migrates the database');
    return sentinels;
  };
  const { databaseUrl } = cluster;
  const options = { ...PROCESSES, folder: PROJECT, settings, startRedis, databaseUrl };
  await Deployment.run(options, async (deployment) => {
    print('starting the processes of the service (the Procfile, as docs/deploy/systemd)');
    await deployment.start();
    for (const line of describeServices(deployment)) print(`  ${line}`);
    print('starting nginx in front of web and mcp (docs/deploy/nginx)');
    const { origin } = await startNginx(deployment, port);
    print(`  the service at ${origin}, agents at ${origin}/mcp`);
    await work({ cluster, sentinels, deployment, mailServer, origin });
    print('ending everything');
  }).finally(() => mailServer.stop());
}

function describeServices(deployment: Deployment): string[] {
  return Object.entries(listKinds(deployment)).map(
    ([kind, services]) => `${kind} at ${services.map(({ origin }) => origin).join(', ')}`,
  );
}
