import type { Schemas } from '../../../api/records';
import type { Column } from '../../../parts/record/record-table';
import { humanize, StatusBadge } from '../../../parts/record/status-badge';
import { TimeAgo } from '../../../parts/values/time';

export type Delivery = Schemas['WebhookDelivery'];

/** The columns of a list of deliveries, without the first column with the links. */
export const DELIVERY_COLUMNS: readonly Column<Delivery>[] = [
  { header: 'Status', width: 130, render: ({ status }) => <StatusBadge status={status} /> },
  { header: 'Response', render: describeResponse },
  {
    header: 'Attempts',
    align: 'right',
    render: ({ attempts }) => <span className="digits">{attempts}</span>,
  },
  { header: 'Next attempt', width: 130, render: ({ next_attempt_at: at }) => <TimeAgo at={at} /> },
  { header: 'Trigger', render: ({ trigger }) => humanize(trigger) },
  { header: 'Created', width: 130, render: ({ created_at: at }) => <TimeAgo at={at} /> },
];

/** Returns the status of the last response, or the reason why there was no response. */
export function describeResponse({ last_response_status: status, last_error: error }: Delivery): string {
  if (status !== null) return `HTTP ${status}`;
  return error ? nameError(error) : '–';
}

/**
 * Returns the name of an error class. "http_500" becomes "HTTP 500", and "blocked_address" becomes
 * "Blocked address".
 */
export function nameError(error: string): string {
  return humanize(error).replace(/^Http /, 'HTTP ');
}
