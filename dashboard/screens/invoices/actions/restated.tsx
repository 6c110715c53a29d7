import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Invoice } from '../../../api/records';
import { CustomerName } from '../../../parts/choices/record-names';
import { Facts } from '../../../parts/record/facts';
import { Money } from '../../../parts/values/money';

/** Describes what the dialog is about to write: number, customer, amounts and effect. */
export function Restated({ invoice, effect }: { invoice: Invoice; effect: ReactNode }) {
  return (
    <Stack gap="sm">
      <Facts
        items={{
          Invoice: invoice.invoice_number,
          Customer: invoice.customer_id ? <CustomerName id={invoice.customer_id} /> : invoice.billing_email,
          Total: <Money cents={invoice.total_cents} />,
          Balance: <Money cents={invoice.balance_due_cents} />,
        }}
      />
      <Text size="sm">{effect}</Text>
    </Stack>
  );
}
