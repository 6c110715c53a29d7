import { StatusBadge } from './status-badge';

/** The state of a mail or text. A text that has arrived shows `Delivered`. */
export function MessageBadge({
  message: { state, delivered_at },
}: {
  message: { state: string; delivered_at: string | null };
}) {
  return <StatusBadge status={state !== 'failed' && delivered_at !== null ? 'delivered' : state} />;
}
