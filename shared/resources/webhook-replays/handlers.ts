import type { Command, CommandHandlers, CommandOutcome } from '../../contracts/command.js';
import type { WebhookReplayAction } from '../../contracts/generated.js';
import type { REPLAY_STATUSES } from '../../contracts/webhook-vocabulary.js';
import { cancelDeliveriesOfReplays } from '../../deliveries/cancel-deliveries.js';
import type { Row, Transaction } from '../../platform/postgres/database.js';
import { WEBHOOKS_QUEUE } from '../../queues/webhooks.js';
import { diffNewRecord } from '../../records/changes.js';
import { lockRecords, nextUpdatedAtSql } from '../../records/lock-records.js';
import { failedOutcome, notFoundOutcome } from '../../records/outcomes.js';
import { type RecordRef, recordsetSql, refKey, toRecordRef } from '../../records/record-refs.js';
import { invalidReferencesOutcome } from '../../records/references.js';
import { checkReceiver, findReceivers } from '../webhook-deliveries/receivers.js';
import type { ReplayKind } from './candidates.js';
import { MAX_RUNNING_REPLAYS } from './limits.js';
import type { PlannedReplay } from './plan.js';

type Creation = Command<{ plan: PlannedReplay }>;

/**
 * Returns the handler that starts replays or recoveries. The clock then creates their deliveries in
 * small portions.
 */
export function createReplays(kind: ReplayKind) {
  return async (tx: Transaction, commands: Creation[]): Promise<CommandOutcome[]> => {
    const receivers = await findReceivers(tx, commands.flatMap(listReceiverRefs));
    const running = await countRunning(tx, commands);
    const rows: object[] = [];
    const outcomes = commands.map((command): CommandOutcome => {
      const { plan } = command.input;
      for (const ref of listReceiverRefs(command)) {
        const receiver = receivers.get(refKey(ref));
        if (kind === 'recover' && (!receiver || receiver.is_deleted)) return notFoundOutcome('endpoint');
        if (!receiver) return buildUnknownEndpointError();
        const refusal = checkReceiver(receiver);
        if (refusal) return refusal;
      }
      const runningCount = running.get(command.tenantId) ?? 0;
      if (runningCount >= MAX_RUNNING_REPLAYS) return buildTooManyError();
      running.set(command.tenantId, runningCount + 1);
      rows.push({ ...toRecordRef(command), kind, ...plan });
      return { ok: true, changes: diffNewRecord({ kind, ...plan }), events: [] };
    });
    if (rows.length > 0) await insertReplays(tx, rows);
    return outcomes;
  };
}

function listReceiverRefs({ tenantId, input }: Creation): RecordRef[] {
  return input.plan.endpoint_id ? [{ tenant_id: tenantId, id: input.plan.endpoint_id }] : [];
}

function buildUnknownEndpointError(): CommandOutcome {
  const message = 'endpoint_id is not an endpoint of this account';
  return invalidReferencesOutcome([{ field: 'endpoint_id', code: 'unknown', message }]);
}

function buildTooManyError(): CommandOutcome {
  const message = `${MAX_RUNNING_REPLAYS} replays of this account are running already. Wait for one to complete, or cancel one.`;
  return failedOutcome({ code: 'conflict', message });
}

async function countRunning(tx: Transaction, commands: Creation[]): Promise<Map<string, number>> {
  const rows = await tx.query<{ tenant_id: string; running: number }>({
    name: 'count-running-replays',
    text: `select own.tenant_id, w.running from unnest($1::uuid[]) as own(tenant_id) cross join lateral (
             select count(*) as running from webhook_replays w where w.tenant_id = own.tenant_id and w.status = 'running') w`,
    values: [[...new Set(commands.map(({ tenantId }) => tenantId))]],
  });
  return new Map(rows.map(({ tenant_id, running }) => [tenant_id, running]));
}

const REPLAY_COLUMNS = 'tenant_id uuid, id uuid, kind text, endpoint_id uuid, filter jsonb, total integer';

async function insertReplays(tx: Transaction, rows: object[]): Promise<void> {
  await tx.query({
    name: 'insert-replays',
    text: `insert into webhook_replays (tenant_id, id, kind, endpoint_id, filter, total)
           select tenant_id, id, kind, endpoint_id, filter, total from ${recordsetSql(REPLAY_COLUMNS)}`,
    values: [JSON.stringify(rows)],
  });
}

interface ReplayRow extends Row, RecordRef {
  status: (typeof REPLAY_STATUSES)[number];
}

/**
 * Cancels replays and their open deliveries. A replay with nothing left to cancel stays unchanged.
 */
export async function cancelReplays(
  tx: Transaction,
  commands: Command<WebhookReplayAction>[],
): Promise<CommandOutcome[]> {
  const rows = await lockRecords<ReplayRow>(tx, 'webhook_replays', commands.map(toRecordRef));
  const affected = await cancelDeliveriesOfReplays(tx, [...rows.values()]);
  const cancelledReplays = new Set(affected.map(refKey));
  const stopped = [...rows.values()].filter(
    (row) => row.status === 'running' || (row.status === 'completed' && cancelledReplays.has(refKey(row))),
  );
  if (stopped.length > 0)
    await tx.query({
      name: 'cancel-replays',
      text: `update webhook_replays t set status = 'cancelled', completed_at = clock_timestamp(), updated_at = ${nextUpdatedAtSql('t')}
             from ${recordsetSql('tenant_id uuid, id uuid')} where t.tenant_id = r.tenant_id and t.id = r.id`,
      values: [JSON.stringify(stopped.map(({ tenant_id, id }) => ({ tenant_id, id })))],
    });
  return commands.map((command): CommandOutcome => {
    const row = rows.get(refKey(toRecordRef(command)));
    if (!row) return notFoundOutcome('replay');
    const changes = stopped.includes(row) ? [{ field: 'status', from: row.status, to: 'cancelled' }] : [];
    // Workers may have loaded some of these deliveries already. The wake-up jobs make the workers
    // check for cancelled deliveries.
    const prompts = affected
      .filter((one) => refKey(one) === refKey(row))
      .map((one) => ({ queue: WEBHOOKS_QUEUE, id: one.endpoint_id }));
    return { ok: true, changes, events: [], prompts };
  });
}

export const webhookReplayHandlers: CommandHandlers = {
  'webhook_replay.create': createReplays('replay'),
  'webhook_replay.recover': createReplays('recover'),
  'webhook_replay.cancel': cancelReplays,
};
