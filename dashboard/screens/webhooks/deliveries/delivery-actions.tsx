import { Button } from '@mantine/core';
import { useState } from 'react';
import { client } from '../../../api/client';
import { useCan } from '../../../api/session';
import { useWrite } from '../../../api/use-write';
import { ConfirmDialog } from '../../../parts/dialogs/confirm-dialog';
import { ProblemAlert } from '../../../parts/feedback/problem-alert';
import { useUrl, useUrlSearch } from '../../../parts/url/use-url';
import type { Delivery } from './delivery-columns';

/**
 * The buttons of a delivery. Replay sends the same event again as a new delivery, which then opens.
 */
export function DeliveryActions({ delivery }: { delivery: Delivery }) {
  const [isCancelling, setCancelling] = useState(false);
  const canAct = useCan('admin');
  const { cursor } = useUrlSearch();
  const { setSearch } = useUrl();
  const replay = useWrite(
    (headers, id: string) =>
      client.POST('/webhook-deliveries/{id}/replay', { params: { path: { id }, header: headers } }),
    { done: 'Replay started' },
  );
  const start = async () => {
    const created = await replay.run(delivery.id);
    if (created) setSearch({ cursor, delivery: created.id });
  };
  if (!canAct) return null;
  return (
    <>
      {replay.problem && <ProblemAlert problem={replay.problem} />}
      {delivery.completed_at === null && (
        <Button variant="default" onClick={() => setCancelling(true)}>
          Cancel delivery
        </Button>
      )}
      <Button loading={replay.isRunning} onClick={() => void start()}>
        Replay
      </Button>
      {isCancelling && <CancelDelivery delivery={delivery} onClose={() => setCancelling(false)} />}
    </>
  );
}

function CancelDelivery({ delivery, onClose }: { delivery: Delivery; onClose: () => void }) {
  const write = useWrite(
    (headers, id: string) =>
      client.POST('/webhook-deliveries/{id}/cancel', { params: { path: { id }, header: headers } }),
    { done: 'Delivery cancelled' },
  );
  const confirm = async () => {
    if (await write.run(delivery.id)) onClose();
  };
  return (
    <ConfirmDialog
      title="Cancel this delivery"
      verb="Cancel delivery"
      dismissLabel="Keep it"
      effect={`The ${delivery.event_type} event is not sent to this endpoint again. Replay can send it later.`}
      write={write}
      onConfirm={() => void confirm()}
      onClose={onClose}
    />
  );
}
