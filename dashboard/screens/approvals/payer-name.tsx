import type { InvoiceListItem } from '../../api/records';
import { CustomerName } from '../../parts/choices/record-names';
import { type Approval, readRequest } from './approval-text';

/** The name of the payer: the customer or, without a customer, the invoice's billing address. */
export function PayerName({
  approval,
  invoice,
  isLink = false,
}: {
  approval: Approval;
  invoice: Pick<InvoiceListItem, 'customer_id' | 'billing_email'> | undefined;
  isLink?: boolean;
}) {
  const { customer_id: requestedId, billing_email: requestedEmail } = readRequest(approval);
  const id = requestedId ?? invoice?.customer_id ?? null;
  if (id === null) return <>{requestedEmail ?? invoice?.billing_email ?? '–'}</>;
  return <CustomerName id={id} isLink={isLink} />;
}
