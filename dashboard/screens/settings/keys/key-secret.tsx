import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { SecretDialog } from '../../../parts/dialogs/secret-dialog';
import type { KeyWithSecret } from './key-record';

/** A new key, which may replace another key. */
export interface NewSecret {
  created: KeyWithSecret;
  /**
   * The number of hours for which the replaced key still works. Undefined if the new key replaces
   * no key.
   */
  overlapHours?: number;
}

/** Shows a new key once, with instructions for its use, such as a command. */
export function KeySecret({
  name,
  value: { created, overlapHours },
  usage,
  onClose,
}: {
  /** The kind of key, such as "API key". */
  name: string;
  value: NewSecret;
  usage: (key: string) => ReactNode;
  onClose: () => void;
}) {
  const secret = created.key ?? '';
  return (
    <SecretDialog title={`${name} ${created.name}`} name={name} secret={secret} onClose={onClose}>
      {overlapHours !== undefined && (
        <Text>
          {overlapHours === 0
            ? 'The old key does not work any more.'
            : `The old key works for ${overlapHours} more ${overlapHours === 1 ? 'hour' : 'hours'}.`}
        </Text>
      )}
      {usage(secret)}
    </SecretDialog>
  );
}
