import { ErrorCode, type GetPromptResult, type Prompt } from '@modelcontextprotocol/sdk/types.js';
import type { Principal } from '../shared/contracts/principal.js';
import type { AgentScope } from '../shared/contracts/vocabulary.js';
import { RpcError } from './rpc-error.js';

interface PromptDefinition {
  name: string;
  title: string;
  description: string;
  /** Without them it would ask for what the key may not do. */
  scopes: readonly AgentScope[];
  text: string;
}

/** What a dispatcher asks for again and again. */
export const PROMPTS: readonly PromptDefinition[] = [
  {
    name: 'morning_board',
    title: 'Morning board',
    description: 'What is going on, what waits for a truck, and what needs attention first.',
    scopes: ['read_dispatch', 'read_work_orders'],
    text: `Look at the dispatch board (get_dispatch_board) and at jobs that nobody has accepted (list_work_orders with status "new").
Tell me, in this order and briefly: jobs that have waited longest without a truck; jobs under way for more than two hours; trucks that are free, with their drivers; new jobs to accept.
Name jobs by job_number. Do not change anything.`,
  },
  {
    name: 'needs_approval',
    title: 'What needs approval',
    description: 'Drafts that are ready for a person, and why.',
    scopes: ['read_invoices'],
    text: `List invoices in status "draft" and "needs_review" (list_invoices, each status by itself) and read those that look ready (get_invoice).
For each say who is billed, the total with tax, and whether the lines fit the job. Point out anything odd: missing lines, a total of zero, nobody to bill.
Ask me which of them you shall propose with propose_invoice_approval; propose none by yourself.`,
  },
];

function maySee({ scopes }: Principal, prompt: PromptDefinition): boolean {
  return prompt.scopes.every((scope) => scopes.includes(scope));
}

export function listPrompts(key: Principal): Prompt[] {
  return PROMPTS.filter((prompt) => maySee(key, prompt)).map(({ name, title, description }) => ({
    name,
    title,
    description,
  }));
}

/** @throws {RpcError} -32602 for a prompt that the key is not shown */
export function getPrompt(key: Principal, name: string): GetPromptResult {
  const prompt = PROMPTS.find((one) => one.name === name && maySee(key, one));
  if (!prompt)
    throw new RpcError(
      ErrorCode.InvalidParams,
      'There is no such prompt. prompts/list shows those there are.',
    );
  const { description, text } = prompt;
  return { description, messages: [{ role: 'user', content: { type: 'text', text } }] };
}
