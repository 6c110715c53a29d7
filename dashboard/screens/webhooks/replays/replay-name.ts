import type { Schemas } from '../../../api/records';

/** Returns a name for a replay: "Replay of exhausted invoice.* deliveries". */
export function nameReplay({ kind, filter }: Schemas['WebhookReplay']): string {
  if (kind === 'recover') return 'Recovery of missed events';
  const type = filter.event_type === '*' ? null : filter.event_type;
  return ['Replay of', filter.status, type, 'deliveries'].filter(Boolean).join(' ');
}
