import { idTimeSql } from '../platform/id-times.js';
import type { Transaction } from '../platform/postgres/database.js';
import { type RecordRef, recordsetSql } from '../records/record-refs.js';
import { deliveryIdSql } from './delivery-ids.js';

/** A delivery whose event is not stored, such as a test. The delivery has its own body instead. */
export interface SyntheticDelivery extends RecordRef {
  endpoint_id: string;
  event_id: string;
  event_type: string;
  body: string;
}

export async function insertSyntheticDeliveries(
  tx: Transaction,
  trigger: 'test' | 'probe',
  deliveries: readonly SyntheticDelivery[],
): Promise<void> {
  if (deliveries.length === 0) return;
  await tx.query({
    name: `insert-${trigger}-deliveries`,
    text: `insert into webhook_deliveries (tenant_id, id, endpoint_id, event_id, event_type, trigger, body, created_at)
           select tenant_id, id, endpoint_id, event_id, event_type, '${trigger}', body, ${idTimeSql('id')}
           from ${recordsetSql('tenant_id uuid, id uuid, endpoint_id uuid, event_id uuid, event_type text, body text')}`,
    values: [JSON.stringify(deliveries)],
  });
}

export interface DeliveryCopy extends RecordRef {
  /** The id of the earlier delivery, whose event is delivered again. */
  replay_of: string;
}

export async function copyDeliveries(tx: Transaction, copies: readonly DeliveryCopy[]): Promise<void> {
  if (copies.length === 0) return;
  await tx.query({
    name: 'copy-deliveries',
    text: `insert into webhook_deliveries (tenant_id, id, endpoint_id, event_id, event_type, trigger, replay_of, body, created_at)
           select r.tenant_id, r.id, d.endpoint_id, d.event_id, d.event_type, 'replay', d.id, d.body, ${idTimeSql('r.id')}
           from ${recordsetSql('tenant_id uuid, id uuid, replay_of uuid')}
           join webhook_deliveries d on d.tenant_id = r.tenant_id and d.id = r.replay_of`,
    values: [JSON.stringify(copies)],
  });
}

/**
 * The deliveries that a replay or recovery inserts at one endpoint. All members except `kind` are
 * SQL.
 */
interface ReplayDeliveries {
  kind: 'replay' | 'recover';
  tenantId: string;
  endpointId: string;
  replayId: string;
  /**
   * The name of a common table expression with the columns id, event_id, event_type and is_match.
   */
  candidates: string;
}

/**
 * Builds SQL that inserts one delivery per candidate with `is_match`, unless the delivery exists
 * already. The SQL returns the ids of the inserted deliveries.
 */
export function insertReplayDeliveriesSql({
  kind,
  tenantId,
  endpointId,
  replayId,
  candidates,
}: ReplayDeliveries): string {
  const id = deliveryIdSql(replayId, replayId, 'c.event_id', endpointId);
  return `
      insert into webhook_deliveries (tenant_id, id, endpoint_id, event_id, event_type, trigger, replay_id, replay_of, priority, created_at)
      select ${tenantId}, ${id}, ${endpointId}, c.event_id, c.event_type, '${kind}',
        ${replayId}, ${kind === 'replay' ? 'c.id' : 'null'}, 1, ${idTimeSql(replayId)}
      from ${candidates} c where c.is_match order by c.id
      on conflict (tenant_id, id) do nothing returning id`;
}
