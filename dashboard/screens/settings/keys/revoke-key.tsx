import { Stack, Text } from '@mantine/core';
import { useWrite, type WriteHeaders } from '../../../api/use-write';
import { ConfirmDialog } from '../../../parts/dialogs/confirm-dialog';
import { TimeAgo } from '../../../parts/values/time';
import { type AnyKey, maskKey } from './key-record';

export type SendRevoke = (
  headers: WriteHeaders,
  id: string,
) => Promise<{ data?: AnyKey; response: Response }>;

/** Revokes a key permanently. First shows which key this is, and whether it is in use. */
export function RevokeKey({
  value: key,
  send,
  onClose,
}: {
  value: AnyKey;
  send: SendRevoke;
  onClose: () => void;
}) {
  const write = useWrite(send, { done: ({ name }) => `${name} was revoked` });
  const effect = (
    <Stack gap="xs">
      <Text>
        {maskKey(key)} stops working everywhere within 5 seconds. A revoked key cannot be used again.
      </Text>
      <Text>
        Last used: <TimeAgo at={key.last_used_at} empty="never" />. To replace a key that is in use, roll it.
      </Text>
    </Stack>
  );
  return (
    <ConfirmDialog
      title={`Revoke ${key.name}`}
      verb="Revoke"
      effect={effect}
      write={write}
      onConfirm={() => void write.run(key.id).then((revoked) => revoked && onClose())}
      onClose={onClose}
    />
  );
}
