import type { Schemas } from '../../../api/records';
import { useCan } from '../../../api/session';
import { CLAIM_STATUS } from '../../../generated/vocabulary';
import { wordsOf } from '../../../parts/choices/words';
import { type Filter, SEARCH } from '../../../parts/list/filters';
import { ListScreen } from '../../../parts/list/list-screen';
import { ClaimState, findDeadline } from '../../../parts/record/claim-state';
import type { Column } from '../../../parts/record/record-table';
import { ScreenLink } from '../../../parts/url/links';
import { buildCurl } from '../../../parts/values/curl';
import { Money } from '../../../parts/values/money';
import { TimeAgo } from '../../../parts/values/time';

type Claim = Schemas['ClaimListItem'];

const FILTERS: readonly Filter[] = [
  { name: 'status', label: 'Status', kind: 'choice', options: wordsOf(CLAIM_STATUS) },
  SEARCH,
];

const COLUMNS: readonly Column<Claim>[] = [
  { header: 'Motor club', render: ({ club }) => club },
  { header: 'Status', width: 150, render: (claim) => <ClaimState claim={claim} /> },
  { header: 'Customer', render: ({ customer_name: name }) => name ?? '–' },
  { header: 'PO number', render: ({ po_number: number }) => number ?? '–' },
  { header: 'Next deadline', render: (claim) => <Deadline claim={claim} /> },
  { header: 'Submitted', render: ({ submitted_at: at }) => <TimeAgo at={at} empty="Not yet" /> },
  { header: 'Expected', align: 'right', render: ({ expected_cents: cents }) => <Money cents={cents} /> },
  { header: 'Paid', align: 'right', render: ({ paid_cents: cents }) => <Money cents={cents} /> },
];

function Deadline({ claim }: { claim: Claim }) {
  const deadline = findDeadline(claim);
  if (!deadline) return '–';
  return (
    <>
      {deadline.label} <TimeAgo at={deadline.at} />
    </>
  );
}

const EMPTY = {
  text: 'There are no claims yet. A claim asks a motor club to pay an invoice.',
};
/** The empty list of people who may make claims. */
const EMPTY_WITH_STEP = {
  text: `${EMPTY.text} Open the invoice, and make it in the tab Claims.`,
  action: (
    <ScreenLink screen="invoices" isInText>
      Choose an invoice
    </ScreenLink>
  ),
  curl: buildCurl('/claims', {
    method: 'POST',
    body: { invoice_id: '<id of an invoice>', club: 'Interstate Motor Club', po_number: 'PO-1001' },
  }),
};

/** The claims of all invoices. A row opens the tab Claims of its invoice. */
export function ClaimsView() {
  const canWrite = useCan('write');
  return (
    <ListScreen<Claim>
      isView
      name="Claims"
      path="/claims"
      fixedQuery={{ expand: 'names' }}
      filters={FILTERS}
      columns={COLUMNS}
      nameHeader="Invoice"
      rowName={({ invoice_number: number }) => number ?? 'Open invoice'}
      findRecord={({ invoice_id: id }) => ({ id, tab: 'claims' })}
      empty={canWrite ? EMPTY_WITH_STEP : EMPTY}
    />
  );
}
