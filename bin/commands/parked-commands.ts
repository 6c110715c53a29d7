import { unparkCommand } from '../../shared/operations/command-attempts.js';
import { isUuid } from '../../shared/platform/ids.js';
import type { Transaction } from '../../shared/platform/postgres/database.js';
import { isInSessionTenants } from '../../shared/records/session-tenants.js';
import { recordOperatorAction } from '../cli/audit-entry.js';
import type { RunCommand } from '../cli/command.js';
import { CliError, EXIT, notFoundError, usageError } from '../cli/exit-codes.js';
import { renderTable } from '../cli/output.js';
import { readAcrossTenants } from '../cli/store.js';
import { findNamedTenant } from './tenants.js';

interface ParkedRow extends Record<string, unknown> {
  parked_at: Date;
}

// The query leaves out the command's input, because the input may contain a customer's data.
const PARKED = `select command_id, tenant_id, command->>'type' as type, command->>'entityId' as entity_id, command->>'requestId' as request_id,
  attempts, first_attempt_at, last_attempt_at, parked_at from command_attempts a where ${isInSessionTenants('a')} and parked_at is not null`;

/**
 * `tow commands parked`: lists commands that killed their worker too often
 * (shared/operations/command-attempts.ts), newest first.
 */
export const listParkedCommands: RunCommand = async (_args, { store }) => {
  const { db } = await store();
  const items = await readAcrossTenants<ParkedRow>(db, PARKED);
  items.sort((a, b) => b.parked_at.getTime() - a.parked_at.getTime());
  return {
    data: { items, count: items.length },
    text: renderTable(items, ['command_id', 'tenant_id', 'type', 'entity_id', 'attempts', 'parked_at']),
  };
};

/**
 * `tow commands replay`: releases a parked command. The clock then submits the command within
 * seconds. A second run of `tow commands replay` does no harm, because a command acts only once.
 */
export const replayParkedCommand: RunCommand = async (args, { store }) => {
  const id = String(args.positionals[0]).toLowerCase();
  if (!isUuid(id))
    throw usageError('COMMAND_ID must be the id of a command; `tow commands parked` shows them.');
  const { db } = await store();
  const tenant = await findNamedTenant(db, args);
  await db.transaction([tenant.id], async (tx) => {
    await assertReplayable(tx, tenant.id, id);
    await unparkCommand(tx, tenant.id, id);
    recordOperatorAction(tx, {
      tenantId: tenant.id,
      action: 'command.replayed',
      entityType: 'command',
      entityId: id,
    });
  });
  return {
    data: { command_id: id, tenant_id: tenant.id, status: 'queued' },
    text: `Command ${id} is queued; the clock submits it within seconds.`,
  };
};

interface AttemptRow {
  parked: boolean;
  done: boolean;
}

async function assertReplayable(tx: Transaction, tenantId: string, id: string): Promise<void> {
  const [row] = await tx.query<AttemptRow>({
    // A retry with the same Idempotency-Key may have made the write under another command id. The
    // parked command then counts as done too.
    text: `select a.parked_at is not null as parked,
                  exists (select from audit_entries e where e.tenant_id = a.tenant_id and e.id = a.command_id)
                  or exists (select from idempotency_keys k
                             where k.tenant_id = a.tenant_id and k.key = (a.command #>> '{idempotency,key}')::uuid) as done
           from command_attempts a where a.tenant_id = $1 and a.command_id = $2 for update of a`,
    values: [tenantId, id],
  });
  if (!row) throw notFoundError('parked command of this tenant');
  if (row.done) throw refused('already_done', 'This command has already run; there is nothing to replay.');
  if (!row.parked) throw refused('not_parked', 'This command is not parked: its worker is still trying.');
}

function refused(code: string, message: string): CliError {
  return new CliError(code, message, EXIT.failed);
}
