import { LRUCache } from 'lru-cache';

interface ZoneFormats {
  day: Intl.DateTimeFormat;
  time: Intl.DateTimeFormat;
  dayAndTime: Intl.DateTimeFormat;
}

/**
 * The formats of time zones. To create those of one zone takes a millisecond (measured), and the
 * page of every motorist asks for them four times a minute.
 */
const formats = new LRUCache<string, ZoneFormats>({ max: 200 });

/** Formats a time in the account's time zone, with the day unless it is the day of `now` there. */
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
