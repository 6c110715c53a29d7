import type { Schemas } from '../../api/records';
import { PUBLISHED_DETECTOR, SUGGESTION_KIND, SUGGESTION_STATUS } from '../../generated/vocabulary';
import { wordsOf } from '../../parts/choices/words';
import type { Filter } from '../../parts/list/filters';
import { OpenAndAll } from '../../parts/list/open-and-all';
import type { Column } from '../../parts/record/record-table';
import { humanize, StatusBadge } from '../../parts/record/status-badge';
import { ScreenLink } from '../../parts/url/links';
import { buildCurl } from '../../parts/values/curl';
import { Money } from '../../parts/values/money';
import { TimeAgo } from '../../parts/values/time';
import { formatShare } from './reason-numbers';
import { SubjectLink } from './subject-link';

type Suggestion = Schemas['Suggestion'];

const FILTERS: readonly Filter[] = [
  { name: 'kind', label: 'Kind', kind: 'choice', options: wordsOf(SUGGESTION_KIND) },
  { name: 'detector', label: 'Detector', kind: 'choice', options: PUBLISHED_DETECTOR },
];

const COLUMNS: readonly Column<Suggestion>[] = [
  { header: 'About', render: (suggestion) => <SubjectLink suggestion={suggestion} /> },
  { header: 'Kind', render: ({ kind }) => humanize(kind) },
  { header: 'At stake', align: 'right', render: ({ amount_cents: cents }) => <Money cents={cents} /> },
  {
    header: 'Confidence',
    align: 'right',
    render: ({ confidence }) => <span className="digits">{formatShare(confidence)}</span>,
  },
  { header: 'Status', render: ({ status }) => <StatusBadge status={status} /> },
  { header: 'Found', render: ({ created_at: at }) => <TimeAgo at={at} /> },
];

const HOW =
  'Detectors compare each invoice and work order that changes with similar ones of this account, and find fees that were not billed, unusual amounts and duplicates. They begin when 8 similar work orders are billed. Billed miles are also compared with the positions of trucks, billed storage with released impounds, and invoices with what their customers cover. Denied claims are listed here too. The same list for a program:';

export function SuggestionsScreen() {
  const curl = buildCurl('/suggestions', { query: { status: 'open' } });
  const action = (
    <ScreenLink screen="work-orders" search={{ status: 'completed' }} isInText>
      Bill the completed work orders
    </ScreenLink>
  );
  return (
    <OpenAndAll<Suggestion>
      name="Suggestions"
      path="/suggestions"
      waiting={{ status: 'open', label: 'Open' }}
      statuses={wordsOf(SUGGESTION_STATUS)}
      filters={FILTERS}
      columns={COLUMNS}
      nameHeader="Suggestion"
      rowName={({ title }) => title}
      empty={{ text: `Nothing is open. ${HOW}`, action, curl }}
      emptyAll={{ text: `There are no suggestions yet. ${HOW}`, action, curl }}
    />
  );
}
