import { SimpleGrid, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { client, ifMatch } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { useWrite } from '../../../api/use-write';
import { FormDialog } from '../../../parts/dialogs/form-dialog';
import type { Connection } from '../vendors/vendor-kinds';

type Months = Schemas['BookReconciliationStart'];

/** Starts a comparison of months with the books. Proposes the last month and this one. */
export function CompareMonthsDialog({
  connection,
  onStarted,
  onClose,
}: {
  connection: Connection;
  onStarted: () => void;
  onClose: () => void;
}) {
  const [months, setMonths] = useState<Months>(proposeMonths);
  const write = useWrite(
    (headers, body: Months) =>
      client.POST('/connections/{id}/reconciliation', {
        params: { path: { id: connection.id }, header: { ...headers, ...ifMatch(connection) } },
        body,
      }),
    { done: 'The books are being read' },
  );
  const submit = async () => {
    if (!(await write.run(months))) return;
    onStarted();
    onClose();
  };
  return (
    <FormDialog
      title="Compare months"
      submitLabel="Compare"
      fields={['from', 'to']}
      write={write}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <Text size="sm">
            All sales invoices of these months are read in the books, within the vendor’s limits, and compared
            with the invoices here. Nothing is changed on either side. The result replaces the last one.
          </Text>
          <SimpleGrid cols={2} spacing="sm">
            <TextInput
              label="First month"
              type="month"
              required
              value={months.from}
              error={errors.from}
              onChange={({ currentTarget: { value: from } }) => setMonths({ ...months, from })}
            />
            <TextInput
              label="Last month"
              type="month"
              required
              value={months.to}
              error={errors.to}
              onChange={({ currentTarget: { value: to } }) => setMonths({ ...months, to })}
            />
          </SimpleGrid>
        </>
      )}
    </FormDialog>
  );
}

function proposeMonths(): Months {
  const now = new Date();
  const toText = (time: Date) => `${time.getFullYear()}-${String(time.getMonth() + 1).padStart(2, '0')}`;
  return { from: toText(new Date(now.getFullYear(), now.getMonth() - 1, 1)), to: toText(now) };
}
