import { NativeSelect, Text } from '@mantine/core';
import { useState } from 'react';
import { useWrite, type WriteHeaders } from '../../../api/use-write';
import { FormDialog } from '../../../parts/dialogs/form-dialog';
import { type AnyKey, type KeyWithSecret, maskKey } from './key-record';

/** The choices for how long both keys work. The API allows up to 168 hours. */
const OVERLAPS = [
  { value: '0', label: 'End it now' },
  { value: '1', label: '1 hour' },
  { value: '24', label: '1 day' },
  { value: '48', label: '2 days' },
  { value: '168', label: '1 week' },
];

export type SendRoll = (
  headers: WriteHeaders,
  input: { id: string; overlap_hours: number },
) => Promise<{ data?: KeyWithSecret; response: Response }>;

/**
 * Replaces a key with a new key that has the same rights. The old key works until the overlap ends.
 */
export function RollKey({
  value: key,
  send,
  onRolled,
  onClose,
}: {
  value: AnyKey;
  send: SendRoll;
  onRolled: (successor: KeyWithSecret, overlapHours: number) => void;
  onClose: () => void;
}) {
  const [hours, setHours] = useState('24');
  const write = useWrite(send);
  const submit = async () => {
    const successor = await write.run({ id: key.id, overlap_hours: Number(hours) });
    if (successor) onRolled(successor, Number(hours));
  };
  return (
    <FormDialog
      title={`Roll ${key.name}`}
      submitLabel="Roll"
      fields={['overlap_hours']}
      write={write}
      isDangerous={hours === '0'}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <Text>
            A new key with the same rights replaces {maskKey(key)}. Put it in place while both keys work.
          </Text>
          <NativeSelect
            label="The old key works for"
            data={OVERLAPS}
            value={hours}
            error={errors.overlap_hours}
            onChange={(event) => setHours(event.currentTarget.value)}
          />
          {hours === '0' && (
            <Text>Whatever uses the old key is refused within 5 seconds, until it has the new one.</Text>
          )}
        </>
      )}
    </FormDialog>
  );
}
