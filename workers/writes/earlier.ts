import type { Command, CommandResult } from '../../shared/contracts/command.js';
import { AppError, type ErrorBody } from '../../shared/platform/errors.js';
import type { Transaction } from '../../shared/platform/postgres.js';
import { type DoneRow, doneResult } from '../../shared/resources/operations/done.js';
import { recordset } from '../../shared/resources/sets.js';

interface EarlierRow extends DoneRow {
  done: boolean;
  kept: boolean;
  key_expired: boolean;
  method: string;
  path: string;
  body_hash: string;
  status: number;
  location: string | null;
  body: string;
}

/** What is known of a set of commands before it runs: results by command id, and keys whose 24 hours are over. */
export interface Earlier {
  results: Map<string, CommandResult>;
  expired: { tenant_id: string; key: string }[];
}

/**
 * Finds the commands that have run already (their audit entry is there) and the idempotency keys that already have an answer
 * (decisions 5, Idempotency).
 */
export async function findEarlier(tx: Transaction, commands: Command[]): Promise<Earlier> {
  const rows = await tx.query<EarlierRow>({
    name: 'find-earlier',
    text: `select r.tenant_id, r.id, a.id is not null as done, a.outcome, a.entity_type, a.entity_id, a.error, a.response_status,
             k.key is not null as kept, k.created_at < now() - interval '24 hours' as key_expired,
             k.method, k.path, k.body_hash, k.status, k.location, k.body
           from ${recordset('tenant_id uuid, id uuid, key uuid')}
           left join audit_entries a on a.tenant_id = r.tenant_id and a.id = r.id
           left join idempotency_keys k on k.tenant_id = r.tenant_id and k.key = r.key
           where a.id is not null or k.key is not null`,
    values: [
      JSON.stringify(
        commands.map((command) => ({
          tenant_id: command.tenantId,
          id: command.id,
          key: command.idempotency?.key ?? null,
        })),
      ),
    ],
  });
  const earlier: Earlier = { results: new Map(), expired: [] };
  const byId = new Map(commands.map((command) => [command.id, command]));
  for (const row of rows) await settleRow(tx, { row, command: byId.get(row.id) as Command, earlier });
  return earlier;
}

async function settleRow(
  tx: Transaction,
  { row, command, earlier }: { row: EarlierRow; command: Command; earlier: Earlier },
): Promise<void> {
  if (row.kept && !row.key_expired) {
    earlier.results.set(command.id, replay(command, row));
  } else if (row.done) {
    earlier.results.set(command.id, await doneResult(row, (statement) => tx.query(statement)));
  } else if (row.kept) {
    earlier.expired.push({ tenant_id: command.tenantId, key: command.idempotency?.key as string });
  }
}

function replay(command: Command, row: EarlierRow): CommandResult {
  const claim = command.idempotency;
  const differs = (['method', 'path', 'body_hash'] as const).filter(
    (part) => row[part] !== { method: claim?.method, path: claim?.path, body_hash: claim?.bodyHash }[part],
  );
  if (differs.length > 0) return { id: command.id, ok: false, error: reused(differs) };
  // The command's own second run (a worker died after the commit) is no replay to its caller: it is the first answer.
  const replayed = !row.done;
  return { id: command.id, ok: true, status: row.status, body: row.body, location: row.location, replayed };
}

function reused(parts: string[]): ErrorBody {
  const names = parts.map((part) => (part === 'body_hash' ? 'body' : part));
  return new AppError(
    'idempotency_key_reused',
    `This Idempotency-Key was used within 24 hours with another ${names.join(' and ')}. Use a new key for a new request.`,
    {
      details: names.map((field) => ({
        field,
        code: 'changed',
        message: `${field} differs from the first request`,
      })),
    },
  ).toBody();
}
