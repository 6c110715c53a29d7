import type { StoredJson } from './stored-json.js';

export interface StoredJsonTable {
  table: string;
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
