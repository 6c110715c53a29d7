import { jsonObject, jsonTime } from '../../contracts/resource.js';

/** SQL: one column of the next version; null when there is none. */
function selectFromNextVersion(alias: string, column: string): string {
  return `(select n.${column} from rate_cards n where n.tenant_id = ${alias}.tenant_id and lower(n.name) = lower(${alias}.name)
    and n.version = ${alias}.version + 1)`;
}

const formatTimeOfDay = (alias: string, column: string) => `to_char(${alias}.${column}, 'HH24:MI')`;

export function rateCardRepresentation(alias: string): string {
  return jsonObject(alias, [
    'id',
    'name',
    'version',
    'effective_from',
    { name: 'effective_until', sql: selectFromNextVersion(alias, 'effective_from') },
    { name: 'superseded_by', sql: selectFromNextVersion(alias, 'id') },
    'is_default',
    {
      name: 'after_hours_window',
      sql: jsonObject(alias, [
        { name: 'start', sql: formatTimeOfDay(alias, 'after_hours_start') },
        { name: '"end"', sql: formatTimeOfDay(alias, 'after_hours_end') },
        { name: 'weekends', sql: `${alias}.after_hours_weekends` },
      ]),
    },
    'items',
    jsonTime(alias, 'created_at'),
  ]);
}
