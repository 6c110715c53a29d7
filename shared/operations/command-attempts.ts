import type { Command } from '../contracts/command.js';
import type { Database, Transaction } from '../platform/postgres/database.js';
import { type ExpiryRule, RETENTION } from '../records/expiry.js';

/**
 * A command is parked (set aside) once its worker has died in this many attempts to run the
 * command.
 */
const MAX_ATTEMPTS = 3;

/**
 * Counts an attempt to run the command. Commits before the attempt starts, so that the count
 * survives if the command kills the process.
 * @returns false if the command is parked and must not run. `tow commands parked` lists parked
 *   commands; `tow commands replay` runs them again
 */
export async function countAttempt(db: Database, command: Command): Promise<boolean> {
  return db.transaction([command.tenantId], async (tx) => {
    const [row] = await tx.query<{ parked: boolean }>({
      name: 'count-attempt',
      text: `insert into command_attempts as a (tenant_id, command_id, command) values ($1, $2, $3)
             on conflict (tenant_id, command_id) do update
               set attempts = a.attempts + 1, last_attempt_at = now(),
                   parked_at = coalesce(a.parked_at, case when a.attempts >= ${MAX_ATTEMPTS} then now() end)
             returning parked_at is not null as parked`,
      values: [command.tenantId, command.id, JSON.stringify(command)],
    });
    return row?.parked !== true;
  });
}

export async function deleteAttempts(db: Database, command: Command): Promise<void> {
  await db.transaction([command.tenantId], async (tx) =>
    tx.queryAtCommit({
      name: 'forget-attempts',
      text: 'delete from command_attempts where tenant_id = $1 and command_id = $2',
      values: [command.tenantId, command.id],
    }),
  );
}

/**
 * Sorts commands by their number of attempts, fewest first. Harmless commands then finish before a
 * command that kills its worker.
 */
export async function sortByAttempts(db: Database, commands: Command[]): Promise<Command[]> {
  const tenants = [...new Set(commands.map((command) => command.tenantId))];
  const rows = await db.runAndRollBack(tenants, (tx) =>
    tx.query<{ command_id: string; attempts: number }>({
      text: 'select command_id, attempts from command_attempts where tenant_id = any($1::uuid[]) and command_id = any($2::uuid[])',
      values: [tenants, commands.map((command) => command.id)],
    }),
  );
  const attempts = new Map(rows.map((row) => [row.command_id, row.attempts]));
  return [...commands].sort((a, b) => (attempts.get(a.id) ?? 0) - (attempts.get(b.id) ?? 0));
}

/**
 * Makes a parked command run again: resets its attempts and stores it as a pending operation.
 * `created_at` becomes the current time, so that GET /operations shows the operation for another 24
 * hours.
 */
export async function unparkCommand(tx: Transaction, tenantId: string, id: string): Promise<void> {
  const values = [tenantId, id];
  await tx.query({
    text: `insert into operations (tenant_id, id, command, lease_until, created_at)
           select tenant_id, command_id, command, now(), now() from command_attempts where tenant_id = $1 and command_id = $2
           on conflict (tenant_id, id) do update set lease_until = excluded.lease_until, created_at = excluded.created_at`,
    values,
  });
  await tx.query({
    text: 'update command_attempts set attempts = 0, parked_at = null where tenant_id = $1 and command_id = $2',
    values,
  });
}

/**
 * Expires the attempts of commands that ran, or that were lost when Redis lost its data. Parked
 * commands are kept.
 */
export const EXPIRED_COMMAND_ATTEMPTS: ExpiryRule = {
  table: 'command_attempts',
  condition: `o.parked_at is null and o.last_attempt_at < now() - ${RETENTION}`,
};
