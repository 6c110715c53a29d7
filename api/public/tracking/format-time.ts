import { LRUCache } from 'lru-cache';

interface ZoneFormats {
  day: Intl.DateTimeFormat;
  time: Intl.DateTimeFormat;
  dayAndTime: Intl.DateTimeFormat;
}

/**
 * The cached formatters by time zone. Creating one takes a millisecond (measured), and the page of
 * every motorist needs one four times a minute.
 */
const formats = new LRUCache<string, ZoneFormats>({ max: 200 });

/**
 * Formats a time in the account's time zone. Adds the day unless `at` and `now` are on the same
 * day.
 */
export function formatTime(at: Date, { timeZone, now }: { timeZone: string; now: Date }): string {
  const { day, time, dayAndTime } = getFormats(timeZone);
  return (day.format(at) === day.format(now) ? time : dayAndTime).format(at);
}

function getFormats(timeZone: string): ZoneFormats {
  const known = formats.get(timeZone);
  if (known) return known;
  const clock = { timeZone, hour: 'numeric', minute: '2-digit', timeZoneName: 'short' } as const;
  const created = {
    day: new Intl.DateTimeFormat('sv-SE', { timeZone }),
    time: new Intl.DateTimeFormat('en-US', clock),
    dayAndTime: new Intl.DateTimeFormat('en-US', {
      ...clock,
      weekday: 'short',
      month: 'short',
      day: 'numeric',
    }),
  };
  formats.set(timeZone, created);
  return created;
}
