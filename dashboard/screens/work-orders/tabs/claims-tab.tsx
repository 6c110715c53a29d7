import { useQuery } from '@tanstack/react-query';
import { api, client } from '../../../api/client';
import type { Schemas, WorkOrder } from '../../../api/records';
import { Loading } from '../../../parts/basics/loading';
import { ProblemAlert } from '../../../parts/feedback/problem-alert';
import { ClaimState } from '../../../parts/record/claim-state';
import { RecordTable } from '../../../parts/record/record-table';
import { RecordLink } from '../../../parts/url/links';
import { Money } from '../../../parts/values/money';
import { TimeAgo } from '../../../parts/values/time';

type Claim = Schemas['Claim'];

/** The claims to motor clubs for the invoices of the work order. */
export function ClaimsTab({ workOrder }: { workOrder: WorkOrder }) {
  const query = { work_order_id: workOrder.id, limit: 200 };
  const found = api.useQuery('get', '/invoices', { params: { query } });
  const invoices = found.data?.data.items ?? [];
  const claims = useQuery({
    queryKey: ['claims of invoices', invoices.map(({ id }) => id)],
    queryFn: async () => (await Promise.all(invoices.map(({ id }) => readClaims(id)))).flat(),
    enabled: found.isSuccess,
  });
  const error = found.error ?? claims.error;
  if (error) return <ProblemAlert problem={error} onRetry={() => void found.refetch()} />;
  if (!claims.data) return <Loading rows={3} />;
  const numberOf = (claim: Claim) => invoices.find(({ id }) => id === claim.invoice_id)?.invoice_number;
  return (
    <RecordTable
      label="Claims"
      rows={claims.data}
      rowKey={({ id }) => id}
      empty="No motor club is billed for this work order. A claim is made from its invoice."
      columns={[
        {
          header: 'Motor club',
          render: ({ club, invoice_id: id }) => (
            <RecordLink screen="invoices" id={id} tab="claims">
              {club}
            </RecordLink>
          ),
        },
        {
          header: 'Status',
          render: (claim) => (
            <>
              <ClaimState claim={claim} />
              {claim.denial_reason && <div>{claim.denial_reason}</div>}
            </>
          ),
        },
        {
          header: 'Invoice',
          render: (claim) => (
            <RecordLink screen="invoices" id={claim.invoice_id}>
              {numberOf(claim)}
            </RecordLink>
          ),
        },
        { header: 'PO number', render: ({ po_number: number }) => number ?? '–' },
        { header: 'Submitted', render: ({ submitted_at: at }) => <TimeAgo at={at} /> },
        {
          header: 'Expected',
          align: 'right',
          render: ({ expected_cents: cents }) => <Money cents={cents} />,
        },
        { header: 'Paid', align: 'right', render: ({ paid_cents: cents }) => <Money cents={cents} /> },
      ]}
    />
  );
}

async function readClaims(invoiceId: string): Promise<Claim[]> {
  const query = { invoice_id: invoiceId, limit: 50 };
  return (await client.GET('/claims', { params: { query } })).data?.data.items ?? [];
}
