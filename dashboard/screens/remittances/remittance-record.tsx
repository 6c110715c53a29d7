import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { api, client, ifMatch } from '../../api/client';
import type { Schemas } from '../../api/records';
import { useCan } from '../../api/session';
import { useWrite } from '../../api/use-write';
import { CustomerName } from '../../parts/choices/record-names';
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog';
import { useOpenedVersion } from '../../parts/dialogs/use-opened-version';
import { Facts } from '../../parts/record/facts';
import { RecordDrawer } from '../../parts/record/record-drawer';
import { StatusBadge } from '../../parts/record/status-badge';
import { useUrl } from '../../parts/url/use-url';
import { Money } from '../../parts/values/money';
import { RemittanceLines } from './remittance-lines';

type Remittance = Schemas['Remittance'];

export function RemittanceRecord({ id }: { id: string }) {
  const reading = api.useQuery('get', '/remittances/{id}', { params: { path: { id } } });
  return (
    <RecordDrawer
      reading={reading}
      size="80rem"
      name={({ reference }) => reference}
      status={({ status }) => <StatusBadge status={status} />}
      actions={(remittance) => <Actions remittance={remittance} />}
    >
      {(remittance) => (
        <>
          <Facts
            items={{
              Payer: remittance.payer,
              Customer: <CustomerName id={remittance.customer_id} isLink />,
              'Paid on': remittance.paid_on,
              Total: <Money cents={remittance.total_cents} />,
              'Not in the list': <Money cents={remittance.difference_cents} />,
              Applied: <Money cents={remittance.applied_cents} />,
            }}
          />
          <RemittanceLines remittanceId={remittance.id} />
        </>
      )}
    </RecordDrawer>
  );
}

/** Lines that do not match now may match by the time they are applied, so the button stays. */
function Actions({ remittance }: { remittance: Remittance }) {
  const [dialog, setDialog] = useState<'apply' | 'delete'>();
  const canWrite = useCan('write');
  const close = () => setDialog(undefined);
  return (
    <>
      {remittance.applied_count === 0 && canWrite && (
        <Button variant="default" onClick={() => setDialog('delete')}>
          Delete
        </Button>
      )}
      {remittance.open_count > 0 && canWrite && <Button onClick={() => setDialog('apply')}>Apply</Button>}
      {dialog === 'apply' && <ApplyDialog remittance={remittance} onClose={close} />}
      {dialog === 'delete' && <DeleteDialog remittance={remittance} onClose={close} />}
    </>
  );
}

function DeleteDialog({ remittance, onClose }: { remittance: Remittance; onClose: () => void }) {
  const { closeRecord } = useUrl();
  const write = useWrite(
    (headers, _: undefined) =>
      client.DELETE('/remittances/{id}', {
        params: { path: { id: remittance.id }, header: { ...headers, ...ifMatch(remittance) } },
      }),
    { done: 'Remittance deleted' },
  );
  const remove = async () => {
    if (await write.run(undefined)) closeRecord();
  };
  return (
    <ConfirmDialog
      title={`Delete ${remittance.reference}`}
      verb="Delete remittance"
      write={write}
      effect="Its lines are deleted too. It has recorded no payment, and you can import the list again."
      onConfirm={() => void remove()}
      onClose={onClose}
    />
  );
}

function ApplyDialog({ remittance: newest, onClose }: { remittance: Remittance; onClose: () => void }) {
  const { opened: remittance, onProblem } = useOpenedVersion(newest);
  const write = useWrite(
    (headers, _: undefined) =>
      client.POST('/remittances/{id}/apply', {
        params: { path: { id: remittance.id }, header: { ...headers, ...ifMatch(remittance) } },
        body: {},
      }),
    { done: ({ applied_count: count }) => `Applied lines: ${count}`, onProblem },
  );
  const apply = async () => {
    if (await write.run(undefined)) onClose();
  };
  const { ready_count: ready, open_count: open } = remittance;
  return (
    <ConfirmDialog
      title={`Apply ${remittance.reference}`}
      verb="Apply"
      isDangerous={false}
      write={write}
      effect={
        <Text>
          {ready} of {open} open lines match. Their payments are recorded on the claims and invoices. All
          other lines stay open, and you can apply again.
        </Text>
      }
      onConfirm={() => void apply()}
      onClose={onClose}
    />
  );
}
