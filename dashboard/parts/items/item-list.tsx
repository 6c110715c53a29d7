import { Button, Stack, Text, Title } from '@mantine/core';
import { Plus } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';

/** What one item of the list needs. */
export interface ListedItem<Item> {
  item: Item;
  index: number;
  /** True if the person has just added the item. */
  isNew: boolean;
  onItem: (changed: Item) => void;
  /** Moves the item by a number of places. */
  onMove: (by: number) => void;
  onRemove: () => void;
}

/**
 * The items of a record in its form. A person can add, remove and move them.
 * @param error the server's fault about the whole list
 * @param create makes an empty item
 * @param children renders one item
 */
export function ItemList<Item extends { key: string }>({
  title,
  addLabel,
  maxItems,
  items,
  error,
  create,
  onItems,
  children,
}: {
  title: string;
  addLabel: string;
  maxItems: number;
  items: readonly Item[];
  error: string | undefined;
  create: () => Item;
  onItems: (items: Item[]) => void;
  children: (listed: ListedItem<Item>) => ReactNode;
}) {
  const [added, setAdded] = useState<string>();
  const addButton = useRef<HTMLButtonElement>(null);
  const add = () => {
    const item = create();
    setAdded(item.key);
    onItems([...items, item]);
  };
  const remove = (index: number) => {
    onItems(items.filter((_, at) => at !== index));
    // At the maximum number, the button is still disabled.
    requestAnimationFrame(() => addButton.current?.focus());
  };
  const move = (from: number, to: number) => {
    const next = [...items];
    next.splice(to, 0, ...next.splice(from, 1));
    onItems(next);
  };
  return (
    <Stack gap="sm" component="section" aria-label={title}>
      <Title order={3} size="h5">
        {title}
      </Title>
      {error && (
        <Text c="var(--mantine-color-error)" size="sm" role="alert">
          {error}
        </Text>
      )}
      {items.map((item, index) =>
        children({
          item,
          index,
          isNew: item.key === added,
          onItem: (changed) => onItems(items.map((old, at) => (at === index ? changed : old))),
          onMove: (by) => move(index, index + by),
          onRemove: () => remove(index),
        }),
      )}
      <Button
        ref={addButton}
        variant="default"
        size="xs"
        w="fit-content"
        leftSection={<Plus size={14} aria-hidden />}
        disabled={items.length >= maxItems}
        onClick={add}
      >
        {addLabel}
      </Button>
    </Stack>
  );
}
