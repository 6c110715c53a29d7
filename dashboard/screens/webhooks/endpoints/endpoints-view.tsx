import { Button } from '@mantine/core';
import { useState } from 'react';
import { useCan } from '../../../api/session';
import { ListScreen } from '../../../parts/list/list-screen';
import type { Column } from '../../../parts/record/record-table';
import { StatusBadge } from '../../../parts/record/status-badge';
import { buildCurl } from '../../../parts/values/curl';
import { TimeAgo } from '../../../parts/values/time';
import type { Endpoint } from '../choices/endpoint-names';
import { AddEndpoint } from './add-endpoint';

const COLUMNS: readonly Column<Endpoint>[] = [
  { header: 'State', width: 130, render: ({ health }) => <StatusBadge status={health.state} /> },
  { header: 'Event types', render: ({ event_types: types }) => nameTypes(types) },
  {
    header: 'Last success',
    width: 130,
    render: ({ health }) => <TimeAgo at={health.last_success_at} empty="Never" />,
  },
  { header: 'Description', render: ({ description }) => description ?? '–' },
];

/** The list of the account's endpoints. */
export function EndpointsView() {
  const [isAdding, setAdding] = useState(false);
  const canAdd = useCan('admin');
  const add = canAdd && <Button onClick={() => setAdding(true)}>Add endpoint</Button>;
  return (
    <>
      <ListScreen<Endpoint>
        isView
        name="Endpoints"
        path="/webhook-endpoints"
        filters={[]}
        columns={COLUMNS}
        nameHeader="URL"
        rowName={({ url }) => url}
        actions={add}
        empty={{
          text: 'There are no endpoints yet. An endpoint is an address of yours that gets a POST for each event.',
          action: add,
          curl: buildCurl('/webhook-endpoints', {
            method: 'POST',
            body: { url: 'https://example.com/hooks/tow', event_types: ['*'] },
          }),
        }}
      />
      {isAdding && <AddEndpoint onClose={() => setAdding(false)} />}
    </>
  );
}

const TYPES_NAMED = 3;

function nameTypes(types: readonly string[]): string {
  if (types.includes('*')) return 'All events';
  const more = types.length - TYPES_NAMED;
  const named = types.slice(0, TYPES_NAMED).join(', ');
  return more > 0 ? `${named} and ${more} more` : named;
}
