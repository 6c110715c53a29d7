import type { Command, CommandOutcome } from '../../contracts/command.js';
import { insertSyntheticDeliveries, type SyntheticDelivery } from '../../deliveries/insert-deliveries.js';
import { newId } from '../../platform/ids.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { WEBHOOKS_QUEUE } from '../../queues/webhooks.js';
import { diffNewRecord } from '../../records/changes.js';
import { notFoundOutcome } from '../../records/outcomes.js';
import { type RecordRef, refKey, toRecordRef } from '../../records/record-refs.js';
import type { EndpointTest } from '../webhook-deliveries/commands.js';
import { checkReceiver, findReceivers } from '../webhook-deliveries/receivers.js';
import { buildTestBody } from './test-body.js';

/**
 * Stores a test delivery for each endpoint, even if the endpoint does not subscribe to the event
 * type. The delivery log shows the test; the list of events does not.
 */
export async function testEndpoints(
  tx: Transaction,
  commands: Command<EndpointTest>[],
): Promise<CommandOutcome[]> {
  const refs = commands.map(({ tenantId, input }) => ({ tenant_id: tenantId, id: input.endpoint_id }));
  const receivers = await findReceivers(tx, refs);
  const now = new Date();
  const tests: SyntheticDelivery[] = [];
  const outcomes = commands.map((command, index): CommandOutcome => {
    const receiver = receivers.get(refKey(refs[index] as RecordRef));
    if (!receiver || receiver.is_deleted) return notFoundOutcome('endpoint');
    const refusal = checkReceiver(receiver);
    if (refusal) return refusal;
    const { endpoint_id, type: event_type } = command.input;
    const eventId = newId();
    const body = buildTestBody(event_type, { eventId, command, now });
    tests.push({ ...toRecordRef(command), endpoint_id, event_id: eventId, event_type, body });
    const changes = diffNewRecord({ endpoint_id, event_id: eventId, event_type });
    return { ok: true, changes, events: [], prompts: [{ queue: WEBHOOKS_QUEUE, id: endpoint_id }] };
  });
  await insertSyntheticDeliveries(tx, 'test', tests);
  return outcomes;
}
