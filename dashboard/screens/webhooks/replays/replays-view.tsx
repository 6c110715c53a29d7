import { Button } from '@mantine/core';
import { useState } from 'react';
import type { Schemas } from '../../../api/records';
import { useCan } from '../../../api/session';
import { ListScreen } from '../../../parts/list/list-screen';
import type { Column } from '../../../parts/record/record-table';
import { StatusBadge } from '../../../parts/record/status-badge';
import { buildCurl } from '../../../parts/values/curl';
import { TimeAgo } from '../../../parts/values/time';
import { EndpointName } from '../choices/endpoint-names';
import { ReplayMany } from './replay-many';
import { nameReplay } from './replay-name';

/** Replays and recoveries, newest first. */
export function ReplaysView() {
  const [isReplaying, setReplaying] = useState(false);
  const canReplay = useCan('admin');
  const start = canReplay && <Button onClick={() => setReplaying(true)}>Replay many</Button>;
  const columns: readonly Column<Schemas['WebhookReplay']>[] = [
    { header: 'Status', width: 130, render: ({ status }) => <StatusBadge status={status} /> },
    {
      header: 'Endpoint',
      render: ({ endpoint_id: id }) => (id ? <EndpointName id={id} /> : 'All endpoints'),
    },
    {
      header: 'Deliveries',
      align: 'right',
      render: ({ created_count: count, total }) => (
        <span className="digits">{total === null ? count : `${count} of ${total}`}</span>
      ),
    },
    { header: 'Started', width: 130, render: ({ created_at: at }) => <TimeAgo at={at} /> },
  ];
  return (
    <>
      <ListScreen<Schemas['WebhookReplay']>
        isView
        name="Replays"
        path="/webhook-replays"
        filters={[]}
        columns={columns}
        nameHeader="Replay"
        rowName={nameReplay}
        recordParameter="replay"
        actions={start}
        empty={{
          text: 'Nothing was replayed yet. A replay sends earlier deliveries once more, with the same webhook-id.',
          action: start,
          curl: buildCurl('/webhook-deliveries/replay', {
            method: 'POST',
            body: { endpoint_id: '<id of an endpoint>', status: 'exhausted' },
          }),
        }}
      />
      {isReplaying && <ReplayMany onClose={() => setReplaying(false)} />}
    </>
  );
}
