import { notFound } from '../../shared/platform/errors.js';
import { readRecord as readRecordJson } from '../../shared/records/render-records.js';
import { getResourceTable } from '../../shared/registry/tables.js';
import { readAgentWorkOrder } from '../../shared/resources/work-orders/queries.js';
import type { Caller } from '../context/caller.js';
import type { McpRuntime } from '../context/runtime.js';

/**
 * Reads a record of the caller's tenant.
 * @throws {AppError} 404 for an unknown id and for an id of another tenant
 */
export async function readRecord(
  { db }: McpRuntime,
  { key: { tenantId } }: Caller,
  { entityType, id }: { entityType: 'invoice' | 'customer'; id: string },
): Promise<string> {
  const body = await readRecordJson(db, getResourceTable(entityType), { tenant_id: tenantId, id });
  if (body === undefined) throw notFound(entityType);
  return body;
}

/**
 * Reads a work order in the form for agents, in which the status is `new` until an operator accepts
 * the work order.
 * @throws {AppError} 404 for an unknown id and for an id of another tenant
 */
export async function readWorkOrder(
  { db }: McpRuntime,
  { key: { tenantId } }: Caller,
  id: string,
): Promise<string> {
  const [row] = await db.read<{ body: string }>(tenantId, readAgentWorkOrder(tenantId, id));
  if (!row) throw notFound('work order');
  return row.body;
}
