import { ErrorCode, type GetPromptResult, type Prompt } from '@modelcontextprotocol/sdk/types.js';
import type { Principal } from '../../shared/contracts/principal.js';
import type { AgentScope } from '../../shared/contracts/vocabulary.js';
import { RpcError } from '../context/errors.js';

interface PromptDefinition {
  name: string;
  title: string;
  description: string;
  /** The scopes that the prompt's tools need. A key without all of them does not see the prompt. */
  scopes: readonly AgentScope[];
  text: string;
}

/** Prompts for a dispatcher's frequent tasks. */
export const PROMPTS: readonly PromptDefinition[] = [
  {
    name: 'morning_board',
    title: 'Morning board',
    description: 'What is going on, what waits for a truck, and what needs attention first.',
    scopes: ['read_dispatch', 'read_work_orders'],
    text: `Look at the dispatch board (get_dispatch_board) and at jobs that no operator has accepted (list_work_orders with status "new").
Tell me, in this order and briefly: jobs that have waited longest without a truck; jobs under way for more than two hours; trucks that are free, with their drivers; new jobs to accept.
Name jobs by job_number. Do not change anything.`,
  },
  {
    name: 'needs_approval',
    title: 'What needs approval',
    description: 'Drafts that are ready for a person, and why.',
    scopes: ['read_invoices'],
    text: `List invoices in status "draft" and "needs_review" (list_invoices, each status by itself) and read those that look ready (get_invoice).
For each say who is billed, the total with tax, and whether the line items fit the job. Point out anything odd: missing line items, a total of zero, no one to bill.
Ask me which of them to propose with propose_invoice_approval; propose none by yourself.`,
  },
];

function canSee({ scopes }: Principal, prompt: PromptDefinition): boolean {
  return prompt.scopes.every((scope) => scopes.includes(scope));
}

export function listPrompts(key: Principal): Prompt[] {
  return PROMPTS.filter((prompt) => canSee(key, prompt)).map(({ name, title, description }) => ({
    name,
    title,
    description,
  }));
}

/** @throws {RpcError} -32602 if the prompt does not exist, or if the key may not see it */
export function getPrompt(key: Principal, name: string): GetPromptResult {
  const prompt = PROMPTS.find((candidate) => candidate.name === name && canSee(key, candidate));
  if (!prompt)
    throw new RpcError(
      ErrorCode.InvalidParams,
      'There is no such prompt. prompts/list shows the available prompts.',
    );
  const { description, text } = prompt;
  return { description, messages: [{ role: 'user', content: { type: 'text', text } }] };
}
