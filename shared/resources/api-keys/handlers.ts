import type { Command, CommandHandlers, CommandOutcome } from '../../contracts/command.js';
import type { AgentKeyCreate, ApiKeyCreate, ApiKeyRoll } from '../../contracts/generated.js';
import type { Row, Transaction } from '../../platform/postgres/database.js';
import { AccountQuota } from '../../records/account-quota.js';
import { diffNewRecord } from '../../records/changes.js';
import { lockRecords } from '../../records/lock-records.js';
import { failedOutcome, notFoundOutcome } from '../../records/outcomes.js';
import { type RecordRef, recordsetSql, refKey, toRecordRef } from '../../records/record-refs.js';
import { refuseMixedRights } from './club-keys.js';
import type { WithKeyMaterial } from './commands.js';
import type { KeyKind, KeyMaterial } from './credential.js';
import { LIVE_KEY_QUOTA } from './live-key-quota.js';
import { markKeysRevoked } from './mark-keys-revoked.js';

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
  /** The club whose key it is: the id of the club's first key. Absent or null for other keys. */
  club_id?: string | null;
  read_only: boolean;
  tier: string | null;
  rolled_from: string | null;
  expires_at: string | null;
}

const COLUMNS = `tenant_id uuid, id uuid, kind text, name text, prefix text, last_four text, key_hash text, permissions text[], scopes text[],
  club_id uuid, read_only boolean, tier text, rolled_from uuid, expires_at timestamptz`;

/** Stores the hashes of new keys, never the keys themselves. */
export async function insertApiKeys(tx: Transaction, rows: KeyRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.query({
    name: 'insert-api-keys',
    text: `insert into api_keys (tenant_id, id, kind, name, prefix, last_four, key_hash, permissions, scopes, club_id, read_only, tier, rolled_from,
             expires_at, created_at)
           select tenant_id, id, kind, name, prefix, last_four, decode(key_hash, 'hex'), permissions, scopes, club_id, read_only, tier, rolled_from,
             expires_at, now() from ${recordsetSql(COLUMNS)}`,
    values: [JSON.stringify(rows)],
  });
}

function toKeyColumns(material: KeyMaterial) {
  return { prefix: material.prefix, last_four: material.lastFour, key_hash: material.hash };
}

type Rights = Pick<KeyRow, 'permissions' | 'scopes' | 'tier'>;

/**
 * Returns the rights to store for an API key. A read-only key gets no write permission, so its
 * permissions alone say what it may do.
 */
function rightsForApiKey({ read_only, permissions, tier = null }: ApiKeyCreate): Rights {
  return { permissions: read_only ? ['read'] : permissions, scopes: [], tier };
}

function rightsForAgentKey({ scopes }: AgentKeyCreate): Rights {
  return { permissions: [], scopes, tier: null };
}

export const createApiKeys = createKeys('api', rightsForApiKey);
export const createAgentKeys = createKeys('agent', rightsForAgentKey);

function createKeys<Input extends ApiKeyCreate | AgentKeyCreate>(
  kind: KeyKind,
  rightsFor: (input: Input) => Rights,
) {
  return async (tx: Transaction, commands: Command<WithKeyMaterial<Input>>[]): Promise<CommandOutcome[]> => {
    const quota = await AccountQuota.load(tx, commands, LIVE_KEY_QUOTA);
    const refusals = commands.map(
      ({ tenantId, input }) =>
        ('permissions' in input ? refuseMixedRights(input) : undefined) ?? quota.reserve(tenantId),
    );
    const admitted = commands.filter((_command, index) => !refusals[index]);
    await insertApiKeys(
      tx,
      admitted.map((command) => {
        const { material, name, read_only, expires_at = null } = command.input;
        const fields = { kind, name, read_only, rolled_from: null, expires_at };
        const rights = rightsFor(command.input);
        const club_id = rights.permissions.includes('club_offers') ? command.entityId : null;
        return { ...toRecordRef(command), ...toKeyColumns(material), ...fields, ...rights, club_id };
      }),
    );
    return commands.map((command, index) => refusals[index] ?? keyOutcome(command));
  };
}

/**
 * Returns the outcome with the encrypted key, which the API process decrypts for the response. No
 * audit entry or event contains the key.
 */
function keyOutcome(command: Command<{ material: KeyMaterial }>): CommandOutcome {
  const { material, ...input } = command.input;
  return {
    ok: true,
    responseExtra: { key: command.dryRun ? null : material.sealed },
    changes: diffNewRecord(input as Record<string, unknown>),
    events: [],
  };
}

interface StoredKey extends Row, KeyRow {
  revoked_at: string | null;
}

const RESOURCE_LABELS = { api: 'API key', agent: 'agent key' } as const;

type RollCommand = Command<WithKeyMaterial<ApiKeyRoll> & { from_id: string }>;

const oldRef = ({ tenantId, input }: RollCommand): RecordRef => ({ tenant_id: tenantId, id: input.from_id });

/**
 * Returns the handler that replaces keys by successors. The old key stops working when the overlap
 * ends or when the key expires, whichever is earlier.
 *
 * Without an overlap, the successor takes the old key's place in the quota, so the quota is not
 * checked. An account at its limit can therefore still roll a key.
 */
export function rollKeys(kind: KeyKind) {
  return async (tx: Transaction, commands: RollCommand[]): Promise<CommandOutcome[]> => {
    // Lock the accounts (`AccountQuota.load`) before the keys. Batches that create keys and then
    // revoke keys lock in this sequence too, so two batches cannot deadlock.
    const quota = await AccountQuota.load(tx, commands, LIVE_KEY_QUOTA);
    const oldKeys = await lockKeys(tx, kind, commands.map(oldRef));
    const rolled = await findRolledKeys(tx, commands.map(oldRef));
    const refusalFor = (command: RollCommand): CommandOutcome | undefined => {
      const ref = oldRef(command);
      const old = oldKeys.get(refKey(ref));
      if (!old) return notFoundOutcome(RESOURCE_LABELS[kind]);
      if (!isUsable(old) || rolled.has(refKey(ref))) return unusableKeyOutcome();
      return command.input.overlap_hours > 0 ? quota.reserve(command.tenantId) : undefined;
    };
    const refusals = commands.map(refusalFor);
    const rollable = commands.filter((_command, index) => !refusals[index]);
    await insertApiKeys(
      tx,
      rollable.map((command) => {
        const old = oldKeys.get(refKey(oldRef(command))) as StoredKey;
        return {
          ...old,
          ...toRecordRef(command),
          ...toKeyColumns(command.input.material),
          rolled_from: old.id,
        };
      }),
    );
    await endAfterOverlap(tx, rollable);
    return commands.map((command, index) => refusals[index] ?? keyOutcome(command));
  };
}

/** Locks keys of one kind: API keys or agent keys. A key of the other kind counts as unknown. */
async function lockKeys(tx: Transaction, kind: KeyKind, refs: RecordRef[]): Promise<Map<string, StoredKey>> {
  const rows = await lockRecords<StoredKey>(tx, 'api_keys', refs);
  return new Map([...rows].filter(([, row]) => row.kind === kind));
}

async function endAfterOverlap(tx: Transaction, commands: RollCommand[]): Promise<void> {
  await tx.query({
    name: 'end-rolled-keys',
    text: `update api_keys t set expires_at = least(coalesce(t.expires_at, 'infinity'), now() + make_interval(hours => r.hours))
           from ${recordsetSql('tenant_id uuid, id uuid, hours integer')} where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [
      JSON.stringify(commands.map((command) => ({ ...oldRef(command), hours: command.input.overlap_hours }))),
    ],
  });
}

/**
 * Finds keys that have a successor. Such a key cannot be rolled again, because a second successor
 * would inherit the shortened expiry of the old key.
 *
 * Call this function after the rows are locked. Otherwise the second of two concurrent rolls would
 * not see the successor that the first one created.
 */
async function findRolledKeys(tx: Transaction, refs: RecordRef[]): Promise<Set<string>> {
  const rows = await tx.query<RecordRef>({
    name: 'find-rolled-keys',
    text: `select t.tenant_id, t.rolled_from as id from ${recordsetSql('tenant_id uuid, id uuid')}
           join api_keys t on t.tenant_id = r.tenant_id and t.rolled_from = r.id`,
    values: [JSON.stringify(refs)],
  });
  return new Set(rows.map(refKey));
}

function isUsable(key: StoredKey | undefined): boolean {
  if (!key || key.revoked_at !== null) return false;
  return key.expires_at === null || Date.parse(key.expires_at) > Date.now();
}

function unusableKeyOutcome(): CommandOutcome {
  return failedOutcome({
    code: 'conflict',
    message:
      'This key is revoked, has expired or was rolled already, so it cannot be rolled. Create a new one.',
  });
}

/** Returns the handler that revokes keys. Revoking a revoked key changes nothing. */
export function revokeKeys(kind: KeyKind) {
  return async (tx: Transaction, commands: Command<Record<string, never>>[]): Promise<CommandOutcome[]> => {
    const rows = await lockKeys(tx, kind, commands.map(toRecordRef));
    await markKeysRevoked(tx, [...rows.values()]);
    return commands.map((command) => {
      const row = rows.get(refKey(toRecordRef(command)));
      if (!row) return notFoundOutcome(RESOURCE_LABELS[kind]);
      const changes = row.revoked_at ? [] : [{ field: 'revoked_at', from: null, to: 'now' }];
      return { ok: true, changes, events: [] };
    });
  };
}

export const apiKeyHandlers: CommandHandlers = {
  'api_key.create': createApiKeys,
  'api_key.roll': rollKeys('api'),
  'api_key.revoke': revokeKeys('api'),
};
