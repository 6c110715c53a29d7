import { Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ScrollRegion } from '../basics/scroll-region';

export interface Column<Row> {
  header: string;
  render: (row: Row) => ReactNode;
  /** Amounts and counts stand on the right. */
  align?: 'right';
  /** Width in px, so that the table does not move when its rows arrive. */
  width?: number;
}

/** A table of rows that are already there. */
export function RecordTable<Row>({
  label,
  rows,
  columns,
  rowKey,
  empty,
  footer,
}: {
  label: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => string;
  empty: string;
  /** Rows below the table, such as sums. */
  footer?: ReactNode;
}) {
  if (rows.length === 0) return <Text c="dimmed">{empty}</Text>;
  return (
    <ScrollRegion label={label}>
      <Table verticalSpacing={6} aria-label={label}>
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ header, align, width }) => (
              <Table.Th key={header} ta={align ?? 'left'} {...(width ? { w: width } : {})}>
                {header}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={rowKey(row)}>
              {columns.map(({ header, render, align }) => (
                <Table.Td key={header} ta={align ?? 'left'}>
                  {render(row)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
        {footer && <Table.Tfoot>{footer}</Table.Tfoot>}
      </Table>
    </ScrollRegion>
  );
}
