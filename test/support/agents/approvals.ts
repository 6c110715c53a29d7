import { expect } from 'chai';
import type { Json, TestClient, TestResponse } from '../client.js';
import { invoiceInput, lineItem } from '../records/samples.js';
import type { TestStack, TestTenant } from '../stack.js';

export const APPROVAL_THRESHOLD_CENTS = 100_000;

/**
 * Builds a body for POST /invoices with one line item of `cents`. `overrides` replaces members of
 * the body.
 */
export function buildDraft(cents: number, overrides: Record<string, unknown> = {}): Record<string, unknown> {
  return invoiceInput({ line_items: [lineItem({ unit_price_cents: cents })], ...overrides });
}

/**
 * Creates an API client with an agent key that may draft and read invoices and propose approvals.
 */
export async function createAgentClient(stack: TestStack, tenantId: string): Promise<TestClient> {
  const scopes = ['write_invoices_draft', 'read_invoices', 'propose_approvals'];
  return stack.createClient(await stack.createKey(tenantId, { kind: 'agent', scopes }));
}

/**
 * Sets the approval threshold: the amount in cents from which an agent's write is held. Null turns
 * the threshold off.
 */
export async function setApprovalThreshold(
  { client }: TestTenant,
  cents: number | null = APPROVAL_THRESHOLD_CENTS,
): Promise<void> {
  const set = await client.patch('/settings', { agent_gate_cents: cents });
  expect(set.status, set.text).to.equal(200);
}

/**
 * Sets the daily threshold of an agent key: its drafts of one day are held once their sum reaches
 * `cents`. Null turns this threshold off.
 */
export async function setAgentDayLimit({ client }: TestTenant, cents: number | null): Promise<void> {
  const set = await client.patch('/settings', { agent_day_cents: cents });
  expect(set.status, set.text).to.equal(200);
}

/** Asserts that a write was held, and returns the approval that the write waits for. */
export function expectHeld(response: TestResponse): Json {
  expect(response.status, response.text).to.equal(202);
  expect(response.body).to.have.all.keys('ok', 'pending_approval', 'approval');
  expect(response.body).to.include({ ok: true, pending_approval: true });
  expect(response.body.approval).to.include({ kind: 'agent_write', status: 'pending' });
  expect(response.headers.location).to.equal(`/v1/approvals/${response.body.approval.id}`);
  return response.body.approval;
}
