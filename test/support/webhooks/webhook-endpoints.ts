import { expect } from 'chai';
import type { TestClient, TestResponse } from '../client.js';
import { endpointInput } from '../records/samples.js';

/**
 * Creates an endpoint by POST /webhook-endpoints. Returns the endpoint's record without its secret.
 */
export async function createEndpoint(
  client: TestClient,
  input: Record<string, unknown> = {},
): Promise<TestResponse['body']> {
  const response = await client.post('/webhook-endpoints', endpointInput(input));
  expect(response.status, response.text).to.equal(201);
  const { secret: _secret, ...record } = response.body;
  return record;
}
