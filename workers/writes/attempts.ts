import type { Command } from '../../shared/contracts/command.js';
import type { Database } from '../../shared/platform/postgres/database.js';

/** A command is parked after its worker has died in this many attempts. */
const MAX_ATTEMPTS = 3;

/**
 * Counts an attempt of one command before it starts, in a separate transaction, so that the count
 * survives if the command kills the process.
 * @returns false when the command has killed its worker too often and is parked. `tow commands
 * parked` lists it; `tow commands replay` runs it again
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

/** Deletes the attempts of a command that has finished. */
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
 * Sorts the commands with the fewest attempts first. The other commands of a job then finish before
 * its poison command runs again.
 */
export async function sortByAttempts(db: Database, commands: Command[]): Promise<Command[]> {
  const tenants = [...new Set(commands.map((command) => command.tenantId))];
  const rows = await db.transaction(tenants, (tx) =>
    tx.query<{ command_id: string; attempts: number }>({
      text: 'select command_id, attempts from command_attempts where tenant_id = any($1::uuid[]) and command_id = any($2::uuid[])',
      values: [tenants, commands.map((command) => command.id)],
    }),
  );
  const attempts = new Map(rows.map((row) => [row.command_id, row.attempts]));
  return [...commands].sort((a, b) => (attempts.get(a.id) ?? 0) - (attempts.get(b.id) ?? 0));
}
