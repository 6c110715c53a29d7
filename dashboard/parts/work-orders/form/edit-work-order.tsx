import { useState } from 'react';
import { client, ifMatch } from '../../../api/client';
import type { Schemas, WorkOrder } from '../../../api/records';
import { useWrite } from '../../../api/use-write';
import { FormDialog } from '../../dialogs/form-dialog';
import { useOpenedVersion } from '../../dialogs/use-opened-version';
import { type Draft, FIELDS, findChanges, readField, toBody } from './draft';
import { WorkOrderFields } from './work-order-fields';

/**
 * Changes the fields that the person has edited. If a colleague has changed the work order since
 * the form opened, the API refuses the write and lists the changes. The form then keeps the
 * person's edits, and applies them to the new version.
 */
export function EditWorkOrder({ workOrder, onClose }: { workOrder: WorkOrder; onClose: () => void }) {
  const { opened, onProblem } = useOpenedVersion(workOrder);
  const [draft, setDraft] = useState<Draft>({});
  const write = useWrite(
    (headers, body: Schemas['WorkOrderPatch']) =>
      client.PATCH('/work-orders/{id}', {
        params: { path: { id: opened.id }, header: { ...headers, ...ifMatch(opened) } },
        body,
      }),
    { done: ({ job_number: number }) => `${number} saved`, onProblem },
  );
  const submit = async () => {
    const changes = findChanges(draft, opened);
    if (Object.keys(changes).length === 0 || (await write.run(toBody(changes)))) onClose();
  };
  return (
    <FormDialog
      title={`Edit ${workOrder.job_number}`}
      submitLabel="Save"
      size="xl"
      isLong
      fields={FIELDS}
      write={write}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {(errors) => (
        <WorkOrderFields
          read={(name) => {
            const typed = draft[name];
            return typed === undefined ? readField(opened, name) : typed;
          }}
          set={(name, value) => setDraft((old) => ({ ...old, [name]: value }))}
          errors={errors}
        />
      )}
    </FormDialog>
  );
}
