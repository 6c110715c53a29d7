import { TriangleAlert } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import type { WorkOrder } from '../../../api/records';

const TICK_MS = 30_000;
const MINUTE_MS = 60_000;

let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

/**
 * Subscribes to the one clock of all cards. With one timer per card, the cards would be rendered
 * one after the other.
 */
function subscribe(listener: () => void): () => void {
  // Set the clock, which stood still while no card was shown.
  if (listeners.size === 0) now = Date.now();
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

/** After how many minutes a work order in this status needs a dispatcher's attention. */
const LATE_AFTER_MINUTES = { pending: 30, dispatched: 60, in_progress: 180 } as const;

/** How long the work order waits, or has been under way, with a warning if that is too long. */
export function Age({
  workOrder,
}: {
  workOrder: Pick<WorkOrder, 'status' | 'created_at' | 'dispatch_time' | 'completion_time' | 'eta'>;
}) {
  const shown = useNow();
  const {
    status,
    created_at: created,
    dispatch_time: dispatched,
    completion_time: completed,
    eta,
  } = workOrder;
  if (status === 'completed') return <AgeText since={completed ?? created} now={shown} word="ago" />;
  if (status === 'cancelled') return null;
  const since = status === 'pending' ? created : (dispatched ?? created);
  const isPastEta = status === 'dispatched' && eta !== null && Date.parse(eta) < shown;
  const isLate = shown - Date.parse(since) > LATE_AFTER_MINUTES[status] * MINUTE_MS;
  const warning = isPastEta
    ? 'Past ETA'
    : isLate
      ? status === 'pending'
        ? 'Waits long'
        : 'Takes long'
      : undefined;
  return <AgeText since={since} now={shown} {...(warning ? { warning } : {})} />;
}

function AgeText({
  since,
  now,
  word = '',
  warning,
}: {
  since: string;
  now: number;
  word?: string;
  warning?: string;
}) {
  return (
    <span className={warning ? 'dispatch-late' : 'dispatch-dim'}>
      {warning && (
        <>
          <TriangleAlert size={13} aria-hidden /> {warning}{' '}
        </>
      )}
      <time dateTime={since} className="digits">
        {formatAge(Math.max(0, now - Date.parse(since)))} {word}
      </time>
    </span>
  );
}

/** Formats a duration in the two largest units: "25 min", "3 h 20 min", "2 d 4 h". */
function formatAge(ms: number): string {
  const minutes = Math.floor(ms / MINUTE_MS);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  const days = Math.floor(hours / 24);
  return hours % 24 === 0 ? `${days} d` : `${days} d ${hours % 24} h`;
}
