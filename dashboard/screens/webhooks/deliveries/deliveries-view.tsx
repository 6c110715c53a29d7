import { Button } from '@mantine/core';
import { useState } from 'react';
import { useCan } from '../../../api/session';
import { DELIVERY_TRIGGER, WEBHOOK_DELIVERY_STATUS } from '../../../generated/vocabulary';
import { wordsOf } from '../../../parts/choices/words';
import { type Filter, FROM, TO } from '../../../parts/list/filters';
import { ListScreen } from '../../../parts/list/list-screen';
import type { Column } from '../../../parts/record/record-table';
import { ScreenLink } from '../../../parts/url/links';
import { type Search, useUrlSearch } from '../../../parts/url/use-url';
import { buildCurl } from '../../../parts/values/curl';
import { type Endpoint, EndpointName, useEndpoints } from '../choices/endpoint-names';
import { listTypeFilters, useEventTypes } from '../choices/event-types';
import { ReplayMany } from '../replays/replay-many';
import { DELIVERY_COLUMNS, type Delivery } from './delivery-columns';

const COLUMNS: readonly Column<Delivery>[] = [
  { header: 'Endpoint', render: ({ endpoint_id: id }) => <EndpointName id={id} /> },
  ...DELIVERY_COLUMNS,
];

/** All deliveries of the last 30 days. */
export function DeliveriesView() {
  const [isReplaying, setReplaying] = useState(false);
  const canReplay = useCan('admin');
  const search = useUrlSearch();
  const endpoints = useEndpoints();
  const { data: types } = useEventTypes();
  return (
    <>
      <ListScreen<Delivery>
        isView
        name="Deliveries"
        path="/webhook-deliveries"
        filters={listFilters(endpoints ?? [], listTypeFilters(types?.data.items ?? []), search)}
        columns={COLUMNS}
        nameHeader="Event type"
        rowName={({ event_type: type }) => type}
        recordParameter="delivery"
        actions={canReplay && <Button onClick={() => setReplaying(true)}>Replay many</Button>}
        empty={{
          text: 'Nothing was delivered in the last 30 days. Open an endpoint and choose Send test event.',
          action: (
            <ScreenLink screen="webhooks" isInText>
              Open the endpoints
            </ScreenLink>
          ),
          curl: buildCurl('/webhook-endpoints/<id of an endpoint>/test', {
            method: 'POST',
            body: { type: 'invoice.created' },
          }),
        }}
      />
      {isReplaying && <ReplayMany onClose={() => setReplaying(false)} />}
    </>
  );
}

/**
 * Returns the filters of the list. Includes the filters by replay and event only if a link has set
 * them, so that the person can remove them.
 */
function listFilters(
  endpoints: readonly Endpoint[],
  types: readonly string[],
  search: Search,
): readonly Filter[] {
  const linked: readonly Filter[] = [
    { name: 'replay_id', label: 'Replay', kind: 'text' },
    { name: 'event_id', label: 'Event', kind: 'text' },
  ];
  return [
    {
      name: 'status',
      label: 'Status',
      kind: 'choice',
      options: wordsOf(WEBHOOK_DELIVERY_STATUS),
    },
    {
      name: 'endpoint_id',
      label: 'Endpoint',
      kind: 'choice',
      options: endpoints.map(({ id, url }) => ({ value: id, label: url })),
    },
    {
      name: 'event_type',
      label: 'Event type',
      kind: 'choice',
      options: types.map((type) => ({ value: type, label: type })),
    },
    {
      name: 'trigger',
      label: 'Trigger',
      kind: 'choice',
      options: wordsOf(DELIVERY_TRIGGER),
    },
    FROM,
    TO,
    ...linked.filter(({ name }) => search[name]),
  ];
}
