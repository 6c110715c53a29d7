import type { RunCommand } from '../../cli/command.js';
import { usageError } from '../../cli/exit-codes.js';
import { findNamedPair } from './frozen-state.js';

interface RouteRow {
  kind: string;
  hash: string;
}

/**
 * What identifies an account in a request. The balancer hashes keys, session tokens and e-mail
 * addresses alike, so its map contains no credential. Addresses that nobody has proved are left
 * out, because an account may name the address of a person of another account.
 */
const LIST_ROUTES = `
  select 'key' as kind, encode(key_hash, 'hex') as hash from api_keys
    where tenant_id = any ($1::uuid[]) and revoked_at is null and (expires_at is null or expires_at > now())
  union all
  select 'session', encode(token_hash, 'hex') from sessions
    where tenant_id = any ($1::uuid[]) and ended_at is null and least(idle_expires_at, expires_at) > now()
  union all
  select 'email', encode(sha256(convert_to(lower(email), 'UTF8')), 'hex') from users
    where tenant_id = any ($1::uuid[]) and deactivated_at is null and email_proved_at is not null
  union all
  select 'link', encode(token_hash, 'hex') from invitations
    where tenant_id = any ($1::uuid[]) and expires_at > now()
  union all
  select 'link', encode(token_hash, 'hex') from password_resets
    where tenant_id = any ($1::uuid[]) and used_at is null and expires_at > now()
  order by 1, 2`;

/** `tow accounts routes`: prints the lines of the balancer's map for an account. */
export const listRoutes: RunCommand = async (args, { store }) => {
  const cell = String(args.values.cell);
  if (!/^[A-Za-z0-9_-]{1,40}$/.test(cell))
    throw usageError('--cell must be the name of a backend: letters, digits, _ and -.');
  const { db } = await store();
  const { ids } = await findNamedPair(db, args);
  const items = await db.runAndRollBack(ids, (tx) =>
    tx.query<RouteRow>({ text: LIST_ROUTES, values: [ids] }),
  );
  // HAProxy's converter `hex` writes capital letters.
  const lines = [...new Set(items.map(({ hash }) => `${hash.toUpperCase()} ${cell}`))];
  return { data: { items, cell, count: items.length, map: lines.join('\n') }, text: lines.join('\n') };
};
