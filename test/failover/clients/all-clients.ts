/** All clients of the service at once: they write, read, listen and export behind nginx. */
import type { Transaction } from '../../../shared/platform/postgres/database.js';
import { AgentLoad } from '../../support/agents/agent-load.js';
import { addAgents, expectNoCallLost } from '../../support/agents/agent-load-invariants.js';
import { ExportCompany } from '../../support/exports/export-company.js';
import type { DeployedTenant, Deployment } from '../../support/load/deployment.js';
import { Load } from '../../support/load/load.js';
import { expectNothingLost } from '../../support/load/load-invariants.js';
import type { MailServer } from '../../support/network/mail-server.js';
import { eventually } from '../../support/poll.js';
import { StrictReceiver } from '../../support/webhooks/strict-receiver.js';
import { WebhookListeners } from '../../support/webhooks/webhook-listeners.js';
import { type ClientReport, compareIds } from './client-call.js';
import { EventStream } from './event-stream.js';
import { Exporters } from './exporters.js';
import { Readers } from './readers.js';
import { Senders } from './senders.js';

/** The pace of the load, which two cores can serve beside all the stores. */
const PACE = { clients: 6, thinkMs: 150 };
const AGENT_THINK_MS = 500;
const MAIL_PACE = { clients: 2, thinkMs: 700 };
const EXPORTED_ROWS = 500;
/** Deliveries may wait for the lease of a worker that lost the database. */
const DELIVERY_TIMEOUT_MS = 120_000;

export class AllClients {
  private constructor(
    private readonly deployment: Deployment,
    private readonly load: Load,
    private readonly agents: AgentLoad,
    private readonly readers: Readers,
    private readonly exporters: Exporters,
    private readonly senders: Senders,
    private readonly streams: EventStream[],
    private readonly receiver: StrictReceiver,
    private readonly listeners: WebhookListeners,
  ) {}

  static async start(deployment: Deployment, mailServer: MailServer, origin: string): Promise<AllClients> {
    const tenants = await deployment.createTenants(3);
    const agentTenants = await addAgents(deployment, await deployment.createTenants(2));
    const [exporting, sending] = (await deployment.createTenants(2)) as [DeployedTenant, DeployedTenant];
    await new ExportCompany(deployment, exporting).insertInvoices(EXPORTED_ROWS);
    const receiver = await StrictReceiver.start();
    const load = new Load({ origins: [origin], isBalanced: true, tenants, ...PACE });
    const listeners = new WebhookListeners(deployment, receiver, load);
    for (const tenant of tenants) await listeners.addEndpoint(tenant);
    const streams = await Promise.all(tenants.map((tenant) => new EventStream(origin, tenant).start()));
    const agents = await new AgentLoad([origin], agentTenants, AGENT_THINK_MS).start();
    load.start();
    await load.waitForCalls(1);
    const readers = new Readers(origin, load).start();
    const exporters = new Exporters(origin, exporting, EXPORTED_ROWS).start();
    const senders = new Senders(origin, sending, mailServer, MAIL_PACE).start();
    return new AllClients(
      deployment,
      load,
      agents,
      readers,
      exporters,
      senders,
      streams,
      receiver,
      listeners,
    );
  }

  /** Waits until every kind of client has succeeded again, several times. */
  async waitForProgress(): Promise<void> {
    await Promise.all([
      this.load.waitForCalls(40),
      this.agents.waitForCalls(20),
      this.readers.waitForCalls(20),
      this.exporters.waitForCalls(1),
      this.senders.waitForMails(2, DELIVERY_TIMEOUT_MS),
      this.#waitForRequests(20),
      ...this.streams.map((stream) => stream.waitForEvents(5, DELIVERY_TIMEOUT_MS)),
    ]);
  }

  /** Waits until `by` more webhooks have arrived. */
  async #waitForRequests(by: number): Promise<void> {
    const count = () => this.receiver.endpoints.reduce((sum, { requests }) => sum + requests.length, 0);
    const goal = count() + by;
    await eventually(`${by} more webhooks`, () => count() >= goal, DELIVERY_TIMEOUT_MS);
  }

  /** Ends the load, and returns everything that is not as it should be. */
  async finish(): Promise<string[]> {
    const problems: string[] = [];
    const check = (name: string, act: () => Promise<void>) =>
      act().catch((error: Error) => void problems.push(`${name}: ${error.message.slice(0, 2000)}`));
    await this.#stopRepeating();
    await check('REST', () => expectNothingLost(this.deployment, this.load));
    await check('agents', () => expectNoCallLost(this.deployment, this.agents));
    await check('mails', async () => {
      await this.senders.endLeasesOfAccepted(this.deployment);
      await this.senders.expectEachMailed(this.deployment);
    });
    await check('webhooks', async () => {
      const haveEnded = async () => (await this.listeners.findOpenDeliveries()).length === 0;
      await eventually('every delivery to end', haveEnded, DELIVERY_TIMEOUT_MS);
    });
    for (const stream of this.streams)
      await check('stream', () => stream.waitFor(this.#listAcknowledged(stream.tenant)));
    await this.stop();
    return [
      ...problems,
      ...this.receiver.problems.map((problem) => `webhooks: ${problem}`),
      ...this.exporters.failures,
    ];
  }

  async stop(): Promise<void> {
    await this.load.stop(0);
    await this.#stopRepeating();
    await Promise.all(this.streams.map((stream) => stream.stop()));
    await this.receiver.stop();
  }

  /** Lets all clients but those of REST writes finish their current calls. */
  async #stopRepeating(): Promise<void> {
    const { agents, readers, exporters, senders } = this;
    await Promise.all([agents, readers, exporters, senders].map((clients) => clients.stop()));
  }

  /** Returns what each kind of client saw. Call it after the load has ended. */
  async report(): Promise<ClientReport[]> {
    const isWrite = ({ args }: AgentLoad['calls'][number]) => args.idempotency_key !== undefined;
    const toCalls = (calls: AgentLoad['calls']) =>
      calls.map(({ sent: tries, succeededAt }) => ({ tries, succeededAt }));
    const agentWrites = this.agents.calls.filter(isWrite);
    const { lostIds } = this.readers;
    return [
      {
        kind: 'REST write',
        calls: this.load.calls.map(({ attempts, succeededAt }) => ({ tries: attempts.length, succeededAt })),
        ...compareIds(this.#listAcknowledged(), await this.#readStored(this.load.calls, ['invoices'])),
      },
      { kind: 'REST read', calls: this.readers.calls, lost: lostIds.size, doubled: 0 },
      {
        kind: 'agent write (MCP)',
        calls: toCalls(agentWrites),
        ...compareIds(
          agentWrites.flatMap(({ result }) => (result ? [result.id as string] : [])),
          await this.#readAgentRecords(),
        ),
      },
      {
        kind: 'agent read (MCP)',
        calls: toCalls(this.agents.calls.filter((call) => !isWrite(call))),
        lost: 0,
        doubled: 0,
      },
      this.#reportWebhooks(),
      this.#reportStreams(),
      { kind: 'export', calls: this.exporters.calls, lost: this.exporters.wrongFiles.length, doubled: 0 },
      this.senders.report(),
    ];
  }

  #reportWebhooks(): ClientReport {
    const requests = this.receiver.endpoints.flatMap((endpoint) =>
      endpoint.ids.map((id) => endpoint.requestsOf(id)),
    );
    return {
      kind: 'webhook event',
      calls: requests.map((same) => ({ tries: same.length, succeededAt: same[0]?.at })),
      ...compareIds(
        this.#listAcknowledged(),
        requests.map(([first]) => first?.event.data.object.id),
      ),
    };
  }

  #reportStreams(): ClientReport {
    const events = this.streams.flatMap((stream) => stream.events);
    const ids = events.map(({ invoiceId }) => invoiceId);
    return { kind: 'stream event', calls: events, ...compareIds(this.#listAcknowledged(), ids) };
  }

  /** Lists the ids of the invoices whose creation was acknowledged. */
  #listAcknowledged(tenant?: DeployedTenant): string[] {
    const calls = this.load.calls.filter((call) => call.id && (!tenant || call.tenant === tenant));
    return calls.map(({ id }) => id as string);
  }

  /** Reads the records of the agents' accounts, without those that existed before the load. */
  async #readAgentRecords(): Promise<string[]> {
    const given = new Set(this.agents.calls.map(({ tenant }) => tenant.workOrderId));
    const ids = await this.#readStored(this.agents.calls, ['invoices', 'work_orders']);
    return ids.filter((id) => !given.has(id));
  }

  async #readStored(
    calls: { tenant: { id: string } }[],
    tables: ('invoices' | 'work_orders')[],
  ): Promise<string[]> {
    const db = await this.deployment.db();
    const tenants = [...new Set(calls.map(({ tenant }) => tenant.id))];
    const read = (tx: Transaction) =>
      Promise.all(tables.map((table) => tx.query<{ id: string }>({ text: `select id from ${table}` })));
    return (await db.transaction(tenants, read)).flat().map(({ id }) => id);
  }
}
