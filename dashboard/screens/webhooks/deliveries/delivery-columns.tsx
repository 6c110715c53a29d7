import type { Schemas } from '../../../api/records';
import type { Column } from '../../../parts/record/record-table';
import { humanize, StatusBadge } from '../../../parts/record/status-badge';
import { TimeAgo } from '../../../parts/values/time';

export type Delivery = Schemas['WebhookDelivery'];

/** The columns of a list of deliveries besides the one that links to them. */
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

/** Returns the status of the last response, or why there was none. */
export function describeResponse({ last_response_status: status, last_error: error }: Delivery): string {
  if (status !== null) return `HTTP ${status}`;
  return error ? nameError(error) : '–';
}

/** Names an error class: "http_500" is "HTTP 500", "blocked_address" is "Blocked address". */
export function nameError(error: string): string {
  return humanize(error).replace(/^Http /, 'HTTP ');
}
