import { useState } from 'react';
import { client } from '../../api/client';
import type { Schemas } from '../../api/records';
import { useWrite } from '../../api/use-write';
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog';
import { FormDialog } from '../../parts/dialogs/form-dialog';
import { useUrl, useUrlSearch } from '../../parts/url/use-url';
import { type Draft, FIELDS, toBody } from '../../parts/work-orders/form/draft';
import { WorkOrderFields } from '../../parts/work-orders/form/work-order-fields';

const NO_WRITE = { problem: undefined, isRunning: false, isSaving: false };

/**
 * The form at `/app/work-orders/new`. If the list was filtered by customer or service, the form
 * starts with these values.
 */
export function NewWorkOrder() {
  const { openRecord, closeRecord } = useUrl();
  const { customer_id: customer, service_type: service } = useUrlSearch();
  const [draft, setDraft] = useState<Draft>({
    ...(customer ? { customer_id: customer } : {}),
    ...(service ? { service_type: service } : {}),
  });
  const [isTouched, setTouched] = useState(false);
  const [isLeaving, setLeaving] = useState(false);
  const write = useWrite(
    (headers, body: Schemas['WorkOrderCreate']) =>
      client.POST('/work-orders', { params: { header: headers }, body }),
    { done: ({ job_number: number }) => `${number} created` },
  );
  const submit = async () => {
    const created = await write.run(toBody(draft) as Schemas['WorkOrderCreate']);
    if (created) openRecord(created.id);
  };
  return (
    <>
      <FormDialog
        title="New work order"
        submitLabel="Create work order"
        size="xl"
        isLong
        fields={FIELDS}
        write={write}
        onSubmit={() => void submit()}
        onClose={() => (isTouched ? setLeaving(true) : closeRecord())}
      >
        {(errors) => (
          <WorkOrderFields
            read={(name) => draft[name] ?? null}
            set={(name, value) => {
              setTouched(true);
              setDraft((old) => ({ ...old, [name]: value }));
            }}
            errors={errors}
          />
        )}
      </FormDialog>
      {isLeaving && (
        <ConfirmDialog
          title="Discard this work order?"
          verb="Discard"
          effect="It is not created, and what you typed is lost."
          write={NO_WRITE}
          onConfirm={closeRecord}
          onClose={() => setLeaving(false)}
        />
      )}
    </>
  );
}
