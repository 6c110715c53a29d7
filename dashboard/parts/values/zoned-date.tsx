import { useTimeZone } from '../../api/session';
import { formatDate } from './zoned-time';

/** The date of an instant in the account's time zone. */
export function ZonedDate({ at, empty = '–' }: { at: string | null | undefined; empty?: string }) {
  const timeZone = useTimeZone();
  if (!at) return <>{empty}</>;
  return (
    <time className="digits" dateTime={at}>
      {formatDate(at, timeZone)}
    </time>
  );
}
