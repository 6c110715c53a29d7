import { api } from '../../api/client';
import { WITH_EXTERNAL_IDS } from '../../parts/record/external-ids';
import { RecordDrawer } from '../../parts/record/record-drawer';
import { RecordHistory } from '../../parts/record/record-history';
import { RecordTabs } from '../../parts/record/record-tabs';
import { StatusBadge } from '../../parts/record/status-badge';
import { InvoiceActions } from './actions/invoice-actions';
import { ClaimsTab } from './claims/claims-tab';
import { NewInvoice } from './form/new-invoice';
import { NEW_ID } from './new-id';
import { DetailsTab } from './tabs/details-tab';
import { MessagesTab } from './tabs/messages-tab';
import { PaymentsTab } from './tabs/payments-tab';
import { PdfTab } from './tabs/pdf-tab';

/** An invoice over the list, or the form of a new one. */
export function InvoiceRecord({ id }: { id: string }) {
  return id === NEW_ID ? <NewInvoice /> : <InvoiceDrawer id={id} />;
}

function InvoiceDrawer({ id }: { id: string }) {
  const reading = api.useQuery('get', '/invoices/{id}', {
    params: { path: { id }, query: WITH_EXTERNAL_IDS },
  });
  return (
    <RecordDrawer
      reading={reading}
      name={({ invoice_number }) => invoice_number}
      status={({ status }) => <StatusBadge status={status} />}
      actions={(invoice) => <InvoiceActions invoice={invoice} />}
    >
      {(invoice) => (
        <RecordTabs
          tabs={[
            { value: 'details', label: 'Details', render: () => <DetailsTab invoice={invoice} /> },
            { value: 'payments', label: 'Payments', render: () => <PaymentsTab invoice={invoice} /> },
            { value: 'claims', label: 'Claims', render: () => <ClaimsTab invoice={invoice} /> },
            { value: 'messages', label: 'Messages', render: () => <MessagesTab invoice={invoice} /> },
            {
              value: 'history',
              label: 'History',
              render: () => <RecordHistory entityType="invoice" id={id} />,
            },
            { value: 'pdf', label: 'PDF', render: () => <PdfTab invoice={invoice} /> },
          ]}
        />
      )}
    </RecordDrawer>
  );
}
