import type { Schemas } from '../../api/records';
import { useListedInvoice } from '../../parts/choices/listed-invoice';
import { RecordLink } from '../../parts/url/links';

/**
 * A link to the record of a suggestion. Claims have no screen of their own, so the link of a claim
 * leads to its invoice.
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
