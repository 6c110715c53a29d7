import { Text } from '@mantine/core';
import { SecretDialog } from '../dialogs/secret-dialog';

/** Shows new recovery codes once. */
export function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  return (
    <SecretDialog
      title="Your recovery codes"
      name="Recovery codes"
      secret={codes.join('\n')}
      closeLabel="I stored them"
      onClose={onClose}
    >
      <Text size="sm">
        If you lose your second factor, sign in with one of these codes. Each works once. Keep them where you
        find them without this device.
      </Text>
    </SecretDialog>
  );
}
