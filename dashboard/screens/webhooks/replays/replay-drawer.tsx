import { Button, Progress, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { api, client } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { useCan } from '../../../api/session';
import { useWrite } from '../../../api/use-write';
import { ConfirmDialog } from '../../../parts/dialogs/confirm-dialog';
import { Facts } from '../../../parts/record/facts';
import { RecordDrawer } from '../../../parts/record/record-drawer';
import { humanize, StatusBadge } from '../../../parts/record/status-badge';
import { ScreenLink } from '../../../parts/url/links';
import { useUrl, useUrlSearch } from '../../../parts/url/use-url';
import { ExactTime } from '../../../parts/values/time';
import { EndpointName } from '../choices/endpoint-names';
import { nameReplay } from './replay-name';

type Replay = Schemas['WebhookReplay'];

const POLL_MS = 1000;

/** One replay or recovery with its progress. The URL names it in `?replay=`. */
export function ReplayDrawer({ id }: { id: string }) {
  const { cursor } = useUrlSearch();
  const { setSearch } = useUrl();
  const reading = api.useQuery(
    'get',
    '/webhook-replays/{id}',
    { params: { path: { id } } },
    { refetchInterval: ({ state }) => (state.data?.status === 'running' ? POLL_MS : false) },
  );
  return (
    <RecordDrawer
      reading={reading}
      name={nameReplay}
      status={({ status }) => <StatusBadge status={status} />}
      actions={(replay) => <ReplayActions replay={replay} />}
      onClose={() => setSearch({ cursor, replay: undefined })}
    >
      {(replay) => (
        <Stack gap="md">
          <ReplayProgress replay={replay} />
          <ReplayFacts replay={replay} />
          <Text>
            <ScreenLink screen="webhooks" search={{ view: 'deliveries', replay_id: replay.id }}>
              Open its deliveries
            </ScreenLink>
          </Text>
        </Stack>
      )}
    </RecordDrawer>
  );
}

function ReplayProgress({ replay: { status, total, created_count: count } }: { replay: Replay }) {
  const percent = status === 'completed' ? 100 : total ? Math.min(100, (count / total) * 100) : 0;
  const words = total === null ? `${count} deliveries created` : `${count} of ${total} deliveries created`;
  return (
    <Stack gap={4}>
      <Progress value={percent} aria-label="Progress of the replay" />
      <Text size="sm" className="digits" aria-live="polite">
        {words}
        {status === 'completed' && '. Some may still be on their way.'}
      </Text>
    </Stack>
  );
}

function ReplayFacts({ replay }: { replay: Replay }) {
  const { filter, endpoint_id: endpointId } = replay;
  return (
    <Facts
      items={{
        Endpoint: endpointId ? <EndpointName id={endpointId} /> : 'All endpoints',
        'Event type': filter.event_type ?? 'All types',
        'Status of the deliveries': filter.status ? humanize(filter.status) : undefined,
        From: <ExactTime at={filter.since} />,
        To: <ExactTime at={filter.until} />,
        Started: <ExactTime at={replay.created_at} />,
        Ended: <ExactTime at={replay.completed_at} empty="Not yet" />,
      }}
    />
  );
}

/**
 * A person can also cancel a completed replay, because some of its deliveries may still be open.
 */
function ReplayActions({ replay }: { replay: Replay }) {
  const [isCancelling, setCancelling] = useState(false);
  const canCancel = useCan('admin') && replay.status !== 'cancelled';
  if (!canCancel) return null;
  return (
    <>
      <Button variant="default" onClick={() => setCancelling(true)}>
        Cancel replay
      </Button>
      {isCancelling && <CancelReplay replay={replay} onClose={() => setCancelling(false)} />}
    </>
  );
}

function CancelReplay({ replay, onClose }: { replay: Replay; onClose: () => void }) {
  // Without If-Match: a running replay changes every second, and a person who cancels it means
  // whatever it has created by then.
  const write = useWrite((headers, id: string) =>
    client.POST('/webhook-replays/{id}/cancel', { params: { path: { id }, header: headers } }),
  );
  const confirm = async () => {
    if (await write.run(replay.id)) onClose();
  };
  return (
    <ConfirmDialog
      title="Cancel this replay"
      verb="Cancel replay"
      dismissLabel="Keep it"
      effect="It creates no more deliveries, and those that have not arrived yet are cancelled."
      write={write}
      onConfirm={() => void confirm()}
      onClose={onClose}
    />
  );
}
