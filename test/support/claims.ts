import { expect } from 'chai';
import type { TestClient } from './client.js';
import { invoiceAfter } from './lifecycle-records.js';

/** A claim on a new invoice that went through these actions; resolves with the claim. */
export async function claimAfter(
  client: TestClient,
  actions: readonly string[] = [],
  { invoice, ...overrides }: Record<string, unknown> = {},
): Promise<{ id: string; invoice_id: string }> {
  const invoiceId = await invoiceAfter(client, ['approve'], invoice as Record<string, unknown>);
  const made = await client.post('/claims', {
    invoice_id: invoiceId,
    club: 'Interstate Motor Club',
    ...overrides,
  });
  expect(made.status, made.text).to.equal(201);
  for (const action of actions) {
    const [path, outcome] = action.split(':');
    const body = outcome ? { outcome, code: 'not_covered', amount_cents: 4_000 } : { reason: 'test' };
    const done = await client.post(`/claims/${made.body.id}/${path}`, body);
    expect(done.status, done.text).to.equal(200);
  }
  return made.body;
}
