import type { Command, CommandOutcome } from '../../../contracts/command.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import { notFoundOutcome } from '../../../records/outcomes.js';
import { refKey, toRecordRef } from '../../../records/record-refs.js';
import { recordWebhookArrivals } from '../../../sync/lease-connection-queues.js';
import { insertInboundNotices } from '../../../sync/notice-rows.js';
import { makeStreamsDue } from '../../../sync/stream-rows.js';
import type { ConnectionNotices } from '../commands.js';
import { CONNECTION_LABEL, findConnections, promptedOutcome } from '../connection-rows.js';

/**
 * Stores new items of webhooks. The worker then reads the record that an item names, or the whole
 * stream if the item names none. An item that is already stored has no effect.
 *
 * Locks no connection, and a queue only if it changes. With these locks, the webhooks of many
 * accounts would wait for each other and for the running steps of all these accounts.
 */
export async function receiveConnectionNotices(
  tx: Transaction,
  commands: Command<ConnectionNotices>[],
): Promise<CommandOutcome[]> {
  const existing = await findConnections(tx, commands.map(toRecordRef));
  const known = commands.filter((command) => existing.has(refKey(toRecordRef(command))));
  // Lock before the insert. Other handlers and workers lock the queue first too.
  const refs = known.map((command) => {
    const makesStreamDue = command.input.notices.some(({ hint }) => hint == null);
    return { ...toRecordRef(command), must_lock: makesStreamDue };
  });
  const [, added] = await Promise.all([
    recordWebhookArrivals(tx, refs),
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
