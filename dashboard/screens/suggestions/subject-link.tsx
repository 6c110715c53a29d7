import type { Schemas } from '../../api/records';
import { useListedInvoice } from '../../parts/choices/listed-invoice';
import { RecordLink } from '../../parts/url/links';

/**
 * The record that a suggestion is about. Claims have no screen of their own, so their link leads to
 * the invoice.
 */
export function SubjectLink({ suggestion }: { suggestion: Schemas['Suggestion'] }) {
  const { entity_type: type, entity_id: id, invoice_id: invoiceId } = suggestion;
  const invoice = useListedInvoice(invoiceId);
  const number = invoice?.invoice_number ?? '…';
  if (type === 'work_order')
    return (
      <RecordLink screen="work-orders" id={id}>
        {invoiceId ? `Work order of ${number}` : 'Work order'}
      </RecordLink>
    );
  if (!invoiceId) return <>{type === 'claim' ? 'Claim' : '–'}</>;
  return (
    <RecordLink screen="invoices" id={invoiceId}>
      {type === 'claim' ? `Claim for ${number}` : number}
    </RecordLink>
  );
}
