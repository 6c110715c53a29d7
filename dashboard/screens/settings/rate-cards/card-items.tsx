import type { FieldErrors } from '../../../parts/dialogs/form-dialog';
import { ItemList } from '../../../parts/items/item-list';
import { createItem, type ItemDraft } from './card-draft';
import { CardItem } from './card-item';

const MAX_ITEMS = 100;

/** The items of a rate card. */
export function CardItems({
  items,
  errors,
  onItems,
}: {
  items: readonly ItemDraft[];
  errors: FieldErrors;
  onItems: (items: ItemDraft[]) => void;
}) {
  return (
    <ItemList
      title="Items"
      addLabel="Add item"
      maxItems={MAX_ITEMS}
      items={items}
      error={errors.items}
      create={createItem}
      onItems={onItems}
    >
      {({ item, ...listed }) => (
        <CardItem
          key={item.key}
          {...listed}
          item={item}
          isLast={listed.index === items.length - 1}
          errors={errors}
        />
      )}
    </ItemList>
  );
}
