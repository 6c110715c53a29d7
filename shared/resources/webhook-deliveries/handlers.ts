import type { Command, CommandHandlers, CommandOutcome } from '../../contracts/command.js';
import type { WebhookDeliveryAction } from '../../contracts/generated.js';
import type { DELIVERY_STATUSES } from '../../contracts/webhook-vocabulary.js';
import { cancelDeliveriesById } from '../../deliveries/cancel-deliveries.js';
import { copyDeliveries, type DeliveryCopy } from '../../deliveries/insert-deliveries.js';
import type { Row, Transaction } from '../../platform/postgres/database.js';
import { WEBHOOKS_QUEUE } from '../../queues/webhooks.js';
import { diffNewRecord } from '../../records/changes.js';
import { lockRecords } from '../../records/lock-records.js';
import { failedOutcome, notFoundOutcome } from '../../records/outcomes.js';
import { indexByRef, type RecordRef, recordsetSql, refKey, toRecordRef } from '../../records/record-refs.js';
import type { DeliveryReplay } from './commands.js';
import { checkReceiver, findReceivers } from './receivers.js';

interface Original extends RecordRef {
  endpoint_id: string;
  event_id: string;
  event_type: string;
  /** True if the body to send still exists, in the delivery or in its event. */
  has_body: boolean;
}

/**
 * Stores a copy of each delivery, whatever its status, to send the event again. The webhook-id
 * stays the same.
 */
export async function replayDeliveries(
  tx: Transaction,
  commands: Command<DeliveryReplay>[],
): Promise<CommandOutcome[]> {
  const originals = await findOriginals(tx, commands.map(getOriginalRef));
  const receivers = await findReceivers(tx, [...originals.values()].map(getReceiverRef));
  const copies: DeliveryCopy[] = [];
  const outcomes = commands.map((command): CommandOutcome => {
    const original = originals.get(refKey(getOriginalRef(command)));
    if (!original) return notFoundOutcome('delivery');
    const refusal = checkReceiver(receivers.get(refKey(getReceiverRef(original))));
    if (refusal) return refusal;
    if (!original.has_body)
      return failedOutcome({
        code: 'conflict',
        message: 'The event is no longer kept: there is nothing to send.',
      });
    copies.push({ ...toRecordRef(command), replay_of: original.id });
    const { endpoint_id, event_id } = original;
    const changes = diffNewRecord({ endpoint_id, event_id, replay_of: original.id });
    return { ok: true, changes, events: [], prompts: [{ queue: WEBHOOKS_QUEUE, id: endpoint_id }] };
  });
  await copyDeliveries(tx, copies);
  return outcomes;
}

function getOriginalRef({ tenantId, input }: Command<DeliveryReplay>): RecordRef {
  return { tenant_id: tenantId, id: input.replay_of };
}

function getReceiverRef({ tenant_id, endpoint_id }: { tenant_id: string; endpoint_id: string }): RecordRef {
  return { tenant_id, id: endpoint_id };
}

async function findOriginals(tx: Transaction, refs: RecordRef[]): Promise<Map<string, Original>> {
  const rows = await tx.query<Original>({
    name: 'find-replayed',
    text: `select d.tenant_id, d.id, d.endpoint_id, d.event_id, d.event_type, d.body is not null or exists (
             select from events e where e.tenant_id = d.tenant_id and e.id = d.event_id) as has_body
           from ${recordsetSql('tenant_id uuid, id uuid')} join webhook_deliveries d on d.tenant_id = r.tenant_id and d.id = r.id`,
    values: [JSON.stringify(refs)],
  });
  return indexByRef(rows);
}

interface DeliveryRow extends Row, RecordRef {
  endpoint_id: string;
  status: (typeof DELIVERY_STATUSES)[number];
}

/** Cancels deliveries that have not ended. A request that is already in flight continues. */
export async function cancelDeliveries(
  tx: Transaction,
  commands: Command<WebhookDeliveryAction>[],
): Promise<CommandOutcome[]> {
  const rows = await lockRecords<DeliveryRow>(tx, 'webhook_deliveries', commands.map(toRecordRef));
  const cancelled: RecordRef[] = [];
  const outcomes = commands.map((command): CommandOutcome => {
    const row = rows.get(refKey(toRecordRef(command)));
    if (!row) return notFoundOutcome('delivery');
    const { status } = row;
    if (status === 'cancelled') return { ok: true, changes: [], events: [] };
    if (status === 'succeeded' || status === 'exhausted') return refuseToCancel(status);
    cancelled.push(toRecordRef(command));
    const changes = [{ field: 'status', from: status, to: 'cancelled' }];
    // A worker may have loaded this delivery already. The wake-up job makes the worker check for
    // cancelled deliveries.
    return { ok: true, changes, events: [], prompts: [{ queue: WEBHOOKS_QUEUE, id: row.endpoint_id }] };
  });
  await cancelDeliveriesById(tx, cancelled);
  return outcomes;
}

function refuseToCancel(status: string): CommandOutcome {
  return failedOutcome({
    code: 'invalid_status_transition',
    message: `The delivery is ${status}: it has ended and cannot be cancelled.`,
    details: [{ field: 'status', from: status, to: 'cancelled', allowed: [] }],
  });
}

export const webhookDeliveryHandlers: CommandHandlers = {
  'webhook_delivery.replay': replayDeliveries,
  'webhook_delivery.cancel': cancelDeliveries,
};
