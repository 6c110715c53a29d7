import { Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTimeZone } from '../../api/session';
import { formatExact, formatRelative } from './zoned-time';

/**
 * Returns the time now, and renders the component again every half minute, so that relative times
 * stay right.
 */
function useNow(): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** How long ago, or in how long, with the exact time on hover and focus. */
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
  /** True to show seconds, for events that follow each other within a minute. */
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
