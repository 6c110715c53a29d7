import type { Change, Command, Outcome } from '../../contracts/command.js';
import type { UserCreate, UserPatch } from '../../contracts/generated.js';
import { UNUSABLE_PASSWORD_HASH } from '../../platform/crypto.js';
import type { Row, Transaction } from '../../platform/postgres.js';
import { changesOf, changesOfNew } from '../changes.js';
import { mergeRecords } from '../merge-records.js';
import {
  failed,
  lockRecords,
  missing,
  nextUpdatedAt,
  type RecordRef,
  recordset,
  refKey,
  refOf,
} from '../sets.js';
import type { WithPasswordHash } from './commands.js';

interface UserRow extends Row, RecordRef {
  name: string;
  email: string;
  password_hash: string;
  deactivated_at: string | null;
}

const EDITABLE = 'name text, email text, password_hash text';
const NAMES = ['name', 'email', 'password_hash'];

function takenEmail(email: string | undefined): Outcome {
  const message = `email ${email} is taken`;
  return failed({
    code: 'conflict',
    message: `${message}. Every person of an account has an e-mail of their own, whatever its case.`,
    details: [{ field: 'email', code: 'duplicate', message }],
  });
}

/** That a password was set is told, what it is or hashes to never. */
function withoutHash({ password_hash: hash, ...rest }: Record<string, unknown>): Record<string, unknown> {
  return hash === undefined ? rest : { ...rest, password: '[redacted]' };
}

/** Adds people; one whose e-mail an active person has is left out. */
export async function createUsers(
  tx: Transaction,
  commands: Command<WithPasswordHash<UserCreate>>[],
): Promise<Outcome[]> {
  const inserted = await insertUsers(
    tx,
    commands.map((command) => ({ ...command.input, ...refOf(command) })),
  );
  return commands.map((command) =>
    inserted.has(refKey(refOf(command)))
      ? { ok: true, changes: changesOfNew(withoutHash({ ...command.input })), events: [] }
      : takenEmail(command.input.email),
  );
}

/** Inserts people from the hashes of their passwords. Resolves with those whose e-mail was free. */
export async function insertUsers(
  tx: Transaction,
  rows: (RecordRef & { name: string; email: string; password_hash?: string })[],
): Promise<Set<string>> {
  // One order for everybody: two batches inserting the same e-mails the other way round would wait for each other in a circle.
  const keyOf = (row: (typeof rows)[number]) => `${row.tenant_id}/${row.email.toLowerCase()}`;
  const sorted = [...rows].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const inserted = await tx.query<RecordRef>({
    name: 'insert-users',
    text: `insert into users (tenant_id, id, ${NAMES.join(', ')})
           select tenant_id, id, ${NAMES.join(', ')} from ${recordset(`tenant_id uuid, id uuid, ${EDITABLE}`)}
           on conflict (tenant_id, lower(email)) where deactivated_at is null do nothing returning tenant_id, id`,
    values: [JSON.stringify(sorted)],
  });
  return new Set(inserted.map(refKey));
}

/** JSON merge of a person's facts. A new password ends the person's sessions: whoever has the old one may be in. */
export async function updateUsers(
  tx: Transaction,
  commands: Command<WithPasswordHash<UserPatch>>[],
): Promise<Outcome[]> {
  const [rows, taken] = await Promise.all([
    lockRecords<UserRow>(tx, 'users', commands.map(refOf)),
    findTakenEmails(tx, commands),
  ]);
  const outcomes = await mergeRecords(tx, commands, {
    table: 'users',
    columns: EDITABLE,
    plan: (command) => {
      const row = rows.get(refKey(refOf(command)));
      if (!row) return missing('user');
      if (row.deactivated_at) return gone();
      if (taken.has(refKey(row))) return takenEmail(command.input.email);
      return { row, set: command.input, changes: changesTo(row, command.input) };
    },
  });
  const renewed = commands.filter(
    (command, nth) => outcomes[nth]?.ok && command.input.password_hash !== undefined,
  );
  await endSessionsOf(tx, renewed.map(refOf));
  return outcomes;
}

function changesTo(row: UserRow, { password_hash: hash, ...facts }: WithPasswordHash<UserPatch>): Change[] {
  const changes = changesOf(row, facts);
  return hash === undefined ? changes : [...changes, { field: 'password', from: null, to: '[redacted]' }];
}

function gone(): Outcome {
  return failed({
    code: 'conflict',
    message: 'This person is deactivated. Add them anew to let them in again.',
  });
}

/** Those who want an e-mail that another active person has. One taken after this look breaks the batch on the unique index; run again, it is seen. */
async function findTakenEmails(
  tx: Transaction,
  commands: Command<WithPasswordHash<UserPatch>>[],
): Promise<Set<string>> {
  const wanted = commands.flatMap((command) =>
    command.input.email === undefined ? [] : [{ ...refOf(command), email: command.input.email }],
  );
  if (wanted.length === 0) return new Set();
  const rows = await tx.query<RecordRef>({
    name: 'user-email-holders',
    text: `select r.tenant_id, r.id from ${recordset('tenant_id uuid, id uuid, email text')}
           join users t on t.tenant_id = r.tenant_id and lower(t.email) = lower(r.email) and t.deactivated_at is null and t.id <> r.id`,
    values: [JSON.stringify(wanted)],
  });
  return new Set(rows.map(refKey));
}

async function endSessionsOf(tx: Transaction, people: RecordRef[]): Promise<void> {
  if (people.length === 0) return;
  await tx.query({
    name: 'end-sessions-of-users',
    text: `update sessions t set ended_at = now() from ${recordset('tenant_id uuid, id uuid')}
           where t.tenant_id = r.tenant_id and t.user_id = r.id and t.ended_at is null`,
    values: [JSON.stringify(people.map(({ tenant_id, id }) => ({ tenant_id, id })))],
  });
}

/** Shuts people out and ends their sessions. The last one of an account stays: nobody could let anybody in again. */
export async function deactivateUsers(
  tx: Transaction,
  commands: Command<Record<string, never>>[],
): Promise<Outcome[]> {
  const active = await lockActive(tx, [...new Set(commands.map(({ tenantId }) => tenantId))]);
  const known = await lockRecords<UserRow>(tx, 'users', commands.map(refOf));
  const leaving: RecordRef[] = [];
  const outcomes = commands.map((command): Outcome => {
    const row = known.get(refKey(refOf(command)));
    if (!row) return missing('user');
    if (row.deactivated_at) return { ok: true, changes: [], events: [] };
    const others = active.get(command.tenantId) as Set<string>;
    if (others.size === 1 && others.has(row.id)) return lastOne();
    others.delete(row.id);
    leaving.push(refOf(command));
    return { ok: true, changes: [{ field: 'deactivated_at', from: null, to: 'now' }], events: [] };
  });
  if (leaving.length > 0) await deactivate(tx, leaving);
  return outcomes;
}

function lastOne(): Outcome {
  return failed({
    code: 'conflict',
    message: 'This is the last person who can sign in to this account. Add another one first.',
  });
}

/** Who can sign in to these tenants, locked: of two who remove each other one comes second, and sees it. */
async function lockActive(tx: Transaction, tenantIds: string[]): Promise<Map<string, Set<string>>> {
  const rows = await tx.query<RecordRef>({
    name: 'lock-active-users',
    text: `select tenant_id, id from users where tenant_id = any($1::uuid[]) and deactivated_at is null and password_hash <> $2
           order by tenant_id, id for update`,
    values: [tenantIds, UNUSABLE_PASSWORD_HASH],
  });
  const active = new Map<string, Set<string>>(tenantIds.map((id) => [id, new Set()]));
  for (const row of rows) active.get(row.tenant_id)?.add(row.id);
  return active;
}

async function deactivate(tx: Transaction, people: RecordRef[]): Promise<void> {
  await tx.query({
    name: 'deactivate-users',
    text: `update users t set deactivated_at = now(), sign_in_addresses = '{}', updated_at = ${nextUpdatedAt('t')}
           from ${recordset('tenant_id uuid, id uuid')} where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(people)],
  });
  await endSessionsOf(tx, people);
}
