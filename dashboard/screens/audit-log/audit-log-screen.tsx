import { Code } from '@mantine/core';
import type { Schemas } from '../../api/records';
import { type Filter, FROM, TO } from '../../parts/list/filters';
import { ListScreen } from '../../parts/list/list-screen';
import type { Column } from '../../parts/record/record-table';
import { humanize, StatusBadge } from '../../parts/record/status-badge';
import { EntityLink } from '../../parts/url/entity-link';
import { ScreenLink } from '../../parts/url/links';
import { useUrlSearch } from '../../parts/url/use-url';
import { buildCurl } from '../../parts/values/curl';
import { TimeAgo } from '../../parts/values/time';
import { useActorOptions } from './actor-options';
import { describeAction, listActions, RECORD_TYPES } from './audit-actions';
import { describeActor, OUTCOME_OPTIONS, readBadge } from './audit-words';

type Entry = Schemas['AuditEntry'];

const COLUMNS: readonly Column<Entry>[] = [
  { header: 'Who', render: ({ actor }) => describeActor(actor) },
  {
    header: 'Record',
    render: ({ entity_type: type, entity_id: id }) =>
      type === null ? (
        '–'
      ) : (
        <EntityLink type={type} id={id}>
          {humanize(type)}
        </EntityLink>
      ),
  },
  { header: 'Outcome', render: ({ outcome }) => <StatusBadge status={readBadge(outcome)} /> },
  { header: 'When', render: ({ occurred_at: at }) => <TimeAgo at={at} /> },
  {
    header: 'Request',
    render: ({ request_id: id }) => (id ? <Code title={id}>{shorten(id)}</Code> : '–'),
  },
];

/** The audit log: every write, every refusal, and every read by an agent. */
export function AuditLogScreen() {
  const search = useUrlSearch();
  const actors = useActorOptions(search.actor);
  const filters: Filter[] = [
    { name: 'actor', label: 'Actor', kind: 'choice', options: actors },
    {
      name: 'entity_type',
      label: 'Record type',
      kind: 'choice',
      options: withChosen(RECORD_TYPES, search.entity_type),
    },
    {
      name: 'action',
      label: 'Action',
      kind: 'choice',
      options: withChosen(listActions(search.entity_type), search.action).map((action) => ({
        value: action,
        label: describeAction(action),
      })),
    },
    { name: 'outcome', label: 'Outcome', kind: 'choice', options: OUTCOME_OPTIONS },
    FROM,
    TO,
    { name: 'entity_id', label: 'Record id', kind: 'text' },
    { name: 'request_id', label: 'Request id', kind: 'text' },
  ];
  return (
    <ListScreen<Entry>
      name="Audit log"
      path="/audit-log"
      filters={filters}
      columns={COLUMNS}
      nameHeader="What"
      rowName={({ action }) => describeAction(action)}
      empty={{
        text: 'The audit log is empty. Every write adds an entry.',
        action: (
          <ScreenLink screen="customers" isInText>
            Create a customer
          </ScreenLink>
        ),
        curl: buildCurl('/audit-log'),
      }}
    />
  );
}

/**
 * Adds the chosen value to the known values if it is missing. A link may contain an unknown value.
 */
function withChosen(known: readonly string[], chosen: string | undefined): readonly string[] {
  return !chosen || known.includes(chosen) ? known : [...known, chosen];
}

/** Shortens an id: `01a219ca-f92b-7025-9f11-1786c939f54d` becomes "01a219ca…f54d". */
function shorten(id: string): string {
  return id.length > 16 ? `${id.slice(0, 8)}…${id.slice(-4)}` : id;
}
