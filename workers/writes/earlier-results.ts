import type { Command, CommandResult } from '../../shared/contracts/command.js';
import {
  type AuditedResultRow,
  HAS_CHANGES_COLUMN,
  rebuildResult,
} from '../../shared/operations/audited-result.js';
import { findReusedKeyError, type StoredRequest } from '../../shared/operations/reused-key.js';
import type { Transaction } from '../../shared/platform/postgres/database.js';
import { recordsetSql } from '../../shared/records/record-refs.js';

interface EarlierRow extends AuditedResultRow, StoredRequest {
  done: boolean;
  kept: boolean;
  key_expired: boolean;
  status: number;
  location: string | null;
  body: string;
  /**
   * True if the stored response to the Idempotency-Key comes from a command of the same actor, and
   * that command created or changed a record.
   */
  is_own: boolean;
  /** The command that stored the response; null if its audit entry is deleted. */
  first_id: string | null;
  first_entity_id: string | null;
}

/**
 * `results` maps command ids to results. `expiredKeys` lists the idempotency keys that are older
 * than 24 hours and may be used again.
 */
export interface EarlierResults {
  results: Map<string, CommandResult>;
  expiredKeys: { tenant_id: string; key: string }[];
}

/**
 * Finds results of these commands from earlier runs or requests. Reads the commands' audit entries,
 * and the responses stored under their Idempotency-Keys (docs/decisions.md §5, Idempotency).
 */
export async function findEarlierResults(tx: Transaction, commands: Command[]): Promise<EarlierResults> {
  const rows = await tx.query<EarlierRow>({
    name: 'find-earlier',
    text: `select r.tenant_id, r.id, a.id is not null as done, a.outcome, a.entity_type, a.entity_id, a.error, a.response_status, ${HAS_CHANGES_COLUMN},
             k.key is not null as kept, k.created_at < now() - interval '24 hours' as key_expired,
             k.method, k.path, k.body_hash, k.status, k.location, k.body,
             m.id as first_id, m.entity_id as first_entity_id,
             m.actor_id is not distinct from r.actor_id and (k.status in (201, 202) or jsonb_array_length(m.changes) > 0) is true as is_own
           from ${recordsetSql('tenant_id uuid, id uuid, key uuid, actor_id uuid')}
           left join audit_entries a on a.tenant_id = r.tenant_id and a.id = r.id
           left join idempotency_keys k on k.tenant_id = r.tenant_id and k.key = r.key
           left join audit_entries m on m.tenant_id = k.tenant_id and m.id = k.command_id
           where a.id is not null or k.key is not null`,
    values: [
      JSON.stringify(
        commands.map((command) => ({
          tenant_id: command.tenantId,
          id: command.id,
          key: command.idempotency?.key ?? null,
          actor_id: command.actor.id,
        })),
      ),
    ],
  });
  const earlier: EarlierResults = { results: new Map(), expiredKeys: [] };
  const byId = new Map(commands.map((command) => [command.id, command]));
  for (const row of rows) await addEarlierResult(tx, { row, command: byId.get(row.id) as Command, earlier });
  return earlier;
}

async function addEarlierResult(
  tx: Transaction,
  { row, command, earlier }: { row: EarlierRow; command: Command; earlier: EarlierResults },
): Promise<void> {
  // If this command itself has failed, return its own error. A later request with the same key may
  // have succeeded, but its response is not the response to this command.
  if (row.done && row.error) {
    earlier.results.set(command.id, { id: command.id, ok: false, error: row.error });
  } else if (row.kept && !row.key_expired) {
    earlier.results.set(command.id, buildReplayResult(command, row));
  } else if (row.done) {
    earlier.results.set(command.id, await rebuildResult(row, (query) => tx.query(query)));
  } else if (row.kept) {
    earlier.expiredKeys.push({ tenant_id: command.tenantId, key: command.idempotency?.key as string });
  }
}

function buildReplayResult(command: Command, row: EarlierRow): CommandResult {
  const error = findReusedKeyError(command.idempotency, row);
  if (error) return { id: command.id, ok: false, error, unaudited: true };
  // An audit entry means that a worker committed the command and died before its reply. The client
  // now gets its first response, so this is no replay.
  const replayed = !row.done;
  const { status, body, location, is_own: isOwnChange, first_id: id, first_entity_id: entityId } = row;
  const first = replayed && id && entityId ? { first: { id, entityId } } : {};
  return { id: command.id, ok: true, status, body, location, replayed, isOwnChange, ...first };
}
