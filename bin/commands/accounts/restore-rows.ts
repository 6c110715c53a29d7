import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { loadRows, type RowLoader } from '../../../shared/platform/moving/row-loader.js';
import { CliError, EXIT } from '../../cli/exit-codes.js';
import { type AccountTable, buildReadRows, listMovedTables, quoteIds } from './account-tables.js';
import { OUTPUT_FORMATS } from './dump.js';
import { type DumpedTable, type Manifest, Meter } from './dump-folder.js';
import { RESTORED } from './frozen-state.js';

/** Columns that a trigger sets at each insert, so they are set again after it. */
const SET_BY_INSERTS: Readonly<Record<string, string>> = { customers: 'coverage_changed_at' };

/**
 * Loads the rows of a dump in one transaction, which also freezes the account here. Then reads them
 * as the dump did, and compares counts and hashes.
 * @returns the number of rows
 * @throws {CliError} `rows_differ`; nothing is stored then
 */
export function restoreRows(databaseUrl: string, manifest: Manifest, folder: string): Promise<number> {
  const { tenantIds } = manifest;
  return loadRows({ databaseUrl, tenantIds }, async (loader) => {
    await loader.query({
      text: `insert into frozen_accounts (tenant_id, dumped_at) select unnest($1::uuid[]), $2::timestamptz
             on conflict (tenant_id) do update set frozen_at = excluded.frozen_at, dumped_at = excluded.dumped_at`,
      values: [tenantIds, RESTORED],
    });
    await loader.query({ text: OUTPUT_FORMATS });
    const tables = await listMovedTables((query) => loader.query(query));
    assertSameTables(tables, manifest.tables);
    const dumped = new Map(manifest.tables.map((table) => [table.name, table]));
    for (const table of tables) {
      const { path } = dumped.get(table.name) as DumpedTable;
      await loadTable(loader, table, { file: join(folder, path), tenantIds });
    }
    let rows = 0;
    for (const table of tables) {
      const { rows: expected, sha256 } = dumped.get(table.name) as DumpedTable;
      const stored = await measureRows(loader, table, tenantIds);
      if (stored.rows !== expected || stored.sha256 !== sha256) throw differs(table.name);
      rows += stored.rows;
    }
    return rows;
  });
}

function assertSameTables(tables: readonly AccountTable[], dumped: readonly DumpedTable[]): void {
  const describe = ({ name, columns }: { name: string; columns: string[] }) => `${name} ${columns.join(' ')}`;
  const own = tables.map(describe).sort().join('\n');
  if (own === dumped.map(describe).sort().join('\n')) return;
  throw new CliError(
    'other_schema',
    'The dump has other tables than this database. Bring both deployments to the same release first.',
    EXIT.failed,
  );
}

/**
 * PostgreSQL allows no COPY into a table with row-level security. So the rows go into a temporary
 * table first.
 */
async function loadTable(
  { query, copyIn }: RowLoader,
  { name, columns }: AccountTable,
  { file, tenantIds }: { file: string; tenantIds: string[] },
): Promise<void> {
  const list = columns.join(', ');
  await query({
    text: `create temporary table moved_rows on commit drop as select ${list} from public.${name} with no data`,
  });
  await copyIn(`moved_rows (${list})`, createReadStream(file));
  // Triggers of the tables before may have added rows.
  if (!APPEND_ONLY.includes(name))
    await query({ text: `delete from public.${name} where tenant_id in (${quoteIds(tenantIds)})` });
  await query({ text: `insert into public.${name} (${list}) select ${list} from moved_rows` });
  const column = SET_BY_INSERTS[name];
  if (column) {
    await query({
      text: `update public.${name} t set ${column} = m.${column} from moved_rows m
             where t.tenant_id = m.tenant_id and t.id = m.id and t.${column} is distinct from m.${column}`,
    });
  }
  await query({ text: 'drop table moved_rows' });
}

/** The application's role may not delete rows of these tables, and no trigger writes them. */
const APPEND_ONLY = ['audit_entries', 'events'];

async function measureRows(loader: RowLoader, table: AccountTable, tenantIds: string[]) {
  const meter = new Meter();
  const sink = new Writable({ write: (_chunk, _encoding, done) => done() });
  meter.pipe(sink);
  await loader.copyOut(buildReadRows(table, tenantIds), meter);
  return meter.finish();
}

function differs(table: string): CliError {
  return new CliError(
    'rows_differ',
    `The stored rows of ${table} differ from the dump. Nothing was restored; report this with the release of both deployments.`,
    EXIT.failed,
  );
}
