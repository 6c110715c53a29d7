import { Title } from '@mantine/core';
import type { ComponentProps } from 'react';
import { RecordTable } from '../../../parts/record/record-table';

/** A table with a heading, below the payments of an invoice. Shows nothing if there are no rows. */
export function TitledTable<Row>({
  label,
  rows,
  ...table
}: Omit<ComponentProps<typeof RecordTable<Row>>, 'empty'>) {
  if (rows?.length === 0 || rows === undefined) return null;
  return (
    <>
      <Title order={3} size="h5" mt="md">
        {label}
      </Title>
      <RecordTable label={label} rows={rows} empty="" {...table} />
    </>
  );
}
