/**
 * Runs an agent's first tasks: `npx tsx docs/agents/first-invoice.ts <agent.json>`. The argument is
 * a JSON configuration file as desktop agents use it (docs/agents/README.md).
 *
 * The script drafts the invoice of a completed work order. It then drafts an invoice that reaches
 * the account's approval threshold, so that the server holds it for a person. Finally it asks a
 * person to approve the first invoice. The script prints the first line of each text that a model
 * would read, and at the end the ids as JSON.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';

interface ServerConfig {
  /** Set for a server over stdio. */
  command?: string;
  args?: string[];
  env?: Record<string, string>;
  /** Set for a server over HTTP. */
  url?: string;
  headers?: Record<string, string>;
}
type JsonObject = Record<string, unknown>;

function createTransport({ command, args = [], env = {}, url = '', headers = {} }: ServerConfig) {
  if (command) return new StdioClientTransport({ command, args, env: { ...process.env, ...env } as never });
  return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
}

const [path = 'agent.json'] = process.argv.slice(2);
const { mcpServers } = JSON.parse(readFileSync(path, 'utf8')) as { mcpServers: Record<string, ServerConfig> };
const agent = new Client({ name: 'first-invoice', version: '1.0.0' });
await agent.connect(createTransport(Object.values(mcpServers)[0] ?? {}) as Parameters<Client['connect']>[0]);

/**
 * Calls a tool and returns its structured result. Prints the first line of the text that a model
 * would read.
 * @throws {Error} if the result is an error, which has only text
 */
async function callTool(name: string, args: JsonObject): Promise<JsonObject> {
  const result = (await agent.callTool({ name, arguments: args })) as CallToolResult;
  const [text] = result.content.map((part) => (part.type === 'text' ? part.text : ''));
  console.log(`${name}: ${text?.split('\n', 1)[0]}`);
  if (result.isError) throw new Error(`${name} was refused`);
  return result.structuredContent as JsonObject;
}

const lineItem = (name: string, category: string, unit_price_cents: number) => ({
  name,
  category,
  quantity: 1,
  unit_type: 'flat',
  unit_price_cents,
  taxable: true,
});

/**
 * Finds at least `count` work orders that are ready to bill, newest first, or all if there are
 * fewer. Reads several pages if needed, because the server limits a page to the size that a model
 * can read.
 */
async function findBillableWorkOrders(count: number): Promise<JsonObject[]> {
  const found: JsonObject[] = [];
  for (let cursor: unknown; found.length < count && cursor !== null; ) {
    const page = await callTool('list_work_orders', { status: 'completed', ...(cursor ? { cursor } : {}) });
    const items = page.items as JsonObject[];
    found.push(...items.filter(({ billing_status }) => billing_status === 'ready_to_bill'));
    cursor = page.cursor;
  }
  return found;
}

const [workOrder, heavyWorkOrder] = await findBillableWorkOrders(2);
if (!workOrder || !heavyWorkOrder)
  throw new Error('This script needs two completed work orders that have no invoice yet.');
await callTool('get_work_order', { work_order_id: workOrder.id });

// Create one idempotency key per action. If the outcome of a call is unknown, repeat the call with
// the key of its action.
const draft = {
  work_order_id: workOrder.id,
  line_items: [lineItem('Light-duty tow', 'tow', 12_500), lineItem('Hook-up fee', 'hook_up', 7500)],
  idempotency_key: randomUUID(),
};
await callTool('create_invoice_draft', { ...draft, dry_run: true });
const invoice = await callTool('create_invoice_draft', draft);
const replayed = await callTool('create_invoice_draft', draft);
if (replayed.id !== invoice.id) throw new Error('the retry created a second invoice');

const held = await callTool('create_invoice_draft', {
  work_order_id: heavyWorkOrder.id,
  line_items: [lineItem('Rotator recovery', 'recovery', 180_000)],
  idempotency_key: randomUUID(),
});
const proposal = await callTool('propose_invoice_approval', {
  invoice_id: invoice.id,
  justification: `Tow and hook-up of job ${workOrder.job_number} as on the slip; nothing else was done.`,
  idempotency_key: randomUUID(),
});
await agent.close();

const [held_approval, job_number] = [held.approval as JsonObject | undefined, workOrder.job_number];
console.log(
  JSON.stringify({
    job_number,
    invoice_id: invoice.id,
    total_cents: invoice.total_cents,
    pending_approval: held.pending_approval ?? false,
    held_approval_id: held_approval?.id ?? null,
    proposal_id: proposal.id,
  }),
);
