import { Textarea } from '@mantine/core';
import { useState } from 'react';
import { client, ifMatch } from '../../../api/client';
import type { Invoice, Schemas } from '../../../api/records';
import { useWrite } from '../../../api/use-write';
import { FormDialog } from '../../../parts/dialogs/form-dialog';
import { useOpenedVersion } from '../../../parts/dialogs/use-opened-version';
import { formatCents } from '../../../parts/values/money';
import { MoneyField } from '../../../parts/values/money-field';
import { nameMethod } from '../actions/record-payment';
import { Restated } from '../actions/restated';

type Refund = Partial<Schemas['RefundCreate']>;

/**
 * Refunds a payment, wholly or in part. The server refuses more than the part that is not refunded
 * yet.
 */
export function RefundDialog({
  invoice,
  payment: newest,
  onClose,
}: {
  invoice: Invoice;
  payment: Schemas['Payment'];
  onClose: () => void;
}) {
  const { opened: payment, onProblem } = useOpenedVersion(newest);
  const [refund, setRefund] = useState<Refund>({
    ...(payment.refunded_cents === 0 ? { amount_cents: payment.amount_cents } : {}),
    reason: '',
  });
  const write = useWrite(
    (headers, body: Refund) =>
      client.POST('/payments/{id}/refund', {
        params: { path: { id: payment.id }, header: { ...headers, ...ifMatch(payment) } },
        body: body as Schemas['RefundCreate'],
      }),
    { done: `Refund on ${invoice.invoice_number} recorded`, onProblem },
  );
  const submit = async () => {
    if (await write.run(refund)) onClose();
  };
  const paid = `${formatCents(payment.amount_cents)} by ${nameMethod(payment.method)}`;
  const before =
    payment.refunded_cents > 0 ? `, of which ${formatCents(payment.refunded_cents)} is refunded` : '';
  return (
    <FormDialog
      title="Refund"
      submitLabel="Refund"
      fields={['amount_cents', 'reason']}
      write={write}
      isDangerous
      canSubmit={refund.amount_cents !== undefined && refund.reason?.trim() !== ''}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <Restated
            invoice={invoice}
            effect={`The payment was ${paid}${before}. The refund uses the customer's credit first, then the balance rises.`}
          />
          <MoneyField
            data-autofocus
            label="Amount"
            required
            cents={refund.amount_cents}
            onCents={(cents) =>
              setRefund(({ reason }) => ({
                reason: reason ?? '',
                ...(cents === undefined ? {} : { amount_cents: cents }),
              }))
            }
            error={errors.amount_cents}
          />
          <Textarea
            label="Reason"
            required
            autosize
            minRows={2}
            maxLength={500}
            value={refund.reason ?? ''}
            error={errors.reason}
            onChange={(event) => {
              const reason = event.currentTarget.value;
              setRefund((old) => ({ ...old, reason }));
            }}
          />
        </>
      )}
    </FormDialog>
  );
}
