import { NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { client, ifMatch } from '../../../api/client';
import type { Invoice, Schemas } from '../../../api/records';
import { useWrite } from '../../../api/use-write';
import { FormDialog } from '../../../parts/dialogs/form-dialog';
import { ACTIONS } from './actions';
import { Restated } from './restated';
import { useShownVersion } from './use-shown-version';

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
  const write = useWrite(
    (headers, { shown, ...body }: Schemas['InvoiceSend'] & { shown: Invoice }) =>
      client.POST('/invoices/{id}/send', {
        params: { path: { id: shown.id }, header: { ...headers, ...ifMatch(shown) } },
        body,
      }),
    { done: `Invoice ${invoice.invoice_number} sent` },
  );
  const { shown, keepShown } = useShownVersion(invoice, write.problem);
  const hasReceiver = channel !== 'both';
  const send = async () => {
    keepShown();
    const receiver = hasReceiver && to.trim() !== '' ? { to: to.trim() } : {};
    if (await write.run({ shown, channel, ...receiver })) onClose();
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
          <Restated invoice={shown} effect={ACTIONS.send.effect} />
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
              placeholder={channel === 'email' ? (shown.billing_email ?? '') : ''}
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
