import type { Snapshot } from '../../../shared/platform/postgres/snapshot.js';
import type { ExportFile } from '../../../shared/resources/exports/request/export-request.js';
import { INCLUDED_TABLES } from './contents.js';
import { EXCLUDED_TABLES } from './excluded-tables.js';

/** Increase this number if a change of the format breaks programs that read dumps. */
const FORMAT_VERSION = 1;

export interface DumpedTenant {
  tenant_id: string;
  name: string;
  environment: string;
  /** Time of the snapshot, in ISO 8601. */
  as_of: string;
}

/**
 * @throws {Error} if the snapshot does not contain the tenant, because an empty dump would look
 *   valid
 */
export async function readDumpedTenant(snapshot: Snapshot, tenantId: string): Promise<DumpedTenant> {
  const [tenant] = await snapshot.query<DumpedTenant>({
    text: `select tenant_id::text, name, environment, to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as as_of
           from public.tenants where tenant_id = $1`,
    values: [tenantId],
  });
  if (!tenant) throw new Error(`the snapshot has no tenant ${tenantId}`);
  return tenant;
}

/**
 * Renders the start of the dump. The company name is printed as JSON, so that a line break in the
 * name cannot end the SQL comment.
 */
export function renderDumpHeader({ tenant_id, name, environment, as_of }: DumpedTenant): string {
  return `-- Data of one company, exported from Tow. Dump format ${FORMAT_VERSION}.
-- Company: ${JSON.stringify(name)}, ${environment}, tenant_id ${tenant_id}
-- As of: ${as_of}
--
-- Restore it with psql into an empty database of PostgreSQL 13 or later, in one transaction:
--   createdb --template template0 --encoding UTF8 company
--   gunzip --stdout FILE.sql.gz | psql -X -v ON_ERROR_STOP=1 -d company
-- Money is in cents. Times are UTC. Roles, grants and policies are not included.
--
-- Not included:
${listOmissions()}
\\set ON_ERROR_STOP on

begin;
set local client_encoding = 'UTF8';
set local standard_conforming_strings = on;
set local check_function_bodies = off;
set local client_min_messages = warning;
set local statement_timeout = 0;
set local lock_timeout = 0;
set local idle_in_transaction_session_timeout = 0;
set local search_path = public;
do $$ begin
  if current_setting('server_version_num')::integer < 130000 then
    raise exception 'this dump needs PostgreSQL 13 or later';
  end if;
end $$;

`;
}

function listOmissions(): string {
  const columns = Object.entries(INCLUDED_TABLES).flatMap(([table, { excluded }]) =>
    Object.entries(excluded).map(([column, reason]) => [`${table}.${column}`, reason]),
  );
  return [...columns, ...Object.entries(EXCLUDED_TABLES)]
    .map(([name, reason]) => `--   ${name}: ${reason}\n`)
    .join('');
}

export function renderDumpFooter(files: readonly ExportFile[]): string {
  const rows = files.map((file) => `--   ${file.name}: ${file.rows}\n`).join('');
  return `\ncommit;\n\n-- Rows by table:\n${rows}-- End of the dump.\n`;
}
