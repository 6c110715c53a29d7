import { Button, Stack, Text, Title } from '@mantine/core';
import { Plus } from 'lucide-react';
import { useRef, useState } from 'react';
import type { Invoice } from '../../../api/records';
import type { FieldErrors } from '../../../parts/dialogs/form-dialog';
import { createLine, type LineDraft } from './line-draft';
import { LineItem } from './line-item';

const MAX_LINES = 200;

/**
 * The line items of an invoice. A person can add, remove and move them.
 * @param priced the line items with the server's totals; undefined while the server computes them
 */
export function LineItems({
  lines,
  priced,
  errors,
  onLines,
}: {
  lines: readonly LineDraft[];
  priced: Invoice['line_items'] | undefined;
  errors: FieldErrors;
  onLines: (lines: LineDraft[]) => void;
}) {
  const [added, setAdded] = useState<string>();
  const addButton = useRef<HTMLButtonElement>(null);
  const add = () => {
    const line = createLine();
    setAdded(line.key);
    onLines([...lines, line]);
  };
  const remove = (index: number) => {
    onLines(lines.filter((_, at) => at !== index));
    addButton.current?.focus();
  };
  const move = (from: number, to: number) => {
    const next = [...lines];
    next.splice(to, 0, ...next.splice(from, 1));
    onLines(next);
  };
  return (
    <Stack gap="sm" component="section" aria-label="Line items">
      <Title order={3} size="h5">
        Line items
      </Title>
      {errors.line_items && (
        <Text c="var(--mantine-color-error)" size="sm" role="alert">
          {errors.line_items}
        </Text>
      )}
      {lines.map((line, index) => (
        <LineItem
          key={line.key}
          line={line}
          index={index}
          isLast={index === lines.length - 1}
          isNew={line.key === added}
          totalCents={priced?.[index]?.total_cents}
          errors={errors}
          onLine={(changed) => onLines(lines.map((old, at) => (at === index ? changed : old)))}
          onMove={(step) => move(index, index + step)}
          onRemove={() => remove(index)}
        />
      ))}
      <Button
        ref={addButton}
        variant="default"
        size="xs"
        w="fit-content"
        leftSection={<Plus size={14} aria-hidden />}
        disabled={lines.length >= MAX_LINES}
        onClick={add}
      >
        Add line
      </Button>
    </Stack>
  );
}
