import type { Schemas } from '../../api/records';
import { Money } from '../values/money';
import { RecordTable } from './record-table';
import { humanize } from './status-badge';
import { SumRow } from './sum-row';

/** The line items of an invoice, stored or proposed. */
export type ShownLine = Pick<
  Schemas['ProposedLine'],
  'name' | 'description' | 'quantity' | 'unit_type' | 'unit_price_cents' | 'total_cents' | 'taxable'
>;

/**
 * A table of line items that cannot be edited.
 * @param sums amounts below the line items, such as tax and total
 */
export function LineTable({
  label = 'Line items',
  lines,
  sums = {},
}: {
  label?: string;
  lines: readonly ShownLine[];
  sums?: Readonly<Record<string, number>>;
}) {
  return (
    <RecordTable
      label={label}
      rows={lines.map((line, index) => ({ ...line, position: index }))}
      rowKey={({ position }) => String(position)}
      empty="There are no line items."
      columns={[
        { header: 'Name', render: ({ name, description }) => [name, description].filter(Boolean).join(': ') },
        {
          header: 'Quantity',
          align: 'right',
          render: ({ quantity, unit_type: unit }) => `${quantity} ${humanize(unit).toLowerCase()}`,
        },
        { header: 'Price', align: 'right', render: (line) => <Money cents={line.unit_price_cents} /> },
        { header: 'Tax', render: ({ taxable }) => (taxable ? 'Taxable' : 'Not taxed') },
        { header: 'Amount', align: 'right', render: (line) => <Money cents={line.total_cents} /> },
      ]}
      footer={Object.entries(sums).map(([name, cents]) => (
        <SumRow key={name} name={name} cents={cents} columns={5} />
      ))}
    />
  );
}
