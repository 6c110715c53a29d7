import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CodeBlock } from '../values/code-block';

/**
 * The content of a list without rows. It explains why the list is empty, and offers one next action
 * with its curl command.
 */
export function EmptyState({ text, action, curl }: { text: string; action?: ReactNode; curl?: string }) {
  return (
    <Stack align="flex-start" gap="sm" py="lg" maw={640}>
      <Text>{text}</Text>
      {action}
      {curl && <CodeBlock label="curl command" code={curl} />}
    </Stack>
  );
}
