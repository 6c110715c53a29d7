/**
 * Replaces the processes of the previous release by those of this checkout, one by one behind
 * nginx, while clients and agents write, webhooks and mails arrive and exports run. Then the same
 * back.
 */
import { expect } from 'chai';
import { Senders } from '../../failover/clients/senders.js';
import { AgentLoad } from '../../support/agents/agent-load.js';
import { addAgents, expectNoCallLost } from '../../support/agents/agent-load-invariants.js';
import { ExportCompany } from '../../support/exports/export-company.js';
import type { DeployedService } from '../../support/load/deployed-service.js';
import { type DeployedTenant, Deployment } from '../../support/load/deployment.js';
import { listKinds } from '../../support/load/list-kinds.js';
import { Load } from '../../support/load/load.js';
import { expectNothingLost } from '../../support/load/load-invariants.js';
import { startNginx } from '../../support/load/nginx.js';
import { PROJECT } from '../../support/load/processes.js';
import { MailServer } from '../../support/network/mail-server.js';
import { SeededRandom } from '../../support/random/seeded-random.js';
import { findMissingProgram } from '../../support/redis/programs.js';
import { getFreePort, IS_SCALED } from '../../support/stores.js';
import { StrictReceiver } from '../../support/webhooks/strict-receiver.js';
import { WebhookListeners } from '../../support/webhooks/webhook-listeners.js';
import { buildRelease, findPreviousRelease } from './previous-release.js';

const CLEAN_END = { code: 0, signal: null };
/** The number of times that all processes are replaced: forward, then back, and so on. */
const PASSES = Number(process.env.UPGRADE_PASSES ?? 2);
const SEED = Number(process.env.UPGRADE_SEED ?? Math.floor(Math.random() * 1e9));
/** The pace of the load, which is slow enough that the deliveries keep up. */
const PACE = { clients: 6, thinkMs: 150 };
const AGENT_THINK_MS = 500;
const MAIL_PACE = { clients: 1, thinkMs: 2000 };
const MAIL_TIMEOUT_MS = 60_000;
/** The number of further calls that proves that work continues between two replacements. */
const CALLS_BETWEEN = 40;

/** Two processes of the kinds that most work meets, so that both releases run side by side. */
const PROCESSES = { webs: 2, mcps: 2, writers: 2, webhooks: 2, exporters: 1, integrators: 1 };

const release = findPreviousRelease();
/** As the check of commits, this test needs git's history, which not every checkout has. */
const missing = findMissingProgram('nginx') ?? (release ? undefined : 'git has no earlier release here');

/** Returns the items in an order that follows from the seed. */
function shuffle<Item>(items: readonly Item[], seed: string): Item[] {
  const random = new SeededRandom(seed);
  return items
    .map((item) => ({ item, at: random.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

/** Waits until the load goes on. The error names what waits, and for what. */
async function waitForCalls(load: Load, replaced: string): Promise<void> {
  await load.waitForCalls(CALLS_BETWEEN).catch((error: Error) => {
    const waiting = load.calls.filter(({ outcome }) => outcome === 'unknown');
    const attempts = waiting.map((call) => call.attempts.slice(-3));
    throw new Error(`after replacing ${replaced}: ${error.message}: ${JSON.stringify(attempts)}`);
  });
}

/** Asserts that a process of this checkout has logged no error. */
function expectNoErrors({ folder, process: running }: DeployedService): void {
  if (folder !== PROJECT) return;
  const errors = running?.output.split('\n').filter((line) => /^\{"level":[56]0/.test(line));
  expect(errors).to.deep.equal([]);
}

/** Prints how many calls needed a retry, and the reasons. */
function reportRetries({ calls }: Load, { calls: agentCalls }: AgentLoad, { sent }: Senders): void {
  const attempts = calls.flatMap((call) => call.attempts).filter((text) => !/ 20[012]$/.test(text));
  const counts = new Map<string, number>();
  for (const text of attempts) counts.set(text, (counts.get(text) ?? 0) + 1);
  const reasons = [...counts].map(([text, count]) => `${count} × ${text}`).join(', ') || 'none';
  const repeated = agentCalls.filter(({ sent }) => sent > 1).length;
  process.stdout.write(
    `      ${calls.length} writes, retried: ${reasons}; ${agentCalls.length} calls of agents, ${repeated} retried; ${sent.length} mails\n`,
  );
}

if (IS_SCALED) {
  describe(`a rolling upgrade from ${release}${missing ? ` (skipped: ${missing})` : ''}`, function () {
    // So long that the wait for mails, up to four minutes, ends with its own message.
    this.timeout(420_000);

    before(function () {
      if (missing) this.skip();
    });

    it(`no write, event, mail, job or call is lost or doubled in any order of processes, there and back (seed ${SEED})`, async () => {
      const previous = buildRelease(release ?? '');
      const mailServer = await MailServer.start();
      const port = await getFreePort();
      const settings = {
        TRUST_PROXY: 'true',
        SHUTDOWN_DELAY_MS: '500',
        BASE_URL: `http://127.0.0.1:${port}`,
        ...Senders.buildSettings(mailServer),
      };
      await Deployment.run({ ...PROCESSES, folder: previous, settings }, async (deployment) => {
        await deployment.start();
        const { origin } = await startNginx(deployment, port);
        const tenants = await deployment.createTenants(3);
        const agentTenants = await addAgents(deployment, await deployment.createTenants(2));
        const receiver = await StrictReceiver.start();
        const load = new Load({ origins: [origin], isBalanced: true, tenants, ...PACE });
        const listeners = new WebhookListeners(deployment, receiver, load);
        for (const tenant of tenants) await listeners.addEndpoint(tenant);
        const agents = await new AgentLoad([origin], agentTenants, AGENT_THINK_MS).start();
        const exporting = new ExportCompany(
          deployment,
          (await deployment.createTenants(1))[0] as DeployedTenant,
        );
        await exporting.insertInvoices(2000);
        const exports: string[] = [];
        const [sending] = (await deployment.createTenants(1)) as [DeployedTenant];
        const senders = new Senders(origin, sending, mailServer, MAIL_PACE).start();
        try {
          load.start();
          await load.waitForCalls(CALLS_BETWEEN);
          await deployment.release(PROJECT);
          for (let pass = 0; pass < PASSES; pass += 1) {
            const folder = pass % 2 === 0 ? PROJECT : previous;
            for (const [kind, services] of shuffle(
              Object.entries(listKinds(deployment)),
              `${SEED} ${pass}`,
            )) {
              if (kind === 'exports')
                exports.push((await exporting.requestExport({ resource: 'invoices', format: 'csv' })).id);
              for (const service of services) {
                if (kind === 'messages') await senders.waitForMailUnderWay();
                expect(await service.stop('SIGTERM'), service.process?.output).to.deep.equal(CLEAN_END);
                expectNoErrors(service);
                service.folder = folder;
                await service.start();
                await waitForCalls(load, `${kind} in pass ${pass + 1}`);
                if (kind === 'messages') await senders.waitForMails(2, MAIL_TIMEOUT_MS);
              }
            }
          }
          await agents.waitForCalls(20);
          for (const id of exports) await exporting.downloadExport(id);
          await Promise.all([agents.stop(), senders.stop()]);
          await expectNoCallLost(deployment, agents);
          await listeners.expectAllDelivered(Date.now());
          await expectNothingLost(deployment, load);
          await senders.expectEachMailed(deployment);
          expect(load.unanswered, 'requests to which nginx did not respond').to.deep.equal([]);
          for (const service of deployment.services) expectNoErrors(service);
          reportRetries(load, agents, senders);
        } finally {
          await load.stop(0);
          await agents.stop();
          await senders.stop();
          await receiver.stop();
        }
      }).finally(() => mailServer.stop());
    });
  });
}
