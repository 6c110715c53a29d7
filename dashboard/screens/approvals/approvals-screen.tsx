import { api } from '../../api/client';
import { APPROVAL_STATUS } from '../../generated/vocabulary';
import { useListedInvoice } from '../../parts/choices/listed-invoice';
import { wordsOf } from '../../parts/choices/words';
import type { Filter } from '../../parts/list/filters';
import { OpenAndAll } from '../../parts/list/open-and-all';
import type { Column } from '../../parts/record/record-table';
import { StatusBadge } from '../../parts/record/status-badge';
import { ScreenLink } from '../../parts/url/links';
import { buildCurl } from '../../parts/values/curl';
import { Money } from '../../parts/values/money';
import { TimeAgo } from '../../parts/values/time';
import { type Approval, describeRequest, nameAsker } from './approval-text';
import { PayerName } from './payer-name';

const KIND: Filter = {
  name: 'kind',
  label: 'Kind',
  kind: 'choice',
  options: [
    { value: 'agent_write', label: 'Held write' },
    { value: 'invoice_approval', label: 'Proposal' },
  ],
};

const COLUMNS: readonly Column<Approval>[] = [
  { header: 'Who asks', render: nameAsker },
  { header: 'Amount', align: 'right', render: ({ amount_cents: cents }) => <Money cents={cents} /> },
  { header: 'Customer', render: (approval) => <CustomerCell approval={approval} /> },
  { header: 'Status', render: ({ status }) => <StatusBadge status={status} /> },
  { header: 'Requested', render: ({ created_at: at }) => <TimeAgo at={at} /> },
  { header: 'Expires', render: (approval) => <Expiry approval={approval} /> },
];

const HOW =
  'An agent’s draft waits here if it reaches the approval threshold of the account (Settings). An agent with the scope propose_approvals can also ask a person to approve an invoice; an API key can do the same:';

export function ApprovalsScreen() {
  const agents = useAgentFilter();
  const curl = buildCurl('/approvals', {
    method: 'POST',
    body: {
      kind: 'invoice_approval',
      invoice_id: '<id of a draft>',
      justification: 'Lines match the signed tow slip and the club rate card.',
    },
  });
  const action = (
    <ScreenLink screen="settings" isInText>
      Set the approval threshold
    </ScreenLink>
  );
  return (
    <OpenAndAll<Approval>
      name="Approvals"
      path="/approvals"
      waiting={{ status: 'pending', label: 'Pending' }}
      statuses={wordsOf(APPROVAL_STATUS)}
      filters={[KIND, agents]}
      columns={COLUMNS}
      nameHeader="What"
      rowName={(approval) => <RequestName approval={approval} />}
      empty={{ text: `Nothing waits for your decision. ${HOW}`, action, curl }}
      emptyAll={{ text: `No agent has asked for an approval yet. ${HOW}`, action, curl }}
    />
  );
}

/**
 * Returns the filter by agent. It offers the agents with recent requests, because only people with
 * the right admin may list all agent keys.
 */
function useAgentFilter(): Filter {
  const { data } = api.useQuery(
    'get',
    '/approvals',
    { params: { query: { limit: 100 } } },
    { staleTime: 60_000 },
  );
  const agents = new Map(
    (data?.data.items ?? []).flatMap(({ agent_id: id, agent_name: name }) => (id ? [[id, name ?? id]] : [])),
  );
  return {
    name: 'agent_id',
    label: 'Agent',
    kind: 'choice',
    options: [...agents].map(([value, label]) => ({ value, label })),
  };
}

function RequestName({ approval }: { approval: Approval }) {
  return <>{describeRequest(approval, useListedInvoice(approval.invoice_id)?.invoice_number)}</>;
}

function CustomerCell({ approval }: { approval: Approval }) {
  return <PayerName approval={approval} invoice={useListedInvoice(approval.invoice_id)} isLink />;
}

function Expiry({ approval: { status, expires_at: at } }: { approval: Approval }) {
  return status === 'pending' || status === 'expired' ? <TimeAgo at={at} /> : <>–</>;
}
