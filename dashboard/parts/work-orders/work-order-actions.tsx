import { Button } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api/client';
import type { WorkOrder } from '../../api/records';
import { useMe } from '../../api/session';
import { ACTIONS, type ActionName, NEXT_ACTION } from './allowed-actions';
import { AssignDialog } from './assign-dialog';
import { CancelDialog } from './cancel-dialog';
import { CompleteDialog } from './complete-dialog';
import { EditWorkOrder } from './form/edit-work-order';
import { isPlainMove, PlainMoveDialog } from './plain-move-dialog';
import { StepDialog } from './step-dialog';
import { WorkOrderLinks } from './work-order-links';

const DIALOGS = {
  assign: AssignDialog,
  step: StepDialog,
  complete: CompleteDialog,
  cancel: CancelDialog,
  edit: EditWorkOrder,
};

/** The buttons of a work order: what its status and the person's rights allow. */
export function WorkOrderActions({ workOrder }: { workOrder: WorkOrder }) {
  const [open, setOpen] = useState<ActionName>();
  const names = useAllowedActions(workOrder);
  const close = () => setOpen(undefined);
  const next = names.includes('accept') ? 'accept' : NEXT_ACTION[workOrder.status];
  const Dialog = open && !isPlainMove(open) ? DIALOGS[open] : undefined;
  return (
    <>
      {names.map((name) => (
        <Button
          key={name}
          size="xs"
          {...(name === next ? {} : { variant: 'default' })}
          onClick={() => setOpen(name)}
        >
          {ACTIONS[name].label}
        </Button>
      ))}
      <WorkOrderLinks workOrder={workOrder} />
      {Dialog && <Dialog workOrder={workOrder} onClose={close} />}
      {open && isPlainMove(open) && <PlainMoveDialog move={open} workOrder={workOrder} onClose={close} />}
    </>
  );
}

function useAllowedActions(workOrder: WorkOrder): ActionName[] {
  const permissions = useMe().data?.key.permissions ?? [];
  const mayAccept = workOrder.status === 'pending' && permissions.includes('approve');
  const isNew = useIsNew(workOrder, mayAccept);
  return (Object.keys(ACTIONS) as ActionName[]).filter((name) => {
    const { from, permission } = ACTIONS[name];
    if (name === 'accept' && !isNew) return false;
    return from.includes(workOrder.status) && permissions.includes(permission);
  });
}

/**
 * True if the work order waits to be accepted. Only the list's filter tells it from one that is
 * accepted: both are `pending`.
 */
function useIsNew({ id, job_number: search }: WorkOrder, isEnabled: boolean): boolean {
  const { data } = api.useQuery(
    'get',
    '/work-orders',
    { params: { query: { status: 'new', search, limit: 20 } } },
    { enabled: isEnabled },
  );
  return isEnabled && (data?.data.items.some((item) => item.id === id) ?? false);
}
