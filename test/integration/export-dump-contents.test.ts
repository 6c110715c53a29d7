import { expect } from 'chai';
import pg from 'pg';
import { newId } from '../../shared/platform/ids.js';
import { openSnapshot, type Snapshot } from '../../shared/platform/postgres-snapshot.js';
import { readDumpTables } from '../../workers/exports/dump/catalog.js';
import { INCLUDED_TABLES, LEFT_OUT_SCHEMAS, LEFT_OUT_TABLES } from '../../workers/exports/dump/contents.js';
import { addKeys, createTable } from '../../workers/exports/dump/definitions.js';
import { createDatabase } from '../support/stores.js';

/** Syntax that PostgreSQL 13 does not read, as pg_get_constraintdef and its like print it. */
const TOO_NEW =
  /NULLS NOT DISTINCT|NOT ENFORCED|WITHOUT OVERLAPS|, PERIOD \w|\bVIRTUAL\b|SET (NULL|DEFAULT) \(|multirange|\bNOT NULL "?\w+"? NO INHERIT/i;

const DECIDE =
  'decide in workers/exports/dump/contents.ts whether a company takes it along: is it theirs, and is it no secret?';

describe('what a dump holds', () => {
  let client: pg.Client;
  let snapshot: Snapshot;

  before(async () => {
    const databaseUrl = await createDatabase();
    client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    const options = { tenantId: newId(), applicationName: 'test', statementTimeoutMs: 10_000 };
    snapshot = await openSnapshot({ databaseUrl, ...options });
  });
  after(async () => {
    await snapshot.close();
    await client.end();
  });

  it('has been decided for every table and every column there is, and for none that is not', async () => {
    const { rows } = await client.query<{ name: string; columns: string[] }>(
      `select c.relname::text as name, array_agg(a.attname::text) as columns
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'f', 'v', 'm') group by 1`,
    );
    const decided = [...Object.keys(INCLUDED_TABLES), ...Object.keys(LEFT_OUT_TABLES)];
    expect(
      rows.map(({ name }) => name),
      DECIDE,
    ).to.have.members(decided);
    for (const { name, columns } of rows) {
      const included = INCLUDED_TABLES[name];
      if (!included) continue;
      expect(columns, `${name}: ${DECIDE}`).to.have.members([
        ...included.columns,
        ...Object.keys(included.without),
      ]);
    }
  });

  it('has been decided for every schema', async () => {
    const { rows } = await client.query<{ name: string }>(
      `select nspname::text as name from pg_namespace where nspname !~ '^pg_' and nspname not in ('information_schema', 'public')`,
    );
    expect(rows.map(({ name }) => name)).to.have.members(Object.keys(LEFT_OUT_SCHEMAS));
  });

  it('leaves nothing out without a reason', () => {
    const reasons = [
      ...Object.values(INCLUDED_TABLES).flatMap(({ without }) => Object.values(without)),
      ...Object.values(LEFT_OUT_TABLES),
      ...Object.values(LEFT_OUT_SCHEMAS),
    ];
    for (const reason of reasons) expect(reason).to.match(/^\w.{5,}/);
  });

  it('has no column that sounds like a secret', () => {
    const columns = Object.entries(INCLUDED_TABLES).flatMap(([name, table]) =>
      table.columns.map((column) => `${name}.${column}`),
    );
    const suspects = columns.filter((column) =>
      /(^|_)(hash|secret|sealed|token|password|lease|owner)(_|$)/.test(column.split('.')[1] as string),
    );
    // Of what a person is shown when asked to approve; the API shows it as well.
    expect(suspects).to.deep.equal(['approvals.hash']);
  });

  it('loses no key and no index but those that lead out of it or need what is left out', async () => {
    const tables = await readDumpTables(snapshot);
    const kept = [
      ...tables.flatMap((table) => table.constraints.map(({ name }) => name)),
      ...tables.flatMap((table) => table.indexes.map(({ definition }) => definition)),
    ];
    const { rows } = await client.query<{ name: string; text: string }>(
      `select conname::text as name, conname::text as text from pg_constraint where conrelid::regclass::text = any($1) and contype <> 'n'
       union all
       select i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid) from pg_index i where i.indrelid::regclass::text = any($1)
         and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x'))`,
      [Object.keys(INCLUDED_TABLES)],
    );
    const lost = rows.filter(({ text }) => !kept.includes(text));
    expect(rows.length - lost.length).to.equal(kept.length);
    expect(lost.map(({ name }) => name)).to.have.members([
      'tenants_live_tenant_id_fkey',
      'api_keys_hash',
      'events_order',
      'messages_queued',
      'invoices_due_by_date',
      'invoices_due_by_own_terms',
      'invoices_due_by_account_terms',
      'exports_discarded',
    ]);
  });

  it('says nothing that PostgreSQL 13 does not understand', async () => {
    const tables = await readDumpTables(snapshot);
    const text = tables.map((table) => createTable(table)).join('') + addKeys(tables);
    expect(text).to.not.match(TOO_NEW);
    expect(text).to.not.include(' ON ONLY ').and.to.not.include('PARTITION');
  });
});
