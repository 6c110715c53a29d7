const OFFSET_HOURS = -4;
let clock = 0;

/**
 * Returns microseconds since 1970. No two calls for the same millisecond return the same number, as
 * far as it has room for them.
 */
export function toMicros(date: Date): number {
  clock = (clock + 1) % 1000;
  return date.getTime() * 1000 + clock;
}

/** Writes a time as RoadSync does: in local time, with six decimals and the offset. */
export function toStamp(micros: number): string {
  const local = new Date(Math.floor(micros / 1000) + OFFSET_HOURS * 3_600_000).toISOString().slice(0, 19);
  return `${local}.${String(micros % 1_000_000).padStart(6, '0')}-04:00`;
}

/** Reads a time of ISO 8601 with up to six decimals. Returns NaN for another text. */
export function readMicros(text: string): number {
  const [, decimals = ''] = /\.(\d+)/.exec(text) ?? [];
  const wholeSeconds = Date.parse(text.replace(/\.\d+/, ''));
  return wholeSeconds * 1000 + Number(decimals.padEnd(6, '0').slice(0, 6));
}
