import { Button, Stack, Text, Title } from '@mantine/core';
import { Plus } from 'lucide-react';
import { useRef, useState } from 'react';
import type { FieldErrors } from '../../../parts/dialogs/form-dialog';
import { createItem, type ItemDraft } from './card-draft';
import { CardItem } from './card-item';

const MAX_ITEMS = 100;

/** The items of a rate card. A person can add and remove them. */
export function CardItems({
  items,
  errors,
  onItems,
}: {
  items: readonly ItemDraft[];
  errors: FieldErrors;
  onItems: (items: ItemDraft[]) => void;
}) {
  const [added, setAdded] = useState<string>();
  const addButton = useRef<HTMLButtonElement>(null);
  const add = () => {
    const item = createItem();
    setAdded(item.key);
    onItems([...items, item]);
  };
  const remove = (index: number) => {
    onItems(items.filter((_, at) => at !== index));
    addButton.current?.focus();
  };
  return (
    <Stack gap="sm" component="section" aria-label="Items">
      <Title order={3} size="h5">
        Items
      </Title>
      {errors.items && (
        <Text c="var(--mantine-color-error)" size="sm" role="alert">
          {errors.items}
        </Text>
      )}
      {items.map((item, index) => (
        <CardItem
          key={item.key}
          item={item}
          index={index}
          isNew={item.key === added}
          errors={errors}
          onItem={(changed) => onItems(items.map((old, at) => (at === index ? changed : old)))}
          onRemove={() => remove(index)}
        />
      ))}
      <Button
        ref={addButton}
        variant="default"
        size="xs"
        w="fit-content"
        leftSection={<Plus size={14} aria-hidden />}
        disabled={items.length >= MAX_ITEMS}
        onClick={add}
      >
        Add item
      </Button>
    </Stack>
  );
}
