import { openIntegrationsQueue, wakeConnectionQueues } from '../../../../shared/queues/integrations.js';
import { IS_NEXT_OF_RECORD_SQL } from '../../../../shared/sync/operation-rows.js';
import { eventually } from '../../poll.js';
import type { TestStack, TestTenant } from '../../stack.js';

/** A connection whose clock a test moves. */
export interface TimedConnection {
  stack: TestStack;
  tenant: TestTenant;
  connectionId: string;
}

/** The times until which work of a connection waits, by the table. */
const TIMES = {
  outbound_operations: ['next_at'],
  sync_states: ['next_at'],
  inbound_notices: ['due_at'],
  connection_queues: ['open_until', 'throttled_until'],
} as const;

const PAUSE_END = "greatest(q.open_until, q.throttled_until, '-infinity')";

/** Work that a worker would do now, or does now. A paused connection does nothing. */
const BUSY = `select from connection_queues q where q.tenant_id = $1 and (
  exists (select from outbound_operations o where o.tenant_id = q.tenant_id and o.connection_id = q.connection_id
    and (o.state = 'doing' or o.next_at <= now() and ${PAUSE_END} <= now()) and ${IS_NEXT_OF_RECORD_SQL})
  or exists (select from sync_states s where s.tenant_id = q.tenant_id and s.connection_id = q.connection_id
    and s.next_at <= now() and ${PAUSE_END} <= now())
  or exists (select from inbound_notices n where n.tenant_id = q.tenant_id and n.connection_id = q.connection_id
    and n.is_waiting and n.due_at <= now() and ${PAUSE_END} <= now()))`;

/**
 * Lets time pass for the work of an account's connections: moves all times until which the work
 * waits, instead of waiting. Then waits until the workers have done what is due.
 */
export async function passMinutes(connection: TimedConnection, minutes: number): Promise<void> {
  const { stack, tenant, connectionId } = connection;
  for (const [table, columns] of Object.entries(TIMES)) {
    const moves = columns.map((column) => `${column} = ${column} - make_interval(mins => $2)`);
    const text = `update ${table} set ${moves.join(', ')} where tenant_id = $1`;
    await stack.rows(tenant.id, text, [tenant.id, minutes]);
  }
  const queue = openIntegrationsQueue(stack.runtime);
  await wakeConnectionQueues(queue, [{ tenantId: tenant.id, connectionId }]);
  await eventually('nothing is due', async () => {
    const busy = await stack.rows(tenant.id, BUSY, [tenant.id]);
    return busy.length === 0;
  });
}
