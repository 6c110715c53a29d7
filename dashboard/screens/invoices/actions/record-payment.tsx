import { NativeSelect, SimpleGrid, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api, client } from '../../../api/client';
import type { Invoice, Schemas } from '../../../api/records';
import { useDryRun } from '../../../api/use-dry-run';
import { useWrite } from '../../../api/use-write';
import { PAYMENT_METHOD } from '../../../generated/vocabulary';
import { wordsOf } from '../../../parts/choices/words';
import { FormDialog } from '../../../parts/dialogs/form-dialog';
import { humanize } from '../../../parts/record/status-badge';
import { formatCents } from '../../../parts/values/money';
import { MoneyField } from '../../../parts/values/money-field';
import { TimeField } from '../../../parts/values/time-field';
import { CardReaderDialog } from './card-reader';
import { Restated } from './restated';

type Method = Schemas['PaymentMethod'];
type Payment = Schemas['Payment'];

const FIELDS = ['amount_cents', 'method', 'reference', 'received_at'];
const UNPAYABLE: readonly Invoice['status'][] = ['draft', 'needs_review', 'failed', 'void', 'cancelled'];

/**
 * True if the API accepts a payment for the invoice. `allowed_actions` does not contain payments.
 */
export function canBePaid({ status }: Invoice): boolean {
  return !UNPAYABLE.includes(status);
}

/** The option that opens the dialog of the card reader. The API has no such payment method. */
const CARD_READER = 'card_reader';

/**
 * Records a received payment. If the account has a card reader, the person can collect the payment
 * there instead.
 */
export function RecordPayment({ invoice, onClose }: { invoice: Invoice; onClose: () => void }) {
  const [isOnReader, setIsOnReader] = useState(false);
  const { data } = api.useQuery('get', '/terminal-readers', { params: { query: { limit: 200 } } });
  const readers = data?.data.items ?? [];
  if (isOnReader) return <CardReaderDialog invoice={invoice} readers={readers} onClose={onClose} />;
  const canUseReader = readers.length > 0 && invoice.balance_due_cents > 0;
  return (
    <PaymentForm
      invoice={invoice}
      onClose={onClose}
      {...(canUseReader ? { onCardReader: () => setIsOnReader(true) } : {})}
    />
  );
}

function PaymentForm({
  invoice,
  onClose,
  onCardReader,
}: {
  invoice: Invoice;
  onClose: () => void;
  /** Absent if the account has no card reader, or if the balance is zero. */
  onCardReader?: () => void;
}) {
  const [cents, setCents] = useState<number | undefined>(invoice.balance_due_cents || undefined);
  const [chosen, setChosen] = useState<Method | typeof CARD_READER>('check');
  const isOnReader = chosen === CARD_READER;
  const method = isOnReader ? 'card' : chosen;
  const [reference, setReference] = useState('');
  const [receivedAt, setReceivedAt] = useState<string | null>(null);
  const params = { path: { id: invoice.id } };
  const body = {
    amount_cents: cents as number,
    method,
    ...(reference.trim() ? { reference: reference.trim() } : {}),
    ...(receivedAt ? { received_at: receivedAt } : {}),
  };
  const dryRun = useDryRun<Schemas['PaymentCreate'], Payment>(
    cents === undefined || isOnReader ? undefined : body,
    (header, checked, signal) =>
      client.POST('/invoices/{id}/payments', { params: { ...params, header }, body: checked, signal }),
  );
  const write = useWrite(
    (header, input: Schemas['PaymentCreate']) =>
      client.POST('/invoices/{id}/payments', { params: { ...params, header }, body: input }),
    { done: `Payment on ${invoice.invoice_number} recorded` },
  );
  const submit = async () => {
    if (isOnReader) onCardReader?.();
    else if (await write.run(body)) onClose();
  };
  return (
    <FormDialog
      title="Record payment"
      submitLabel={isOnReader ? 'Continue' : 'Record payment'}
      fields={FIELDS}
      write={write}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <Restated
            invoice={invoice}
            effect={
              isOnReader
                ? 'The reader asks the customer for the balance. It is recorded once it is paid.'
                : 'The amount is taken off the balance.'
            }
          />
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            <MoneyField
              data-autofocus
              label="Amount"
              required
              disabled={isOnReader}
              cents={cents}
              onCents={setCents}
              error={errors.amount_cents}
            />
            <NativeSelect
              label="Method"
              data={[
                ...wordsOf(PAYMENT_METHOD).map((value) => ({ value, label: nameMethod(value) })),
                ...(onCardReader ? [{ value: CARD_READER, label: 'Card reader' }] : []),
              ]}
              value={chosen}
              error={errors.method}
              onChange={(event) => setChosen(event.currentTarget.value as Method | typeof CARD_READER)}
            />
            <TextInput
              label="Reference"
              placeholder="Check 1042"
              maxLength={200}
              disabled={isOnReader}
              value={reference}
              error={errors.reference}
              onChange={(event) => setReference(event.currentTarget.value)}
            />
            <TimeField
              label="Received"
              description="Now, if empty"
              at={receivedAt}
              onAt={setReceivedAt}
              error={errors.received_at}
            />
          </SimpleGrid>
          <Text size="sm" role="status">
            {dryRun.isCurrent && !dryRun.problem && describeCredit(dryRun.preview)}
          </Text>
        </>
      )}
    </FormDialog>
  );
}

export function nameMethod(method: Method): string {
  return method === 'ach' ? 'Bank transfer (ACH)' : humanize(method);
}

function describeCredit(payment: Payment | undefined): string | undefined {
  if (!payment || payment.credit_cents === 0) return undefined;
  return `${formatCents(payment.credit_cents)} is more than the balance, and becomes credit of the customer.`;
}
