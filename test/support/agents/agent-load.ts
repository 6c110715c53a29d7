/**
 * Generates load with several agents, and records each of their calls. If a call gets no result,
 * the agent repeats it with the same arguments, including the idempotency key of a write.
 */
import { randomUUID } from 'node:crypto';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { Json } from '../client.js';
import { eventually } from '../poll.js';
import { TestAgent } from './agent.js';

const AGENTS = 8;
const RETRY_MS = 100;
const RETRIED_CODES = ['service_unavailable', 'idempotency_in_progress'];
/** A proxy responds 502 if a process ends its connection, for example during an upgrade. */
const RETRIED_STATUSES = [502, 503];

export interface AgentTenant {
  id: string;
  key: string;
  /** A work order of the tenant, for which agents draft invoices. */
  workOrderId: string;
}

export interface AgentCall {
  tenant: AgentTenant;
  tool: string;
  args: Record<string, unknown>;
  /** Number of attempts. */
  sent: number;
  /** The structured result; undefined until an attempt succeeds. */
  result?: Json;
  /** When the agent got the result, in ms since 1970. */
  succeededAt?: number;
  /** An error after which the agent gave up, because a retry would not help. */
  refusal?: string;
}

/** The kinds of calls that an agent makes, one after the other. Writes and reads alternate. */
const CALL_MIX: readonly ((tenant: AgentTenant) => Pick<AgentCall, 'tool' | 'args'>)[] = [
  () => ({
    tool: 'create_work_order',
    args: { service_type: 'light_duty_tow', idempotency_key: randomUUID() },
  }),
  () => ({ tool: 'list_invoices', args: { limit: 5 } }),
  ({ workOrderId }) => ({
    tool: 'create_invoice_draft',
    args: { work_order_id: workOrderId, line_items: [LINE_ITEM], idempotency_key: randomUUID() },
  }),
  ({ workOrderId }) => ({ tool: 'get_work_order', args: { work_order_id: workOrderId } }),
];
const LINE_ITEM = {
  name: 'Tow',
  category: 'tow',
  quantity: 1,
  unit_type: 'each',
  unit_price_cents: 100,
  taxable: false,
};

export class AgentLoad {
  readonly calls: AgentCall[] = [];
  #agents: Promise<void>[] = [];
  #isEnding = false;

  /**
   * @param origins addresses of the replicas; attempts rotate through them, as behind a load
   * balancer
   * @param thinkMs how long an agent waits between two calls
   */
  constructor(
    private readonly origins: readonly string[],
    private readonly tenants: readonly AgentTenant[],
    private readonly thinkMs = 0,
  ) {}

  get answeredCount(): number {
    return this.calls.filter(({ result }) => result).length;
  }

  async start(): Promise<this> {
    const connected = await Promise.all(
      Array.from({ length: AGENTS }, async (_, nth) => {
        const tenant = this.tenants[nth % this.tenants.length] as AgentTenant;
        const connections = await Promise.all(
          // A busy machine may refuse the first request, as production may, and clients repeat it.
          this.origins.map((origin) =>
            eventually(
              'an agent to connect',
              () => TestAgent.connect(origin, tenant.key).catch(() => false as const),
              60_000,
            ),
          ),
        );
        return { tenant, connections };
      }),
    );
    this.#agents = connected.map(({ tenant, connections }, nth) => this.#work(tenant, connections, nth));
    return this;
  }

  /** Waits until `by` more calls have a result, which proves that the server still works. */
  async waitForCalls(by = 200, timeoutMs = 60_000): Promise<void> {
    const goal = this.answeredCount + by;
    await eventually(`${by} more answered calls of agents`, () => this.answeredCount >= goal, timeoutMs);
  }

  /**
   * Lets each agent finish its current call, with retries for up to a minute, and closes all
   * clients.
   */
  async stop(): Promise<void> {
    this.#isEnding = true;
    await Promise.all(this.#agents);
  }

  async #work(tenant: AgentTenant, connections: TestAgent[], nth: number): Promise<void> {
    for (let round = nth; !this.#isEnding; round += 1) {
      const call: AgentCall = {
        tenant,
        ...(CALL_MIX[round % CALL_MIX.length] as (typeof CALL_MIX)[number])(tenant),
        sent: 0,
      };
      this.calls.push(call);
      const until = Date.now() + 60_000;
      while (!call.result && !call.refusal && Date.now() < until) {
        await attempt(call, connections[(round + call.sent) % connections.length] as TestAgent);
        if (!call.result) await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
      if (this.thinkMs > 0) await new Promise((resolve) => setTimeout(resolve, this.thinkMs));
    }
    await Promise.all(connections.map(({ client }) => client.close()));
  }
}

async function attempt(call: AgentCall, agent: TestAgent): Promise<void> {
  call.sent += 1;
  let result: CallToolResult;
  try {
    result = await agent.call(call.tool, call.args);
  } catch (error) {
    // After a broken or refused connection, a 502 or a 503, leave the call without a result. The
    // agent then sends the call again. A correct server returns no other HTTP error.
    const { code } = error as { code?: number };
    if (typeof code === 'number' && !RETRIED_STATUSES.includes(code)) call.refusal = String(error);
    return;
  }
  const text = (result.content[0] as { text: string }).text;
  if (result.isError) {
    if (!RETRIED_CODES.includes(JSON.parse(text).code)) call.refusal = text;
    return;
  }
  const outcome = result.structuredContent as Json;
  // An operation id means that the write is stored but has not run yet. The agent then sends the
  // call again with the same key, which returns the result once the write has run.
  if (outcome?.data?.operation_id !== undefined) return;
  call.result = outcome;
  call.succeededAt = Date.now();
}
