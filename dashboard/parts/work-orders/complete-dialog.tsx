import { NumberInput, Text } from '@mantine/core';
import { useState } from 'react';
import { client, ifMatch } from '../../api/client';
import type { Schemas, WorkOrder } from '../../api/records';
import { useWrite } from '../../api/use-write';
import { FormDialog } from '../dialogs/form-dialog';
import { useOpenedVersion } from '../dialogs/use-opened-version';
import { TimeField } from '../values/time-field';

export function CompleteDialog({
  workOrder: newest,
  onClose,
}: {
  workOrder: WorkOrder;
  onClose: () => void;
}) {
  const { opened: workOrder, onProblem } = useOpenedVersion(newest);
  const [at, setAt] = useState<string | null>(null);
  const [miles, setMiles] = useState<number | undefined>(workOrder.miles ?? undefined);
  const write = useWrite(
    (headers, body: Schemas['WorkOrderComplete']) =>
      client.POST('/work-orders/{id}/complete', {
        params: { path: { id: workOrder.id }, header: { ...headers, ...ifMatch(workOrder) } },
        body,
      }),
    { done: ({ job_number: number }) => `${number} completed`, onProblem },
  );
  const submit = async () => {
    const body = { ...(at ? { at } : {}), ...(miles === undefined ? {} : { miles }) };
    if (await write.run(body)) onClose();
  };
  return (
    <FormDialog
      title={`Complete ${workOrder.job_number}`}
      submitLabel="Complete"
      fields={['at', 'miles']}
      write={write}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <Text size="sm">The work is done: the truck is free, and the work order can be invoiced.</Text>
          <NumberInput
            label="Loaded miles"
            data-autofocus
            description="Without them, the rate card cannot charge mileage"
            min={0}
            decimalScale={1}
            hideControls
            value={miles ?? ''}
            error={errors.miles}
            onChange={(value) => setMiles(value === '' ? undefined : Number(value))}
          />
          <TimeField label="Time of completion (empty: now)" at={at} onAt={setAt} error={errors.at} />
        </>
      )}
    </FormDialog>
  );
}
