import type { CommandOutcome } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { failedOutcome } from '../../records/outcomes.js';
import { indexByRef, type RecordRef, recordsetSql } from '../../records/record-refs.js';

export interface Receiver extends RecordRef {
  enabled: boolean;
  is_deleted: boolean;
}

/** Returns the endpoints, including deleted ones, by {@link refKey}. */
export async function findReceivers(tx: Transaction, refs: RecordRef[]): Promise<Map<string, Receiver>> {
  if (refs.length === 0) return new Map();
  const rows = await tx.query<Receiver>({
    name: 'find-receivers',
    text: `select e.tenant_id, e.id, e.enabled, e.deleted_at is not null as is_deleted
           from ${recordsetSql('tenant_id uuid, id uuid')} join webhook_endpoints e on e.tenant_id = r.tenant_id and e.id = r.id`,
    values: [JSON.stringify(refs)],
  });
  return indexByRef(rows);
}

/**
 * Returns an error if the endpoint cannot receive deliveries. If the endpoint is disabled after
 * this check, the worker cancels the delivery.
 */
export function checkReceiver(receiver: Receiver | undefined): CommandOutcome | undefined {
  if (receiver?.enabled && !receiver.is_deleted) return undefined;
  const message =
    !receiver || receiver.is_deleted
      ? 'The endpoint is deleted: nothing can be delivered to it.'
      : 'The endpoint is disabled. Enable it first, then deliver.';
  return failedOutcome({
    code: 'conflict',
    message,
    details: [{ field: 'endpoint_id', code: 'closed', message }],
  });
}
