import type { Database } from '../../shared/platform/postgres/database.js';
import { readRecord } from '../../shared/records/render-records.js';
import type { ResourceTable } from '../../shared/records/resource-table.js';
import type { ApiMiddleware } from './context.js';
import type { ApiRuntime } from './runtime.js';

/** Maximum time that a response waits until the vendor has opened the page. */
const MAX_WAIT_MS = 10_000;
const FIRST_POLL_MS = 30;
const MAX_POLL_MS = 400;
/**
 * Maximum number of an account's responses that wait in this process. Further responses do not
 * wait.
 */
const MAX_WAITING = 5;

/** Counts the waiting responses of each account. */
const waiting = new Map<string, number>();

/**
 * Waits until the vendor has opened or refused the record's page, or until the time is over. The
 * record has the status `opening` until then.
 * @returns the record's JSON text; undefined if the record does not exist
 */
export async function waitForOpening(
  db: Database,
  table: ResourceTable,
  ref: { tenant_id: string; id: string },
): Promise<string | undefined> {
  const { tenant_id: tenantId } = ref;
  const taken = waiting.get(tenantId) ?? 0;
  if (taken >= MAX_WAITING) return readRecord(db, table, ref);
  waiting.set(tenantId, taken + 1);
  try {
    return await poll(db, table, ref);
  } finally {
    const left = (waiting.get(tenantId) ?? 1) - 1;
    if (left > 0) waiting.set(tenantId, left);
    else waiting.delete(tenantId);
  }
}

async function poll(
  db: Database,
  table: ResourceTable,
  ref: { tenant_id: string; id: string },
): Promise<string | undefined> {
  const deadline = performance.now() + MAX_WAIT_MS;
  for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(pollMs * 1.5, MAX_POLL_MS)) {
    const body = await readRecord(db, table, ref);
    const { status } = JSON.parse(body ?? '{}') as { status?: string };
    if (status !== 'opening' || performance.now() + pollMs > deadline) return body;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

/** Delays the response with a new record until the record's page is open. */
export function awaitOpening(api: ApiRuntime, table: ResourceTable): ApiMiddleware {
  return async (ctx, next) => {
    await next();
    if (ctx.status !== 201 || typeof ctx.body !== 'string' || ctx.response.get('X-Service-Dry-Run')) return;
    const { id } = JSON.parse(ctx.body) as { id?: string };
    if (id === undefined) return;
    const ref = { tenant_id: ctx.state.key.tenantId, id };
    ctx.body = (await waitForOpening(api.db, table, ref)) ?? ctx.body;
  };
}
