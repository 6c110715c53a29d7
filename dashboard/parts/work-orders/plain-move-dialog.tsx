import { client, ifMatch } from '../../api/client';
import type { WorkOrder } from '../../api/records';
import { useWrite, type WriteHeaders } from '../../api/use-write';
import { ConfirmDialog } from '../dialogs/confirm-dialog';
import { useOpenedVersion } from '../dialogs/use-opened-version';
import { ACTIONS, type ActionName } from './actions';

type Init = { params: { path: { id: string }; header: WriteHeaders }; body: Record<string, never> };

/** The status changes that need a confirmation but no input. */
const MOVES = {
  accept: {
    effect: 'It is accepted, and waits for a truck.',
    done: 'accepted',
    send: (init: Init) => client.POST('/work-orders/{id}/accept', init),
  },
  unassign: {
    effect: 'Its truck and driver are taken off, and it waits for a truck again.',
    done: 'unassigned',
    send: (init: Init) => client.POST('/work-orders/{id}/unassign', init),
  },
  start: {
    effect: 'Its status becomes In progress: the driver has started the work.',
    done: 'started',
    send: (init: Init) => client.POST('/work-orders/{id}/start', init),
  },
  reopen: {
    effect:
      'Its status becomes Pending again. Its truck, driver, times and cancel reason are cleared. This is only possible while none of its invoices is released.',
    done: 'reopened',
    send: (init: Init) => client.POST('/work-orders/{id}/reopen', init),
  },
} as const;

export function isPlainMove(name: ActionName): name is keyof typeof MOVES {
  return name in MOVES;
}

export function PlainMoveDialog({
  move,
  workOrder: newest,
  onClose,
}: {
  move: keyof typeof MOVES;
  workOrder: WorkOrder;
  onClose: () => void;
}) {
  const { opened: workOrder, onProblem } = useOpenedVersion(newest);
  const { effect, done, send } = MOVES[move];
  const { label } = ACTIONS[move];
  const write = useWrite(
    (headers, _: undefined) =>
      send({
        params: { path: { id: workOrder.id }, header: { ...headers, ...ifMatch(workOrder) } },
        body: {},
      }),
    { done: `${workOrder.job_number} ${done}`, onProblem },
  );
  const confirm = async () => {
    if (await write.run(undefined)) onClose();
  };
  return (
    <ConfirmDialog
      title={`${label} ${workOrder.job_number}?`}
      verb={label}
      effect={effect}
      write={write}
      isDangerous={move === 'unassign'}
      onConfirm={() => void confirm()}
      onClose={onClose}
    />
  );
}
