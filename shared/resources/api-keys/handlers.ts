import type { Command, Outcome } from '../../contracts/command.js';
import type { ApiKeyCreate, ApiKeyRoll } from '../../contracts/generated.js';
import type { Row, Transaction } from '../../platform/postgres.js';
import { changesOfNew } from '../changes.js';
import { failed, lockRecords, missing, type RecordRef, recordset, refKey, refOf } from '../sets.js';
import type { WithKeyMaterial } from './commands.js';
import type { KeyKind, KeyMaterial } from './credential.js';

interface KeyRow {
  tenant_id: string;
  id: string;
  kind: KeyKind;
  name: string;
  prefix: string;
  last_four: string;
  key_hash: string;
  permissions: string[];
  scopes: string[];
  read_only: boolean;
  tier: string | null;
  rolled_from: string | null;
  expires_at: string | null;
}

const COLUMNS = `tenant_id uuid, id uuid, kind text, name text, prefix text, last_four text, key_hash text, permissions text[], scopes text[],
  read_only boolean, tier text, rolled_from uuid, expires_at timestamptz`;

/** Inserts keys from their hashes. A key that was made with the command's answer can be shown again only by its sealed form. */
export async function insertApiKeys(tx: Transaction, rows: KeyRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.query({
    name: 'insert-api-keys',
    text: `insert into api_keys (tenant_id, id, kind, name, prefix, last_four, key_hash, permissions, scopes, read_only, tier, rolled_from,
             expires_at, created_at)
           select tenant_id, id, kind, name, prefix, last_four, decode(key_hash, 'hex'), permissions, scopes, read_only, tier, rolled_from,
             expires_at, now() from ${recordset(COLUMNS)}`,
    values: [JSON.stringify(rows)],
  });
}

function stored(material: KeyMaterial) {
  return { prefix: material.prefix, last_four: material.lastFour, key_hash: material.hash };
}

export async function createApiKeys(
  tx: Transaction,
  commands: Command<WithKeyMaterial<ApiKeyCreate>>[],
): Promise<Outcome[]> {
  await insertApiKeys(
    tx,
    commands.map((command) => {
      const { material, name, permissions, read_only, tier = null, expires_at = null } = command.input;
      return {
        ...refOf(command),
        ...stored(material),
        kind: 'api',
        name,
        // A read-only key keeps no right to write, so that one look at its permissions tells the truth.
        permissions: read_only ? ['read'] : permissions,
        scopes: [],
        read_only,
        tier,
        rolled_from: null,
        expires_at,
      };
    }),
  );
  return commands.map(keyOutcome);
}

/** The answer carries the key sealed; the api opens it when it answers. Neither audit entry nor event ever holds it. */
function keyOutcome(command: Command<{ material: KeyMaterial }>): Outcome {
  const { material, ...input } = command.input;
  return {
    ok: true,
    answerExtra: { key: command.dryRun ? null : material.sealed },
    changes: changesOfNew(input as Record<string, unknown>),
    events: [],
  };
}

interface StoredKey extends Row, KeyRow {
  revoked_at: string | null;
}

/** Makes a successor with the same rights; the old key ends when the overlap is over, or earlier if it was to. */
export async function rollApiKeys(
  tx: Transaction,
  commands: Command<WithKeyMaterial<ApiKeyRoll> & { from_id: string }>[],
): Promise<Outcome[]> {
  const oldRef = (command: (typeof commands)[number]) => ({
    tenant_id: command.tenantId,
    id: command.input.from_id,
  });
  const olds = await lockRecords<StoredKey>(tx, 'api_keys', commands.map(oldRef));
  const rolled = await findRolled(tx, commands.map(oldRef));
  const isRollable = (ref: RecordRef) => isUsable(olds.get(refKey(ref))) && !rolled.has(refKey(ref));
  const rollable = commands.filter((command) => isRollable(oldRef(command)));
  await insertApiKeys(
    tx,
    rollable.map((command) => {
      const old = olds.get(refKey(oldRef(command))) as StoredKey;
      return { ...old, ...refOf(command), ...stored(command.input.material), rolled_from: old.id };
    }),
  );
  await tx.query({
    name: 'end-rolled-keys',
    text: `update api_keys t set expires_at = least(coalesce(t.expires_at, 'infinity'), now() + make_interval(hours => r.hours))
           from ${recordset('tenant_id uuid, id uuid, hours integer')} where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [
      JSON.stringify(rollable.map((command) => ({ ...oldRef(command), hours: command.input.overlap_hours }))),
    ],
  });
  return commands.map((command) => {
    if (rollable.includes(command)) return keyOutcome(command);
    return olds.get(refKey(oldRef(command)))?.kind === 'api' ? endedKey() : missing('API key');
  });
}

/**
 * Which of these keys have a successor. One more would end as early as the old key now does. Asked once their rows are locked, so that of two
 * rolls at once the second one knows of the first.
 */
async function findRolled(tx: Transaction, refs: RecordRef[]): Promise<Set<string>> {
  const rows = await tx.query<RecordRef>({
    name: 'find-rolled-keys',
    text: `select t.tenant_id, t.rolled_from as id from ${recordset('tenant_id uuid, id uuid')}
           join api_keys t on t.tenant_id = r.tenant_id and t.rolled_from = r.id`,
    values: [JSON.stringify(refs)],
  });
  return new Set(rows.map(refKey));
}

function isUsable(key: StoredKey | undefined): boolean {
  // An agent's key is none of these: its successor would need another prefix.
  if (key?.kind !== 'api' || key.revoked_at !== null) return false;
  return key.expires_at === null || Date.parse(key.expires_at) > Date.now();
}

function endedKey(): Outcome {
  return failed({
    code: 'conflict',
    message:
      'This key is revoked, has expired or was rolled already, so it cannot be rolled. Create a new one.',
  });
}

/** Ends keys at once. Revoking a revoked key changes nothing. */
export async function revokeApiKeys(
  tx: Transaction,
  commands: Command<Record<string, never>>[],
): Promise<Outcome[]> {
  const refs = commands.map(refOf);
  const rows = await lockRecords<StoredKey>(tx, 'api_keys', refs);
  await tx.query({
    name: 'revoke-api-keys',
    text: `update api_keys t set revoked_at = coalesce(t.revoked_at, now())
           from ${recordset('tenant_id uuid, id uuid')} where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(refs)],
  });
  return commands.map((command) => {
    const row = rows.get(refKey(refOf(command)));
    if (!row) return missing('API key');
    const changes = row.revoked_at ? [] : [{ field: 'revoked_at', from: null, to: 'now' }];
    return { ok: true, changes, events: [] };
  });
}
