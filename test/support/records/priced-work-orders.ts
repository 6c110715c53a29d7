import { expect } from 'chai';
import type { TestClient, TestResponse } from '../client.js';
import { createWorkOrderAfter } from './lifecycle-records.js';

/** Builds a rate card item that the API accepts. */
export function buildRateCardItem(overrides: Record<string, unknown> = {}): Record<string, unknown> {
  return { category: 'hook_up', unit_type: 'flat', unit_price_cents: 7500, taxable: true, ...overrides };
}

export const MILEAGE_ITEM = buildRateCardItem({
  category: 'mileage',
  unit_type: 'mile',
  unit_price_cents: 450,
  included_quantity: 5,
});
export const STORAGE_ITEM = buildRateCardItem({
  name: 'Storage',
  category: 'storage',
  unit_type: 'day',
  unit_price_cents: 4500,
  taxable: false,
});

let serial = 0;

/** Creates a rate card that has been in force since 2020, with a new name. */
export async function makeRateCard(
  client: TestClient,
  overrides: Record<string, unknown> = {},
): Promise<TestResponse['body']> {
  serial += 1;
  const body = {
    name: `Card ${serial}`,
    effective_from: '2020-01-01',
    items: [buildRateCardItem(), MILEAGE_ITEM],
    ...overrides,
  };
  const response = await client.post('/rate-cards', body);
  expect(response.status, response.text).to.equal(201);
  return response.body;
}

export async function createCompletedWorkOrder(
  client: TestClient,
  { facts = {}, ...complete }: Record<string, unknown> & { facts?: Record<string, unknown> } = {},
): Promise<string> {
  const id = await createWorkOrderAfter(client, ['assign', 'start']);
  const patched = await client.patch(`/work-orders/${id}`, facts);
  expect(patched.status, patched.text).to.equal(200);
  const done = await client.post(`/work-orders/${id}/complete`, { miles: 12.5, ...complete });
  expect(done.status, done.text).to.equal(200);
  return id;
}
