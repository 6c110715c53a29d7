import { nameRenderFunction, RENDER_FUNCTION_PREFIX, type StoredJson } from './stored-json.js';

export interface StoredJsonTable {
  table: string;
  representation: (alias: string) => string;
  stored: StoredJson;
}

/**
 * Returns the SQL for the functions of the triggers that store JSON texts. The release phase runs
 * this SQL after the migrations. A migration may never change, but these functions must follow the
 * fields in the code. Replacing a function locks no table.
 */
export function buildTriggerFunctions(tables: readonly StoredJsonTable[]): string {
  const functions = tables.map(
    ({ table, stored }) => `
      create or replace function store_${table}_json() returns trigger language plpgsql as $function$ begin
        new.stored_json := ${stored.render('new')};
        new.stored_json_version := ${stored.version};
        return new;
      end $function$;`,
  );
  const versions = tables.map(({ table, stored }) => `when '${table}' then ${stored.version}`);
  return `${functions.join('')}
      create or replace function stored_json_version(of_table text) returns integer language sql stable as $function$
        select case of_table ${versions.join(' ')} end
      $function$;`;
}

/** The render functions of so many earlier releases stay, for their processes. */
const KEPT_RENDER_FUNCTIONS = 5;

/**
 * Returns the SQL for the functions that render a record without a stored text. The release phase
 * runs this SQL before the migrations. A process waits at its start until its functions exist.
 * PostgreSQL resolves the tables and columns of a function only when it runs.
 */
export function buildRenderFunctions(tables: readonly StoredJsonTable[]): string {
  return tables.map(buildRenderFunction).join('');
}

function buildRenderFunction(resource: StoredJsonTable): string {
  const { table, representation } = resource;
  const name = nameRenderFunction(resource);
  return `
      create or replace function ${name}(of_tenant uuid, of_id uuid) returns text language plpgsql stable as $function$ begin
        return (select (${representation('t')})::text from ${table} t where t.tenant_id = of_tenant and t.id = of_id);
      end $function$;
      do $do$ declare outdated regproc; begin
        for outdated in select oid from pg_proc
          where proname ~ '^${RENDER_FUNCTION_PREFIX}${table}_[0-9]+$' and proname <> '${name}'
            and pronamespace = 'public'::regnamespace
          order by oid desc offset ${KEPT_RENDER_FUNCTIONS}
        loop execute format('drop function %s(uuid, uuid)', outdated); end loop;
      end $do$;`;
}

/** Returns the SQL that removes the render functions of all releases. */
export const DROP_RENDER_FUNCTIONS = `
  do $do$ declare one regproc; begin
    for one in select oid from pg_proc
      where proname like '${RENDER_FUNCTION_PREFIX.replaceAll('_', '\\_')}%' and pronamespace = 'public'::regnamespace
    loop execute format('drop function %s(uuid, uuid)', one); end loop;
  end $do$;`;
