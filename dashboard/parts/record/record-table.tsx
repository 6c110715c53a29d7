import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ScrollRegion } from '../basics/scroll-region';

export interface Column<Row> {
  header: string;
  render: (row: Row) => ReactNode;
  /** Use this for amounts and counts. */
  align?: 'right';
  /** Width in px. A fixed width keeps the table in place when its rows arrive. */
  width?: number;
}

/** A table of rows that have already been read, without pages. */
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
      <table className="records" aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ header, align, width }) => (
              <th
                key={header}
                className={align === 'right' ? 'at-right' : ''}
                {...(width ? { style: { width } } : {})}
              >
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map(({ header, render, align }) => (
                <td key={header} className={align === 'right' ? 'at-right' : ''}>
                  {render(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
        {footer && <tfoot>{footer}</tfoot>}
      </table>
    </ScrollRegion>
  );
}
