import { Group, Stack, Text } from '@mantine/core';
import type { Invoice } from '../../../api/records';
import type { DryRun } from '../../../api/use-dry-run';
import { formatCents } from '../../../parts/values/money';
import { readable } from './invoice-faults';

/** Subtotal, tax and total of the current input, as the server computes them. */
export function Totals({ dryRun, isUnfinished }: { dryRun: DryRun<Invoice>; isUnfinished: boolean }) {
  const { preview, isCurrent, problem } = dryRun;
  const isOld = !isCurrent || problem !== undefined;
  const rows = [
    ['Subtotal', preview?.subtotal_cents],
    ['Tax', preview?.tax_cents],
    ['Total', preview?.total_cents],
  ] as const;
  return (
    <Stack gap={2} w="100%" maw={300} ml="auto" role="group" aria-label="Totals" aria-busy={!isCurrent}>
      {rows.map(([name, cents]) => (
        <Group key={name} justify="space-between" {...(isOld ? { c: 'dimmed' } : {})}>
          <Text size="sm" fw={name === 'Total' ? 700 : 400}>
            {name}
          </Text>
          <Text size="sm" fw={name === 'Total' ? 700 : 400} className="digits">
            {cents === undefined ? '–' : formatCents(cents)}
          </Text>
        </Group>
      ))}
      <Text size="xs" c="dimmed" role="status">
        {isUnfinished ? 'The totals follow when everything is filled in.' : describe(dryRun)}
      </Text>
    </Stack>
  );
}

function describe({ isCurrent, problem }: DryRun<Invoice>): string {
  if (!isCurrent) return 'The server is computing the totals.';
  if (!problem) return 'Computed by the server.';
  return `There are no totals yet: ${readable(problem.message)}`;
}
