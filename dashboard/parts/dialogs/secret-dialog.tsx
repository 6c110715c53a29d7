import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CodeBlock } from '../values/code-block';
import { useFocusReturn } from './use-focus-return';

/**
 * Shows a secret that the service never shows again. Only the dialog's button closes the dialog.
 * @param name the kind of secret, such as "API key"
 * @param children explains how to use the secret, for example by a curl command
 */
export function SecretDialog({
  title,
  name,
  secret,
  closeLabel = 'I stored it',
  onClose,
  children,
}: {
  title: string;
  name: string;
  secret: string;
  closeLabel?: string;
  onClose: () => void;
  children?: ReactNode;
}) {
  useFocusReturn();
  return (
    <Modal
      opened
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      size="lg"
      title={title}
    >
      <Stack gap="sm">
        <Text>Copy it now. It is not shown again.</Text>
        <CodeBlock code={secret} label={name} />
        {children}
        <Group justify="flex-end">
          <Button onClick={onClose}>{closeLabel}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
