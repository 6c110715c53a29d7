import { jsonObject, jsonTime } from '../../contracts/resource.js';

/** The members of an export request, in the sequence of the response. */
export const EXPORT_REQUEST_MEMBERS = [
  'resource',
  'format',
  'filters',
  'include',
  'compression',
  'bom',
  'decimals',
] as const;

/** @param alias alias of exports. The database has no download links; the routes add them. */
export function exportRepresentation(alias: string): string {
  return jsonObject(alias, [
    'id',
    ...EXPORT_REQUEST_MEMBERS,
    'status',
    { name: 'progress', sql: progressSql(alias) },
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

function progressSql(alias: string): string {
  // The estimate may be far too low, so an unfinished export shows at most 99 percent.
  const percent = `case when ${alias}.sha256 is not null then 100
    when ${alias}.estimated_rows is not null then least(99, ${alias}.rows * 100 / greatest(${alias}.estimated_rows, 1)) end`;
  return jsonObject(alias, ['rows', 'bytes', 'estimated_rows', { name: 'percent', sql: percent }]);
}
