import { FileInput, SimpleGrid, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { client } from '../../api/client';
import type { Schemas } from '../../api/records';
import { useWrite } from '../../api/use-write';
import { CustomerSelect } from '../../parts/choices/customer-select';
import { FormDialog } from '../../parts/dialogs/form-dialog';
import { useUrl } from '../../parts/url/use-url';
import { MoneyField } from '../../parts/values/money-field';

const FIELDS = ['payer', 'reference', 'paid_on', 'total_cents', 'customer_id', 'csv'];

/** Imports a club's list, which the person pastes or chooses as a file. */
export function NewRemittance({ onClose }: { onClose: () => void }) {
  const [texts, setTexts] = useState({ payer: '', reference: '', paid_on: '', csv: '' });
  const [cents, setCents] = useState<number>();
  const [customerId, setCustomerId] = useState<string | null>(null);
  const { openRecord } = useUrl();
  const set = (name: keyof typeof texts) => (event: { currentTarget: { value: string } }) => {
    const { value } = event.currentTarget;
    setTexts((before) => ({ ...before, [name]: value }));
  };
  const write = useWrite(
    (header, body: Schemas['RemittanceCreate']) => client.POST('/remittances', { params: { header }, body }),
    { done: 'Remittance imported' },
  );
  const submit = async () => {
    const made = await write.run({ ...texts, total_cents: cents as number, customer_id: customerId });
    if (!made) return;
    onClose();
    openRecord(made.id);
  };
  const readFile = async (file: File | null) => {
    if (!file) return;
    const csv = await file.text();
    setTexts((before) => ({ ...before, csv }));
  };
  return (
    <FormDialog
      title="Import remittance"
      submitLabel="Import"
      fields={FIELDS}
      write={write}
      size="lg"
      isLong
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            <TextInput
              data-autofocus
              label="Payer"
              required
              placeholder="Interstate Motor Club"
              value={texts.payer}
              error={errors.payer}
              onChange={set('payer')}
            />
            <TextInput
              label="Check or transfer number"
              required
              placeholder="EFT 5521"
              value={texts.reference}
              error={errors.reference}
              onChange={set('reference')}
            />
            <TextInput
              type="date"
              label="Paid on"
              required
              value={texts.paid_on}
              error={errors.paid_on}
              onChange={set('paid_on')}
            />
            <MoneyField label="Total" required cents={cents} onCents={setCents} error={errors.total_cents} />
            <CustomerSelect value={customerId} onChange={setCustomerId} error={errors.customer_id} />
            <FileInput
              label="List as a file"
              placeholder="Choose a CSV file"
              accept=".csv,.txt,text/csv,text/plain"
              onChange={(file) => void readFile(file)}
            />
          </SimpleGrid>
          <Textarea
            label="List as CSV"
            description="The first line names the columns: PO or Invoice, and Amount. Amounts are in dollars."
            required
            autosize
            minRows={5}
            maxRows={12}
            value={texts.csv}
            error={errors.csv}
            onChange={set('csv')}
          />
        </>
      )}
    </FormDialog>
  );
}
