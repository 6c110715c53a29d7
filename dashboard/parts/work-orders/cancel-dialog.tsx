import { Text } from '@mantine/core';
import { useState } from 'react';
import { client, ifMatch } from '../../api/client';
import type { Schemas, WorkOrder } from '../../api/records';
import { useWrite } from '../../api/use-write';
import { CANCEL_REASON } from '../../generated/vocabulary';
import { wordsOf } from '../choices/words';
import { FormDialog } from '../dialogs/form-dialog';
import { ReasonFields } from '../dialogs/reason-fields';
import { useOpenedVersion } from '../dialogs/use-opened-version';

type Reason = Schemas['CancelReason'];

/** These reasons mean that a truck has been at the vehicle. */
const ON_SITE: readonly Reason[] = ['goa', 'unsuccessful'];

export function CancelDialog({ workOrder: newest, onClose }: { workOrder: WorkOrder; onClose: () => void }) {
  const { opened: workOrder, onProblem } = useOpenedVersion(newest);
  const [reason, setReason] = useState<Reason | ''>('');
  const [note, setNote] = useState('');
  const write = useWrite(
    (headers, body: Schemas['WorkOrderCancel']) =>
      client.POST('/work-orders/{id}/cancel', {
        params: { path: { id: workOrder.id }, header: { ...headers, ...ifMatch(workOrder) } },
        body,
      }),
    { done: ({ job_number: number }) => `${number} cancelled`, onProblem },
  );
  const submit = async () => {
    if (reason === '') return;
    if (await write.run({ reason, ...(note.trim() ? { note: note.trim() } : {}) })) onClose();
  };
  const isUnderWay = workOrder.status === 'in_progress';
  const reasons = wordsOf(CANCEL_REASON).filter((one) => isUnderWay || !ON_SITE.includes(one));
  return (
    <FormDialog
      title={`Cancel ${workOrder.job_number}?`}
      submitLabel="Cancel work order"
      dismissLabel="Keep it"
      fields={['reason', 'note']}
      write={write}
      isDangerous
      canSubmit={reason !== ''}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <Text size="sm">The work ends here, and its truck is free again.</Text>
          <ReasonFields
            words={CANCEL_REASON}
            reasons={reasons}
            reason={reason}
            onReason={setReason}
            note={note}
            onNote={setNote}
            maxNoteChars={2000}
            errors={errors}
          />
        </>
      )}
    </FormDialog>
  );
}
