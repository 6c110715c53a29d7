import { expect } from 'chai';
import type { TestClient, TestResponse } from '../client.js';
import type { TestStack } from '../stack.js';

/** A truck with this defect must not drive. */
export const FATAL_DEFECT = { component: 'Winch cable', severity: 'out_of_service' };

export async function createRecord(
  client: TestClient,
  path: string,
  body: unknown,
): Promise<TestResponse['body']> {
  const response = await client.post(path, body);
  expect(response.status, response.text).to.equal(201);
  return response.body;
}

/** Creates a pre-trip inspection unless the body names another kind. */
export function createInspection(
  client: TestClient,
  body: Record<string, unknown> = {},
): Promise<TestResponse['body']> {
  return createRecord(client, '/inspections', { kind: 'pre_trip', ...body });
}

/** Returns an inspection's column `blocks_dispatch`, which the dispatch of a truck checks. */
export async function blocksDispatch(stack: TestStack, tenantId: string, id: string): Promise<boolean> {
  const text = 'select blocks_dispatch from inspections where tenant_id = $1 and id = $2';
  const [row] = await stack.rows<{ blocks_dispatch: boolean }>(tenantId, text, [tenantId, id]);
  return row?.blocks_dispatch ?? false;
}
