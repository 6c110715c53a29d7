import { Button } from '@mantine/core';
import { useState } from 'react';
import { client } from '../../api/client';
import type { Schemas } from '../../api/records';
import { useCan } from '../../api/session';
import { PagedTable } from '../../parts/record/paged-table';
import { humanize, StatusBadge } from '../../parts/record/status-badge';
import { RecordLink } from '../../parts/url/links';
import { Money } from '../../parts/values/money';
import { LineDialog } from './line-dialog';

type Line = Schemas['RemittanceLine'];

/** The lines of a remittance, each with the reason why it matches or not. */
export function RemittanceLines({ remittanceId }: { remittanceId: string }) {
  const [opened, setOpened] = useState<Line>();
  const canWrite = useCan('write');
  return (
    <>
      <PagedTable<Line>
        label="Lines of the remittance"
        queryKey={['/remittance-lines', remittanceId]}
        readPage={async (cursor) => {
          const query = { remittance_id: remittanceId, limit: 100, ...(cursor ? { cursor } : {}) };
          const { data } = await client.GET('/remittance-lines', { params: { query } });
          return data?.data ?? { items: [], cursor: null };
        }}
        rowKey={({ id }) => id}
        empty="The remittance has no lines."
        columns={[
          { header: 'Line', align: 'right', render: ({ position }) => position },
          { header: 'PO', render: ({ po_number: po }) => po ?? '–' },
          { header: 'Invoice', render: (line) => <InvoiceCell line={line} /> },
          { header: 'Amount', align: 'right', render: ({ amount_cents: cents }) => <Money cents={cents} /> },
          {
            header: 'Expected',
            align: 'right',
            render: ({ expected_cents: cents }) => (cents === null ? '–' : <Money cents={cents} />),
          },
          { header: 'Status', render: (line) => <State line={line} /> },
          { header: 'Reason', render: (line) => line.ignored_reason ?? line.reason },
          {
            header: 'Decision',
            render: (line) =>
              line.status === 'applied' || !canWrite ? (
                '–'
              ) : (
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={`Decide on line ${line.position}`}
                  onClick={() => setOpened(line)}
                >
                  Decide
                </Button>
              ),
          },
        ]}
      />
      {opened && <LineDialog line={opened} onClose={() => setOpened(undefined)} />}
    </>
  );
}

function InvoiceCell({
  line: { invoice_id: id, invoice_number: number, claim_id: claimId },
}: {
  line: Line;
}) {
  if (id === null) return number ?? '–';
  return (
    <RecordLink screen="invoices" id={id} tab={claimId ? 'claims' : undefined}>
      {number ?? 'Open invoice'}
    </RecordLink>
  );
}

function State({ line: { status, outcome } }: { line: Line }) {
  if (status !== 'open') return <StatusBadge status={status} />;
  return humanize(outcome);
}
