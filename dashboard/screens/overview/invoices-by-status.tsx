import { Paper, Title } from '@mantine/core';
import type { Schemas } from '../../api/records';
import { RecordTable } from '../../parts/record/record-table';
import { humanize } from '../../parts/record/status-badge';
import { ScreenLink } from '../../parts/url/links';
import { Money } from '../../parts/values/money';
import { formatCount } from './figures/hours';

/** The number of invoices in each status. Each status links to its list. */
export function InvoicesByStatus({ counts }: { counts: Schemas['Overview']['invoices']['by_status'] }) {
  return (
    <Paper component="section" withBorder p="sm" miw={0} aria-labelledby="invoices-by-status">
      <Title order={2} size="sm" mb={4} id="invoices-by-status">
        Invoices by status
      </Title>
      <RecordTable
        label="Invoices by status"
        rows={counts.filter(({ count }) => count > 0)}
        rowKey={({ status }) => status}
        empty="There are no invoices yet."
        columns={[
          {
            header: 'Status',
            render: ({ status }) => (
              <ScreenLink screen="invoices" search={{ status }}>
                {humanize(status)}
              </ScreenLink>
            ),
          },
          {
            header: 'Invoices',
            align: 'right',
            render: ({ count, has_more: hasMore }) => (
              <span className="digits">{hasMore ? `${formatCount(count)} or more` : formatCount(count)}</span>
            ),
          },
          {
            header: 'Total',
            align: 'right',
            render: ({ total_cents: cents, has_more: hasMore }) => (
              <>
                {hasMore && 'over '}
                <Money cents={cents} />
              </>
            ),
          },
        ]}
      />
    </Paper>
  );
}
