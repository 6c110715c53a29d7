import type { Invoice } from '../../../api/records';
import type { FieldErrors } from '../../../parts/dialogs/form-dialog';
import { ItemList } from '../../../parts/items/item-list';
import { createLine, type LineDraft } from './line-draft';
import { LineItem } from './line-item';

const MAX_LINES = 200;

/**
 * The line items of an invoice.
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
  return (
    <ItemList
      title="Line items"
      addLabel="Add line"
      maxItems={MAX_LINES}
      items={lines}
      error={errors.line_items}
      create={createLine}
      onItems={onLines}
    >
      {({ item, index, onItem, ...listed }) => (
        <LineItem
          key={item.key}
          {...listed}
          line={item}
          index={index}
          isLast={index === lines.length - 1}
          totalCents={priced?.[index]?.total_cents}
          errors={errors}
          onLine={onItem}
        />
      )}
    </ItemList>
  );
}
