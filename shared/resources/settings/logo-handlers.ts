import type { Command, CommandOutcome } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { lockRecords } from '../../records/lock-records.js';
import { notFoundOutcome } from '../../records/outcomes.js';
import { indexByRef, type RecordRef, recordsetSql, refKey, toRecordRef } from '../../records/record-refs.js';
import { touchTenants } from '../tenants/update-tenants.js';
import type { LogoInput } from './commands.js';

/** The part of a logo that the audit log shows: everything except the picture. */
interface LogoFacts {
  content_type: string;
  width: number;
  height: number;
  sha256: string;
}

export async function setLogos(tx: Transaction, commands: Command<LogoInput>[]): Promise<CommandOutcome[]> {
  const stored = await lockLogos(tx, commands);
  const outcomes = commands.map((command): CommandOutcome => {
    const { data: _data, ...to } = command.input;
    return planOutcome(stored, command, to);
  });
  const changed = commands.filter((_, index) => hasChanged(outcomes[index]));
  const rows = changed.map(({ tenantId, input }) => ({ tenant_id: tenantId, ...input }));
  if (rows.length > 0)
    await Promise.all([
      tx.query({
        name: 'set-logos',
        text: `insert into account_logos (tenant_id, content_type, width, height, sha256, data)
               select tenant_id, content_type, width, height, sha256, decode(data, 'base64')
               from ${recordsetSql('tenant_id uuid, content_type text, width integer, height integer, sha256 text, data text')}
               on conflict (tenant_id) do update set content_type = excluded.content_type, width = excluded.width, height = excluded.height,
                 sha256 = excluded.sha256, data = excluded.data, updated_at = now()`,
        values: [JSON.stringify(rows)],
      }),
      touchTenants(tx, changed.map(toRecordRef)),
    ]);
  return outcomes;
}

/** Deletes the accounts' logos. An account without a logo stays unchanged. */
export async function removeLogos(tx: Transaction, commands: Command[]): Promise<CommandOutcome[]> {
  const stored = await lockLogos(tx, commands);
  const outcomes = commands.map((command) => planOutcome(stored, command, null));
  const changed = commands.filter((_, index) => hasChanged(outcomes[index]));
  if (changed.length > 0)
    await Promise.all([
      tx.query({
        name: 'remove-logos',
        text: `delete from account_logos g using ${recordsetSql('tenant_id uuid')} where g.tenant_id = r.tenant_id`,
        values: [JSON.stringify(changed.map(toRecordRef))],
      }),
      touchTenants(tx, changed.map(toRecordRef)),
    ]);
  return outcomes;
}

interface StoredLogos {
  accounts: Map<string, unknown>;
  logos: Map<string, RecordRef & LogoFacts>;
}

/**
 * Locks the accounts and reads their current logos. The account is locked because its settings
 * include the logo.
 */
async function lockLogos(tx: Transaction, commands: Command[]): Promise<StoredLogos> {
  const refs = commands.map(toRecordRef);
  const [accounts, logos] = await Promise.all([
    lockRecords(tx, 'tenants', refs),
    tx.query<RecordRef & LogoFacts>({
      name: 'logos-of-accounts',
      text: `select g.tenant_id, r.id, g.content_type, g.width, g.height, g.sha256
             from ${recordsetSql('tenant_id uuid, id uuid')} join account_logos g on g.tenant_id = r.tenant_id`,
      values: [JSON.stringify(refs)],
    }),
  ]);
  return { accounts, logos: indexByRef(logos) };
}

function planOutcome(
  { accounts, logos }: StoredLogos,
  command: Command,
  to: LogoFacts | null,
): CommandOutcome {
  const key = refKey(toRecordRef(command));
  if (!accounts.has(key)) return notFoundOutcome('account');
  const found = logos.get(key);
  if (found?.sha256 === to?.sha256) return { ok: true, changes: [], events: [] };
  const from = found ? pickFacts(found) : null;
  return { ok: true, changes: [{ field: 'logo', from, to: to && pickFacts(to) }], events: [] };
}

function pickFacts({ content_type, width, height, sha256 }: LogoFacts): LogoFacts {
  return { content_type, width, height, sha256 };
}

function hasChanged(outcome: CommandOutcome | undefined): boolean {
  return outcome?.ok === true && outcome.changes.length > 0;
}
