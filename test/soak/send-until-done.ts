import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Json, TestClient, TestResponse } from '../support/client.js';

const RETRY_MS = 200;
const TIMEOUT_MS = 120_000;
const RETRIED = [202, 429, 503];

/**
 * Sends a write until the product answers it with one of the statuses.
 * @param headers by default an idempotency key, so that the write acts once
 * @throws if the product refuses it, or answers nothing else within two minutes
 */
export async function sendUntilDone(
  client: TestClient,
  path: string,
  body: object,
  done: readonly number[],
  headers: Record<string, string> = { 'idempotency-key': randomUUID() },
): Promise<Json> {
  const deadline = Date.now() + TIMEOUT_MS;
  let last: unknown;
  while (Date.now() < deadline) {
    const response = await client.post(path, body, { headers }).catch((error: unknown) => {
      last = error;
    });
    if (response && done.includes(response.status) && !isOperation(response)) return response.body;
    if (response && !isRetried(response)) throw new Error(`${path}: ${response.status} ${response.text}`);
    if (response) last = response.text;
    await sleep(RETRY_MS);
  }
  throw new Error(`${path} has no outcome after ${TIMEOUT_MS} ms: ${String(last)}`);
}

/** A write that is stored and not yet committed has the status 202, as a new export has. */
function isOperation({ body }: TestResponse): boolean {
  return body?.data?.operation_id !== undefined;
}

function isRetried({ status, body }: TestResponse): boolean {
  return RETRIED.includes(status) || body?.error?.code === 'idempotency_in_progress';
}
