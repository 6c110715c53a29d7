import type { Command, CommandOutcome } from '../../../contracts/command.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import { notFoundOutcome } from '../../../records/outcomes.js';
import { refKey, toRecordRef } from '../../../records/record-refs.js';
import { recordWebhookArrivals } from '../../../sync/lease-connection-queues.js';
import { insertInboundNotices } from '../../../sync/notice-rows.js';
import { makeStreamsDue } from '../../../sync/stream-rows.js';
import type { ConnectionNotices } from '../commands.js';
import { CONNECTION_LABEL, findConnections, lockConnections, promptedOutcome } from '../connection-rows.js';

/**
 * Stores new items of webhooks. The worker then reads the record that an item names, or the whole
 * stream if the item names none. An item that is already stored has no effect.
 *
 * Locks a connection only if it makes a stream due. With locks, the webhooks of many accounts would
 * wait for each other and for the running steps of all these accounts.
 */
export async function receiveConnectionNotices(
  tx: Transaction,
  commands: Command<ConnectionNotices>[],
): Promise<CommandOutcome[]> {
  const existing = await findConnections(tx, commands.map(toRecordRef));
  const known = commands.filter((command) => existing.has(refKey(toRecordRef(command))));
  const mayMakeStreamDue = ({ input }: Command<ConnectionNotices>) =>
    input.notices.some(({ hint }) => hint == null);
  const locking = known.filter(mayMakeStreamDue);
  if (locking.length > 0) await lockConnections(tx, locking);
  const [, added] = await Promise.all([
    recordWebhookArrivals(tx, known.map(toRecordRef)),
    insertInboundNotices(
      tx,
      known.flatMap(({ tenantId: tenant_id, entityId: connection_id, input }) =>
        input.notices.map((notice) => ({ tenant_id, connection_id, ...notice })),
      ),
    ),
  ]);
  // If an item names its record, the worker reads only that record. Otherwise the whole stream is
  // due.
  const due = added.flatMap(({ tenant_id, connection_id: id, stream, hint }) =>
    hint == null ? [{ tenant_id, id, stream }] : [],
  );
  const woken = new Set(added.map(({ connection_id }) => connection_id));
  await makeStreamsDue(tx, due);
  return commands.map((command) => {
    if (!known.includes(command)) return notFoundOutcome(CONNECTION_LABEL);
    return woken.has(command.entityId) ? promptedOutcome(command) : { ok: true, changes: [], events: [] };
  });
}
