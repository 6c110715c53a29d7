import { notFound } from '../../shared/platform/errors.js';
import { readStatement } from '../../shared/resources/sets.js';
import { readAgentWorkOrder } from '../../shared/resources/work-orders/queries.js';
import type { Caller } from '../caller.js';
import type { McpRuntime } from '../runtime.js';

/** One record of the caller's tenant. @throws {AppError} 404 for an unknown or foreign id */
export async function readRecord(
  { db }: McpRuntime,
  { key: { tenantId } }: Caller,
  { entityType, what, id }: { entityType: string; what: string; id: string },
): Promise<string> {
  const [row] = await db.read<{ body: string }>(
    tenantId,
    readStatement(entityType, { tenant_id: tenantId, id }),
  );
  if (!row) throw notFound(what);
  return row.body;
}

/** A job as agents see it: `new` until somebody has accepted it. @throws {AppError} 404 for an unknown or foreign id */
export async function readJob(
  { db }: McpRuntime,
  { key: { tenantId } }: Caller,
  id: string,
): Promise<string> {
  const [row] = await db.read<{ body: string }>(tenantId, readAgentWorkOrder(tenantId, id));
  if (!row) throw notFound('work order');
  return row.body;
}
