import { Checkbox, Fieldset, Group, NativeSelect, Text, TextInput } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { PUBLISHED_CATEGORY, PUBLISHED_UNIT_TYPE } from '../../../generated/vocabulary';
import type { FieldErrors } from '../../../parts/dialogs/form-dialog';
import { ItemButtons } from '../../../parts/items/item-buttons';
import { humanize } from '../../../parts/record/status-badge';
import { withChosen } from '../../../parts/record/word-options';
import { Money } from '../../../parts/values/money';
import { MoneyField } from '../../../parts/values/money-field';
import { LINE_LABELS, type LineField } from './invoice-draft';
import { linePath } from './invoice-faults';
import { type LineDraft, withCategory } from './line-draft';

const GRID = {
  display: 'grid',
  gridTemplateColumns: 'repeat(auto-fit, minmax(130px, 1fr))',
  gap: '8px',
  alignItems: 'start',
};

/**
 * The fields of one line item, with the server's total.
 * @param isNew true to focus the new line item
 */
export function LineItem({
  line,
  index,
  isLast,
  isNew,
  totalCents,
  errors,
  onLine,
  onMove,
  onRemove,
}: {
  line: LineDraft;
  index: number;
  isLast: boolean;
  isNew: boolean;
  totalCents: number | undefined;
  errors: FieldErrors;
  onLine: (line: LineDraft) => void;
  onMove: (by: 1 | -1) => void;
  onRemove: () => void;
}) {
  const first = useRef<HTMLSelectElement>(null);
  useEffect(() => {
    if (isNew) first.current?.focus();
  }, [isNew]);
  const name = `line ${index + 1}`;
  const set = (patch: Partial<LineDraft>) => onLine({ ...line, ...patch });
  const field = (of: LineField) => ({
    size: 'xs',
    label: LINE_LABELS[of],
    error: errors[linePath(index, of)],
  });
  return (
    <Fieldset legend={humanize(name)} p="xs">
      <div style={GRID}>
        <NativeSelect
          ref={first}
          {...field('category')}
          data={withChosen(PUBLISHED_CATEGORY, line.category)}
          value={line.category}
          onChange={(event) => onLine(withCategory(line, event.currentTarget.value))}
        />
        <TextInput
          {...field('name')}
          value={line.name}
          maxLength={200}
          onChange={(event) => set({ name: event.currentTarget.value })}
        />
        <TextInput
          {...field('description')}
          value={line.description}
          maxLength={2000}
          onChange={(event) => set({ description: event.currentTarget.value })}
        />
        <TextInput
          {...field('quantity')}
          inputMode="decimal"
          value={line.quantity}
          onChange={(event) => set({ quantity: event.currentTarget.value })}
        />
        <NativeSelect
          {...field('unit_type')}
          data={withChosen(PUBLISHED_UNIT_TYPE, line.unit_type)}
          value={line.unit_type}
          onChange={(event) => set({ unit_type: event.currentTarget.value })}
        />
        <MoneyField
          {...field('unit_price_cents')}
          cents={line.unit_price_cents}
          onCents={(cents) => set({ unit_price_cents: cents })}
        />
      </div>
      <Group justify="space-between" mt="xs" gap="xs">
        <Checkbox
          size="xs"
          label={LINE_LABELS.taxable}
          checked={line.taxable}
          onChange={(event) => set({ taxable: event.currentTarget.checked })}
        />
        <Group gap="xs">
          <Text size="sm" fw={600}>
            {LINE_LABELS.total_cents} {totalCents === undefined ? '–' : <Money cents={totalCents} />}
          </Text>
          <ItemButtons
            name={name}
            isFirst={index === 0}
            isLast={isLast}
            onMove={onMove}
            onRemove={onRemove}
          />
        </Group>
      </Group>
      {errors[linePath(index, 'total_cents')] && (
        <Text size="xs" c="var(--mantine-color-error)">
          {errors[linePath(index, 'total_cents')]}
        </Text>
      )}
    </Fieldset>
  );
}
