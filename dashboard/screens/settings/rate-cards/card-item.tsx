import { Checkbox, Fieldset, Group, NativeSelect, TextInput } from '@mantine/core';
import { useEffect, useRef } from 'react';
import {
  PUBLISHED_CATEGORY,
  PUBLISHED_SERVICE_TYPE,
  PUBLISHED_UNIT_TYPE,
} from '../../../generated/vocabulary';
import type { FieldErrors } from '../../../parts/dialogs/form-dialog';
import { ItemButtons } from '../../../parts/items/item-buttons';
import { withChosen } from '../../../parts/record/word-options';
import { MoneyField } from '../../../parts/values/money-field';
import { type ItemDraft, isMinimumValid, withCategory } from './card-draft';
import { ITEM_LABELS, type ItemField, itemPath } from './card-faults';

const GRID = {
  display: 'grid',
  gridTemplateColumns: 'repeat(auto-fit, minmax(130px, 1fr))',
  gap: '8px',
  alignItems: 'start',
};
const ANY_SERVICE = { value: '', label: 'Any service' };

/**
 * The fields of one item of a rate card.
 * @param isNew true to focus the new item
 */
export function CardItem({
  item,
  index,
  isLast,
  isNew,
  errors,
  onItem,
  onMove,
  onRemove,
}: {
  item: ItemDraft;
  index: number;
  isLast: boolean;
  isNew: boolean;
  errors: FieldErrors;
  onItem: (item: ItemDraft) => void;
  onMove: (by: 1 | -1) => void;
  onRemove: () => void;
}) {
  const first = useRef<HTMLSelectElement>(null);
  useEffect(() => {
    if (isNew) first.current?.focus();
  }, [isNew]);
  const set = (patch: Partial<ItemDraft>) => onItem({ ...item, ...patch });
  const field = (of: ItemField) => ({
    size: 'xs',
    label: ITEM_LABELS[of],
    error: errors[itemPath(index, of)],
  });
  const minimum = field('minimum_cents');
  return (
    <Fieldset legend={`Item ${index + 1}`} p="xs">
      <div style={GRID}>
        <NativeSelect
          ref={first}
          {...field('category')}
          data={withChosen(PUBLISHED_CATEGORY, item.category)}
          value={item.category}
          onChange={(event) => onItem(withCategory(item, event.currentTarget.value))}
        />
        <TextInput
          {...field('name')}
          value={item.name}
          maxLength={200}
          onChange={(event) => set({ name: event.currentTarget.value })}
        />
        <NativeSelect
          {...field('service_type')}
          data={[ANY_SERVICE, ...withChosen(PUBLISHED_SERVICE_TYPE, item.service_type || 'tow')]}
          value={item.service_type}
          onChange={(event) => set({ service_type: event.currentTarget.value })}
        />
        <NativeSelect
          {...field('unit_type')}
          data={withChosen(PUBLISHED_UNIT_TYPE, item.unit_type)}
          value={item.unit_type}
          onChange={(event) => set({ unit_type: event.currentTarget.value })}
        />
        <MoneyField
          {...field('unit_price_cents')}
          required
          cents={item.unit_price_cents}
          onCents={(cents) => set({ unit_price_cents: cents })}
        />
        <TextInput
          {...field('included_quantity')}
          inputMode="decimal"
          value={item.included_quantity}
          onChange={(event) => set({ included_quantity: event.currentTarget.value })}
        />
        <TextInput
          {...minimum}
          error={isMinimumValid(item) ? minimum.error : 'Enter an amount such as 75.00'}
          inputMode="decimal"
          leftSection="$"
          placeholder="None"
          value={item.minimum}
          onChange={(event) => set({ minimum: event.currentTarget.value })}
        />
      </div>
      <Group justify="space-between" mt="xs" gap="xs">
        <Group gap="md">
          {(['after_hours', 'taxable'] as const).map((name) => (
            <Checkbox
              key={name}
              {...field(name)}
              checked={item[name]}
              onChange={(event) => set({ [name]: event.currentTarget.checked })}
            />
          ))}
        </Group>
        <Group gap="xs">
          <ItemButtons
            name={`item ${index + 1}`}
            isFirst={index === 0}
            isLast={isLast}
            onMove={onMove}
            onRemove={onRemove}
          />
        </Group>
      </Group>
    </Fieldset>
  );
}
