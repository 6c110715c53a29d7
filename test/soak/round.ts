import { AgentLoad } from '../support/agents/agent-load.js';
import { addAgents, expectNoCallLost } from '../support/agents/agent-load-invariants.js';
import type { DeployedTenant } from '../support/load/deployment.js';
import { Load } from '../support/load/load.js';
import { expectNothingLost, findDifferences } from '../support/load/load-invariants.js';
import { StrictReceiver } from '../support/webhooks/strict-receiver.js';
import { WebhookListeners } from '../support/webhooks/webhook-listeners.js';
import type { BooksLoad } from './books.js';
import { ExportsLoad } from './exports-load.js';
import type { Site } from './site.js';

/** The time between two calls of a client, which leaves the deliveries time to keep up. */
const THINK_MS = 20;
const AGENT_THINK_MS = 400;
const TENANTS = 3;
const AGENT_TENANTS = 2;
/** A check by its name. All of them run, so that one violation does not hide another. */
type Check = [name: string, check: () => Promise<void>];

/**
 * The load between two checkpoints: REST clients, agents, endpoints, exports and books. Each round
 * has tenants of its own, so that what it remembers of the calls is small.
 */
export class Round {
  private constructor(
    private readonly site: Site,
    readonly load: Load,
    readonly agents: AgentLoad,
    private readonly receiver: StrictReceiver,
    readonly listeners: WebhookListeners,
    private readonly exports: ExportsLoad,
    readonly books: BooksLoad,
  ) {}

  static async begin(site: Site, books: BooksLoad, clients: number): Promise<Round> {
    const { deployment } = site;
    const tenants = await deployment.createTenants(TENANTS);
    const origins = deployment.webs.map(({ origin }) => origin);
    // A process that ends on SIGTERM says "Connection: close"; its successor has its address.
    const load = new Load({ origins, isBalanced: true, tenants, clients, thinkMs: THINK_MS });
    const receiver = await StrictReceiver.start();
    const listeners = new WebhookListeners(deployment, receiver, load);
    for (const tenant of tenants) await listeners.addEndpoint(tenant);
    const agentTenants = await addAgents(deployment, await deployment.createTenants(AGENT_TENANTS));
    const agentOrigins = deployment.mcps.map(({ origin }) => origin);
    const agents = await new AgentLoad(agentOrigins, agentTenants, AGENT_THINK_MS).start();
    const exports = new ExportsLoad(deployment, tenants[0] as DeployedTenant, load, site.disk);
    load.start();
    books.resume();
    return new Round(site, load, agents, receiver, listeners, exports, books);
  }

  /** Requests one export after the other from then on. */
  startExports(): void {
    this.exports.start();
  }

  /**
   * Ends the load, and checks everything once the product has no work left. Adds to the figures of
   * the run, and returns what was violated.
   */
  async check(): Promise<string[]> {
    const healedAt = Date.now();
    const { figures, deployment } = this.site;
    const failures: string[] = [];
    await Promise.all([this.load.stop(), this.agents.stop()]);
    const checks: Check[] = [
      ['books', () => this.books.pause()],
      ['exports', () => this.exports.stop()],
      ['writes', () => expectNothingLost(deployment, this.load)],
      ['agents', () => expectNoCallLost(deployment, this.agents)],
      ['webhooks', () => this.checkDeliveries(healedAt)],
      ['exports', () => this.checkExports()],
      ['books', () => this.books.expectSameBooks()],
      ['differences', () => this.countDifferences()],
      ['writes that the product reports as lost', () => this.expectNoneReported()],
      ['processes', async () => this.site.expectRunning()],
    ];
    for (const [name, check] of checks)
      await check().catch((error: unknown) => failures.push(`${name}: ${describe(error)}`));
    await this.end();
    figures.checkpoints += 1;
    return failures;
  }

  /** Ends the load in any state. */
  async end(): Promise<void> {
    this.exports.end();
    await this.load.stop(0);
    await this.agents.stop();
    await this.receiver.stop();
  }

  private async checkDeliveries(healedAt: number): Promise<void> {
    const { received, repeated } = await this.listeners.expectEachDelivered(healedAt);
    this.site.figures.deliveries += received;
    this.site.figures.repeatedDeliveries += repeated;
  }

  private async checkExports(): Promise<void> {
    const { exports, rows, failed } = await this.exports.expectExact();
    this.site.figures.exports += exports;
    this.site.figures.exportsWithoutSpace += failed;
    this.site.figures.exportedRows += rows;
  }

  private async expectNoneReported(): Promise<void> {
    const count = await this.site.stores.query('select from lost_writes');
    if (count > 0) throw new Error(`${count}`);
  }

  private async countDifferences(): Promise<void> {
    const { figures, deployment } = this.site;
    const { calls } = this.load;
    const { lost, doubled } = await findDifferences(deployment, calls);
    figures.lost += lost.length;
    figures.doubled += doubled.length;
    const agentWrites = this.agents.calls.filter((call) => call.result && call.args.idempotency_key);
    figures.writes += this.load.acknowledgedCount + agentWrites.length + this.books.takeWrites();
    figures.bookedInvoices = this.books.released.length;
    figures.agentCalls += this.agents.answeredCount;
    figures.retried += calls.filter(({ attempts }) => attempts.length > 1).length;
    figures.retried += this.agents.calls.filter(({ sent }) => sent > 1).length;
  }
}

/** Describes a violation, with what an assertion compared, up to a size that fits a terminal. */
function describe(error: unknown): string {
  const { message, actual } = error as { message: string; actual?: unknown };
  const details = actual === undefined ? '' : `: ${JSON.stringify(actual)}`;
  return `${message}${details}`.slice(0, 1500);
}
