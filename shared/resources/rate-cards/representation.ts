import { jsonObject, jsonTime } from '../../contracts/resource.js';

/** One column of the version that follows; null while there is none. */
function ofNextVersion(alias: string, column: string): string {
  return `(select n.${column} from rate_cards n where n.tenant_id = ${alias}.tenant_id and lower(n.name) = lower(${alias}.name)
    and n.version = ${alias}.version + 1)`;
}

const time = (alias: string, column: string) => `to_char(${alias}.${column}, 'HH24:MI')`;

export function rateCardRepresentation(alias: string): string {
  return jsonObject(alias, [
    'id',
    'name',
    'version',
    'effective_from',
    { name: 'effective_until', sql: ofNextVersion(alias, 'effective_from') },
    { name: 'superseded_by', sql: ofNextVersion(alias, 'id') },
    'is_default',
    {
      name: 'after_hours_window',
      sql: jsonObject(alias, [
        { name: 'start', sql: time(alias, 'after_hours_start') },
        { name: '"end"', sql: time(alias, 'after_hours_end') },
        { name: 'weekends', sql: `${alias}.after_hours_weekends` },
      ]),
    },
    'items',
    jsonTime(alias, 'created_at'),
  ]);
}
