import { StatusBadge } from './status-badge';

interface Delivered {
  state: string;
  delivered_at: string | null;
}

/** Returns when a text arrived; null if it has not, or if another attempt has failed since. */
export function findDeliveredAt({ state, delivered_at }: Delivered): string | null {
  return state === 'failed' ? null : delivered_at;
}

/** The state of a mail or text. A text that has arrived shows `Delivered`. */
export function MessageBadge({ message }: { message: Delivered }) {
  return <StatusBadge status={findDeliveredAt(message) === null ? message.state : 'delivered'} />;
}
