import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { SecretDialog } from '../../../parts/dialogs/secret-dialog';
import type { KeyWithSecret } from './key-record';

/** A key that was just created, or that replaces another. */
export interface NewSecret {
  created: KeyWithSecret;
  /** For how many hours the replaced key still works; undefined if the new key replaces none. */
  overlapHours?: number;
}

/** Shows a new key once, with what a person copies to use it, such as a command. */
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
