import { Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTimeZone } from '../../api/session';
import { formatExact, formatRelative } from './zoned-time';

/**
 * Returns the current time. Renders the component again every half minute, so that relative times
 * stay correct.
 */
function useNow(): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** A relative time, such as "5 min. ago". Hover or focus shows the exact time. */
export function TimeAgo({ at, empty = '–' }: { at: string | null | undefined; empty?: string }) {
  const now = useNow();
  const timeZone = useTimeZone();
  if (!at) return <>{empty}</>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the exact time shows on focus
    <time dateTime={at} tabIndex={0} className="tip" data-tip={formatExact(at, timeZone)}>
      {formatRelative(at, now)}
    </time>
  );
}

/** Date and time in the account's time zone. */
export function ExactTime({
  at,
  empty = '–',
  hasSeconds = false,
}: {
  at: string | null | undefined;
  empty?: string;
  /** True to show seconds, for events within the same minute. */
  hasSeconds?: boolean;
}) {
  const timeZone = useTimeZone();
  if (!at) return <>{empty}</>;
  return (
    <Text component="time" inherit dateTime={at} className="digits">
      {formatExact(at, timeZone, { hasSeconds })}
    </Text>
  );
}
