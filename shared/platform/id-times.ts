/** Returns a lower bound for every UUIDv7 that was created at this time or later. */
export function firstIdAt(ms: number): string {
  const time = Math.max(0, Math.trunc(ms)).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}

/** Returns the creation time of a UUIDv7 in ms since the epoch. */
export function getIdTimeMs(id: string): number {
  return Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
}

/**
 * Builds the SQL equivalent of {@link getIdTimeMs}. The SQL returns a timestamptz.
 * @param id an SQL expression of type uuid
 */
export function idTimeSql(id: string): string {
  return `to_timestamp(('x0000' || left(replace((${id})::text, '-', ''), 12))::bit(64)::bigint / 1000.0)`;
}

/**
 * Builds the SQL equivalent of {@link firstIdAt}. Rounds the time up to whole milliseconds.
 * @param time an SQL expression of type timestamptz
 */
export function firstIdAtSql(time: string): string {
  const hex = `lpad(to_hex(greatest(0, ceil(extract(epoch from ${time}) * 1000))::bigint), 12, '0')`;
  return `(${hex} || '-0000-0000-000000000000')::uuid`;
}
