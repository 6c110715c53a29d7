import { Code, Group, Stack } from '@mantine/core';
import { ScrollRegion } from '../basics/scroll-region';
import { CopyButton } from './copy';

/**
 * A text to copy: a command, a secret, a body.
 * @param label what the text is, for screen readers
 * @param copyLabel what the button's name adds to "Copy"
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
