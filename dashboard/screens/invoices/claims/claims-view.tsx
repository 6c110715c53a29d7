import type { Schemas } from '../../../api/records';
import { CLAIM_STATUS } from '../../../generated/vocabulary';
import { wordsOf } from '../../../parts/choices/words';
import { type Filter, SEARCH } from '../../../parts/list/filters';
import { ListScreen } from '../../../parts/list/list-screen';
import { ClaimState } from '../../../parts/record/claim-state';
import type { Column } from '../../../parts/record/record-table';
import { ScreenLink } from '../../../parts/url/links';
import { useUrlSearch } from '../../../parts/url/use-url';
import { buildCurl } from '../../../parts/values/curl';
import { Money } from '../../../parts/values/money';
import { TimeAgo } from '../../../parts/values/time';

type Claim = Schemas['ClaimListItem'];

const FILTERS: readonly Filter[] = [
  { name: 'status', label: 'Status', kind: 'choice', options: wordsOf(CLAIM_STATUS) },
  SEARCH,
];
const OF_INVOICE: Filter = { name: 'invoice_id', label: 'Invoice', kind: 'text' };

const COLUMNS: readonly Column<Claim>[] = [
  { header: 'Motor club', render: ({ club }) => club },
  { header: 'Status', width: 150, render: (claim) => <ClaimState claim={claim} /> },
  { header: 'Customer', render: ({ customer_name: name }) => name ?? '–' },
  { header: 'PO number', render: ({ po_number: number }) => number ?? '–' },
  { header: 'Act by', render: (claim) => <TimeAgo at={findDeadline(claim)} /> },
  { header: 'Submitted', render: ({ submitted_at: at }) => <TimeAgo at={at} empty="Not yet" /> },
  { header: 'Expected', align: 'right', render: ({ expected_cents: cents }) => <Money cents={cents} /> },
  { header: 'Paid', align: 'right', render: ({ paid_cents: cents }) => <Money cents={cents} /> },
];

/** The time at which the claim expires if nobody sends it. */
function findDeadline({ status, submit_by, respond_by }: Claim): string | null {
  if (status === 'queued') return submit_by;
  return status === 'denied' || status === 'rebilling' ? respond_by : null;
}

/** The claims of all invoices. A row opens the tab Claims of its invoice. */
export function ClaimsView() {
  const isOfInvoice = useUrlSearch().invoice_id !== undefined;
  return (
    <ListScreen<Claim>
      isView
      name="Claims"
      path="/claims"
      fixedQuery={{ expand: 'names' }}
      // People do not type the id of an invoice, so this filter shows only if a link has set it.
      filters={isOfInvoice ? [...FILTERS, OF_INVOICE] : FILTERS}
      columns={COLUMNS}
      nameHeader="Invoice"
      rowName={({ invoice_number: number }) => number ?? 'Open invoice'}
      findRecord={({ invoice_id: id }) => ({ id, tab: 'claims' })}
      empty={{
        text: 'There are no claims yet. A claim asks a motor club to pay an invoice: open the invoice, and make it in the tab Claims.',
        action: (
          <ScreenLink screen="invoices" isInText>
            Choose an invoice
          </ScreenLink>
        ),
        curl: buildCurl('/claims', {
          method: 'POST',
          body: { invoice_id: '<id of an invoice>', club: 'Interstate Motor Club', po_number: 'PO-1001' },
        }),
      }}
    />
  );
}
