import { Paper, Text, Title } from '@mantine/core';
import type { Schemas } from '../../api/records';
import { RecordTable } from '../../parts/record/record-table';
import { humanize, StatusBadge } from '../../parts/record/status-badge';
import { ScreenLink } from '../../parts/url/links';
import { TimeAgo } from '../../parts/values/time';

type Delivery = Schemas['WebhookDelivery'];

/** The newest failed deliveries. Each delivery links to its attempts. */
export function LastFailures({ failures }: { failures: readonly Delivery[] }) {
  return (
    <Paper component="section" withBorder p="sm" miw={0} aria-labelledby="last-failures">
      <Title order={2} size="sm" mb={4} id="last-failures">
        Last failed deliveries
      </Title>
      <RecordTable
        label="Last failed deliveries"
        rows={failures}
        rowKey={({ id }) => id}
        empty="No delivery has failed."
        columns={[
          {
            header: 'Event',
            render: ({ id, event_type: type }) => (
              <ScreenLink screen="webhooks" search={{ view: 'deliveries', delivery: id }}>
                {type}
              </ScreenLink>
            ),
          },
          { header: 'Status', render: ({ status }) => <StatusBadge status={status} /> },
          { header: 'Reason', render: (delivery) => <Text size="sm">{describeReason(delivery)}</Text> },
          { header: 'Last attempt', render: ({ last_attempt_at: at }) => <TimeAgo at={at} /> },
        ]}
      />
    </Paper>
  );
}

function describeReason({ last_response_status: status, last_error: error }: Delivery): string {
  if (status !== null) return `Response ${status}`;
  return error ? humanize(error) : '–';
}
