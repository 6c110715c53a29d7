const UNITS = [
  ['year', 365 * 86_400_000],
  ['month', 30 * 86_400_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });

/** Formats the time between an instant and now: "5 min. ago", "in 2 days", "just now". */
export function formatRelative(at: string, now: number): string {
  const distance = Date.parse(at) - now;
  const unit = UNITS.find(([, ms]) => Math.abs(distance) >= ms);
  if (!unit) return 'just now';
  return relative.format(Math.round(distance / unit[1]), unit[0]);
}

/** Formats an instant in a time zone: "Nov 21, 2026, 2:30 PM EST". */
export function formatExact(at: string, timeZone: string, { hasSeconds = false } = {}): string {
  const options = { dateStyle: undefined, timeZone, timeZoneName: 'short' } as const;
  return new Date(at).toLocaleString('en-US', {
    ...options,
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    ...(hasSeconds ? { second: '2-digit' as const } : {}),
  });
}

/** Formats the date of an instant in a time zone: "Nov 21, 2026". */
export function formatDate(at: string, timeZone: string): string {
  return new Date(at).toLocaleDateString('en-US', { timeZone, dateStyle: 'medium' });
}

/** Returns the value of a datetime-local field for an instant: "2026-11-21T14:30". */
export function toZonedInput(at: string, timeZone: string): string {
  const ms = Date.parse(at);
  return new Date(ms + offsetMs(ms, timeZone)).toISOString().slice(0, 16);
}

/**
 * Converts the text of a datetime-local field in a time zone to an instant. Returns null if the
 * field is empty.
 */
export function fromZonedInput(text: string, timeZone: string): string | null {
  const wall = Date.parse(`${text}Z`);
  if (Number.isNaN(wall)) return null;
  // The offset depends on the instant, which is not known yet. So take the offset at a first guess.
  // The guess is wrong only within hours of a change of daylight saving time, and the second offset
  // corrects it.
  const guess = wall - offsetMs(wall, timeZone);
  return new Date(wall - offsetMs(guess, timeZone)).toISOString();
}

/** Returns the current date in a time zone: "2026-11-21". */
export function readToday(timeZone: string): string {
  return toZonedInput(new Date().toISOString(), timeZone).slice(0, 10);
}

/** Returns the date some days after a date, or before it. Returns any other text unchanged. */
export function shiftDay(day: string, days: number): string {
  const ms = Date.parse(`${day}T00:00Z`);
  return Number.isNaN(ms) ? day : new Date(ms + days * 86_400_000).toISOString().slice(0, 10);
}

/** Returns the instant at which a date ("2026-11-21") begins in a time zone. */
export function startOfDay(date: string, timeZone: string): string | undefined {
  return fromZonedInput(`${date}T00:00`, timeZone) ?? undefined;
}

/** Returns the instant at which the day after a date begins in a time zone. */
export function endOfDay(date: string, timeZone: string): string | undefined {
  return startOfDay(shiftDay(date, 1), timeZone);
}

/** Returns the time zone's offset from UTC at an instant, in ms. */
function offsetMs(ms: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(ms);
  const read = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  const wall = Date.UTC(
    read('year'),
    read('month') - 1,
    read('day'),
    read('hour'),
    read('minute'),
    read('second'),
  );
  return wall - Math.floor(ms / 1000) * 1000;
}
