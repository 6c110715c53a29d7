import { TriangleAlert } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import type { WorkOrder } from '../../../api/records';

const TICK_MS = 30_000;
const MINUTE_MS = 60_000;

let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

/**
 * Subscribes to the clock that all cards share. With a timer for each card, React would render the
 * cards separately.
 */
function subscribe(listener: () => void): () => void {
  // The clock stands still while no card is shown, so set it now.
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

/** Returns the time now, and renders the component again every half minute. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

/** After this many minutes, a work order in this status needs the dispatcher's attention. */
const LATE_AFTER_MINUTES = { pending: 30, dispatched: 60, in_progress: 180 } as const;

type AgedWorkOrder = Pick<WorkOrder, 'status' | 'created_at' | 'dispatch_time' | 'completion_time' | 'eta'>;

/** The time that a work order has been waiting or under way. */
export interface AgeFacts {
  since: string;
  text: string;
  /** Set if the time is too long. */
  warning: string | undefined;
}

/** Returns the age of the work order; undefined if it is cancelled. */
export function describeAge(workOrder: AgedWorkOrder, now: number): AgeFacts | undefined {
  const { status, created_at: created, dispatch_time: dispatched, completion_time: completed } = workOrder;
  if (status === 'cancelled') return undefined;
  if (status === 'completed') {
    const since = completed ?? created;
    return { since, text: `${formatAge(now - Date.parse(since))} ago`, warning: undefined };
  }
  const since = status === 'pending' ? created : (dispatched ?? created);
  const age = now - Date.parse(since);
  const isLate = age > LATE_AFTER_MINUTES[status] * MINUTE_MS;
  return { since, text: formatAge(age), warning: warn(workOrder, isLate, now) };
}

function warn({ status, eta }: AgedWorkOrder, isLate: boolean, now: number): string | undefined {
  if (status === 'dispatched' && eta !== null && Date.parse(eta) < now) return 'Past ETA';
  if (!isLate) return undefined;
  return status === 'pending' ? 'Waits long' : 'Takes long';
}

/** The age of a work order outside the board, such as in its drawer. */
export function Age({ workOrder }: { workOrder: AgedWorkOrder }) {
  const age = describeAge(workOrder, useNow());
  return age ? renderAge(age) : null;
}

/**
 * A function and not a component: with a component, React would render one more component for each
 * of 200 cards.
 */
export function renderAge({ since, text, warning }: AgeFacts) {
  return (
    <span className={warning ? 'dispatch-late' : 'dispatch-dim'}>
      {warning && (
        <>
          <TriangleAlert size={13} aria-hidden /> {warning}{' '}
        </>
      )}
      <time dateTime={since} className="digits">
        {text}
      </time>
    </span>
  );
}

/** Formats a duration in the two largest units: "25 min", "3 h 20 min", "2 d 4 h". */
function formatAge(ms: number): string {
  const minutes = Math.floor(Math.max(0, ms) / MINUTE_MS);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  const days = Math.floor(hours / 24);
  return hours % 24 === 0 ? `${days} d` : `${days} d ${hours % 24} h`;
}
