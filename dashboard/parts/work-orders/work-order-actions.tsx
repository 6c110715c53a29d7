import { Button } from '@mantine/core';
import { useState } from 'react';
import type { WorkOrder } from '../../api/records';
import { useMe } from '../../api/session';
import { ACTIONS, type ActionName, NEXT_ACTION } from './actions';
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

/** The buttons of a work order, as its state and the person's rights allow. */
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

function useAllowedActions({ allowed_actions: allowed }: WorkOrder): ActionName[] {
  const permissions = useMe().data?.key.permissions ?? [];
  return (Object.keys(ACTIONS) as ActionName[]).filter(
    (name) => (name === 'edit' || allowed.includes(name)) && permissions.includes(ACTIONS[name].permission),
  );
}
