import type { Transaction } from '../platform/postgres/database.js';
import { type RecordRef, recordsetSql } from '../records/record-refs.js';

export async function insertEndpointQueues(tx: Transaction, endpoints: readonly RecordRef[]): Promise<void> {
  await tx.query({
    name: 'insert-webhook-lanes',
    text: `insert into webhook_lanes (tenant_id, endpoint_id) select tenant_id, id from ${recordsetSql('tenant_id uuid, id uuid')}`,
    values: [JSON.stringify(endpoints.map(({ tenant_id, id }) => ({ tenant_id, id })))],
  });
}
