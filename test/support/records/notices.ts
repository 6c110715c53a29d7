import { newId } from '../../../shared/platform/ids.js';
import type { TestStack } from '../stack.js';

/** Inserts a notice by SQL, as a handler would, and returns the notice's id. */
export async function insertNotice(
  stack: TestStack,
  tenantId: string,
  { kind = 'endpoint_disabled', title = 'A webhook endpoint was disabled' } = {},
): Promise<string> {
  const id = newId();
  await stack.rows(
    tenantId,
    `insert into notices (tenant_id, id, kind, title, text, entity_type, entity_id) values ($1, $2, $3, $4, 'Fix it.', 'webhook_endpoint', $5)`,
    [tenantId, id, kind, title, newId()],
  );
  return id;
}
