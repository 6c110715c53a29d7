import { Text } from '@mantine/core';
import { useState } from 'react';
import { client, ifMatch } from '../../api/client';
import type { Schemas, WorkOrder } from '../../api/records';
import { useWrite } from '../../api/use-write';
import { DRIVER_STEP } from '../../generated/vocabulary';
import { Select } from '../choices/select';
import { FormDialog } from '../dialogs/form-dialog';
import { useOpenedVersion } from '../dialogs/use-opened-version';
import { humanize } from '../record/status-badge';
import { TimeField } from '../values/time-field';
import { STEP_NAMES, STEP_OPTIONS } from './steps';

type Step = Schemas['DriverStep'];

/** Logs a step that the driver has reported by radio or phone. */
export function StepDialog({ workOrder: newest, onClose }: { workOrder: WorkOrder; onClose: () => void }) {
  const { opened: workOrder, onProblem } = useOpenedVersion(newest);
  const [step, setStep] = useState<Step>(() => findNextStep(workOrder.step));
  const [at, setAt] = useState<string | null>(null);
  const write = useWrite(
    (headers, body: Schemas['WorkOrderStepEntry']) =>
      client.POST('/work-orders/{id}/steps', {
        params: { path: { id: workOrder.id }, header: { ...headers, ...ifMatch(workOrder) } },
        body,
      }),
    { done: `Step logged: ${humanize(step)}`, onProblem },
  );
  const submit = async () => {
    if (await write.run({ step, ...(at ? { at } : {}) })) onClose();
  };
  return (
    <FormDialog
      title={`Log a step of ${workOrder.job_number}`}
      submitLabel="Log step"
      fields={['step', 'at']}
      write={write}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <Select
            label="Step"
            data-autofocus
            description={DRIVER_STEP[step]}
            allowDeselect={false}
            data={STEP_OPTIONS}
            value={step}
            error={errors.step}
            onChange={(value) => value && setStep(value as Step)}
          />
          <TimeField label="Time (empty: now)" at={at} onAt={setAt} error={errors.at} />
          <Text size="sm" c="dimmed">
            A step is only logged. The status stays {humanize(workOrder.status)}.
          </Text>
        </>
      )}
    </FormDialog>
  );
}

function findNextStep(step: WorkOrder['step']): Step {
  const next = step === null ? STEP_NAMES.indexOf('en_route') : STEP_NAMES.indexOf(step) + 1;
  return STEP_NAMES[next] ?? 'cleared';
}
