import { jsonObject, jsonTime } from '../../contracts/resource.js';

/** What was asked for, in the order in which it is shown. */
export const ORDER_MEMBERS = [
  'resource',
  'format',
  'filters',
  'include',
  'compression',
  'bom',
  'decimals',
] as const;

/** @param alias of exports. A link is not of the database: the routes fill it in. */
export function exportRepresentation(alias: string): string {
  return jsonObject(alias, [
    'id',
    ...ORDER_MEMBERS,
    'status',
    { name: 'progress', sql: progress(alias) },
    'file_name',
    'content_type',
    { name: 'bytes', sql: `case when ${alias}.sha256 is not null then ${alias}.bytes end` },
    'sha256',
    'files',
    'error',
    'schedule_id',
    { name: 'download_url', sql: 'null::text' },
    { name: 'download_expires_at', sql: 'null::text' },
    'attempts',
    jsonTime(alias, 'started_at'),
    jsonTime(alias, 'completed_at'),
    jsonTime(alias, 'expires_at'),
    jsonTime(alias, 'created_at'),
    jsonTime(alias, 'updated_at'),
  ]);
}

function progress(alias: string): string {
  // An estimate may be far too low, and what is not finished must not look it.
  const percent = `case when ${alias}.sha256 is not null then 100
    when ${alias}.estimated_rows is not null then least(99, ${alias}.rows * 100 / greatest(${alias}.estimated_rows, 1)) end`;
  return jsonObject(alias, ['rows', 'bytes', 'estimated_rows', { name: 'percent', sql: percent }]);
}
