import { NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { client, ifMatch } from '../../../api/client';
import type { Invoice, Schemas } from '../../../api/records';
import { useWrite } from '../../../api/use-write';
import { FormDialog } from '../../../parts/dialogs/form-dialog';
import { useOpenedVersion } from '../../../parts/dialogs/use-opened-version';
import { ACTIONS } from './actions';
import { Restated } from './restated';

type Channel = NonNullable<Schemas['InvoiceSend']['channel']>;

const CHANNELS: { value: Channel; label: string }[] = [
  { value: 'email', label: 'E-mail' },
  { value: 'sms', label: 'Text message' },
  { value: 'both', label: 'E-mail and text message' },
];

/** Sends the invoice to its customer. */
export function SendDialog({ invoice, onClose }: { invoice: Invoice; onClose: () => void }) {
  const [channel, setChannel] = useState<Channel>('email');
  const [to, setTo] = useState('');
  const { opened, onProblem } = useOpenedVersion(invoice);
  const write = useWrite(
    (headers, body: Schemas['InvoiceSend']) =>
      client.POST('/invoices/{id}/send', {
        params: { path: { id: opened.id }, header: { ...headers, ...ifMatch(opened) } },
        body,
      }),
    { done: `Invoice ${invoice.invoice_number} sent`, onProblem },
  );
  const hasReceiver = channel !== 'both';
  const send = async () => {
    const receiver = hasReceiver && to.trim() !== '' ? { to: to.trim() } : {};
    if (await write.run({ channel, ...receiver })) onClose();
  };
  return (
    <FormDialog
      title={`Send ${invoice.invoice_number}`}
      submitLabel="Send"
      fields={['channel', 'to']}
      write={write}
      onSubmit={() => void send()}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <Restated invoice={opened} effect={ACTIONS.send.effect} />
          <NativeSelect
            label="By"
            data={CHANNELS}
            value={channel}
            error={errors.channel}
            onChange={(event) => setChannel(event.currentTarget.value as Channel)}
          />
          {hasReceiver && (
            <TextInput
              label="To"
              description="If empty, the address of the invoice, the customer or the work order is used."
              placeholder={channel === 'email' ? (opened.billing_email ?? '') : ''}
              value={to}
              error={errors.to}
              onChange={(event) => setTo(event.currentTarget.value)}
            />
          )}
        </>
      )}
    </FormDialog>
  );
}
