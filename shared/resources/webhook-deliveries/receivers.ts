import type { Outcome } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres.js';
import { byRef, failed, type RecordRef, recordset } from '../sets.js';

/** An endpoint as far as what may be sent there depends on it. */
export interface Receiver extends RecordRef {
  enabled: boolean;
  is_deleted: boolean;
}

/** The endpoints of these ids that there are, by reference; deleted ones too. */
export async function findReceivers(tx: Transaction, refs: RecordRef[]): Promise<Map<string, Receiver>> {
  if (refs.length === 0) return new Map();
  const rows = await tx.query<Receiver>({
    name: 'find-receivers',
    text: `select e.tenant_id, e.id, e.enabled, e.deleted_at is not null as is_deleted
           from ${recordset('tenant_id uuid, id uuid')} join webhook_endpoints e on e.tenant_id = r.tenant_id and e.id = r.id`,
    values: [JSON.stringify(refs)],
  });
  return byRef(rows);
}

/** Why nothing new may be sent to an endpoint; undefined: it may. Should it be disabled at this moment, its worker cancels what comes. */
export function refusalOf(receiver: Receiver | undefined): Outcome | undefined {
  if (receiver?.enabled && !receiver.is_deleted) return undefined;
  const message =
    !receiver || receiver.is_deleted
      ? 'The endpoint is deleted: nothing can be delivered to it.'
      : 'The endpoint is disabled. Enable it first, then deliver.';
  return failed({ code: 'conflict', message, details: [{ field: 'endpoint_id', code: 'closed', message }] });
}
