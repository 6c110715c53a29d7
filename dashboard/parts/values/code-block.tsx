import { Code, Group, Stack } from '@mantine/core';
import { ScrollRegion } from '../basics/scroll-region';
import { CopyButton } from './copy';

/**
 * A text for copying, such as a command, a secret or a request body.
 * @param label names the text for screen readers
 * @param copyLabel follows "Copy" in the button's name
 */
export function CodeBlock({
  code,
  label,
  copyLabel = '',
}: {
  code: string;
  label: string;
  copyLabel?: string;
}) {
  return (
    <Stack gap={4} w="100%">
      <ScrollRegion label={label}>
        <Code block className="code-block">
          {code}
        </Code>
      </ScrollRegion>
      <Group justify="flex-end">
        <CopyButton text={code} label={copyLabel} />
      </Group>
    </Stack>
  );
}
