/**
 * An agent's first day: `npx tsx docs/agents/first-invoice.ts <its configuration>`, a JSON file as desktop agents have it (README, Agents). It looks for a
 * finished job, drafts its invoice, meets the company's limit and asks a person to approve. Prints the first line of what a model reads, and last the ids as JSON.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';

interface Server {
  /** Over stdio. */
  command?: string;
  args?: string[];
  env?: Record<string, string>;
  /** Over HTTP. */
  url?: string;
  headers?: Record<string, string>;
}
type Shown = Record<string, unknown>;

function transportOf({ command, args = [], env = {}, url = '', headers = {} }: Server) {
  if (command) return new StdioClientTransport({ command, args, env: { ...process.env, ...env } as never });
  return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
}

const [path = 'agent.json'] = process.argv.slice(2);
const { mcpServers } = JSON.parse(readFileSync(path, 'utf8')) as { mcpServers: Record<string, Server> };
const agent = new Client({ name: 'first-invoice', version: '1.0.0' });
await agent.connect(transportOf(Object.values(mcpServers)[0] ?? {}) as Parameters<Client['connect']>[0]);

/** The structured answer of a tool. A model reads the texts; an error is nothing but a text. */
async function use(name: string, args: Shown): Promise<Shown> {
  const answer = (await agent.callTool({ name, arguments: args })) as CallToolResult;
  const [text] = answer.content.map((one) => (one.type === 'text' ? one.text : ''));
  console.log(`${name}: ${text?.split('\n', 1)[0]}`);
  if (answer.isError) throw new Error(`${name} was refused`);
  return answer.structuredContent as Shown;
}

const line = (name: string, category: string, unit_price_cents: number) => ({
  ...{ name, category, quantity: 1, unit_type: 'flat', unit_price_cents, taxable: true },
});

/** Jobs that wait for their invoice, newest first. Pages may be short: an answer has to fit a model. */
async function billable(count: number): Promise<Shown[]> {
  const found: Shown[] = [];
  for (let cursor: unknown; found.length < count && cursor !== null; ) {
    const page = await use('list_work_orders', { status: 'completed', ...(cursor ? { cursor } : {}) });
    const items = page.items as Shown[];
    found.push(...items.filter(({ billing_status }) => billing_status === 'ready_to_bill'));
    cursor = page.cursor;
  }
  return found;
}

const [job, heavyJob] = await billable(2);
if (!job || !heavyJob) throw new Error('no two finished jobs wait for their invoice');
await use('get_work_order', { work_order_id: job.id });

// The key of an action is made once: whoever is unsure whether it happened sends the same one again.
const draft = {
  work_order_id: job.id,
  line_items: [line('Light-duty tow', 'tow', 12_500), line('Hook-up fee', 'hook_up', 7500)],
  idempotency_key: randomUUID(),
};
await use('create_invoice_draft', { ...draft, dry_run: true });
const invoice = await use('create_invoice_draft', draft);
const again = await use('create_invoice_draft', draft);
if (again.id !== invoice.id) throw new Error('the same action was done twice');

const held = await use('create_invoice_draft', {
  work_order_id: heavyJob.id,
  line_items: [line('Rotator recovery', 'recovery', 180_000)],
  idempotency_key: randomUUID(),
});
const proposal = await use('propose_invoice_approval', {
  invoice_id: invoice.id,
  justification: `Tow and hook-up of job ${job.job_number} as on the slip; nothing else was done.`,
  idempotency_key: randomUUID(),
});
await agent.close();

const [held_approval, job_number] = [held.approval as Shown | undefined, job.job_number];
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
