import { api } from '../../api/client';
import type { WorkOrder } from '../../api/records';
import { RecordDrawer } from '../../parts/record/record-drawer';
import { RecordHistory } from '../../parts/record/record-history';
import { RecordTabs } from '../../parts/record/record-tabs';
import { StatusBadge } from '../../parts/record/status-badge';
import { TimesTab } from '../../parts/work-orders/times-tab';
import { WorkOrderActions } from '../../parts/work-orders/work-order-actions';
import { NewWorkOrder } from './new-work-order';
import { ClaimsTab } from './tabs/claims-tab';
import { DetailsTab } from './tabs/details-tab';
import { ImpoundTab } from './tabs/impound-tab';
import { InspectionsTab } from './tabs/inspections-tab';
import { InvoicesTab } from './tabs/invoices-tab';
import { PhotosTab } from './tabs/photos-tab';
import { PriceTab } from './tabs/price-tab';
import { TextsTab } from './tabs/texts-tab';

/** The record at `/app/work-orders/<id>`. The id `new` opens the form of a new work order. */
export function WorkOrderRecord({ id }: { id: string }) {
  return id === 'new' ? <NewWorkOrder /> : <StoredWorkOrder id={id} />;
}

function StoredWorkOrder({ id }: { id: string }) {
  const reading = api.useQuery('get', '/work-orders/{id}', { params: { path: { id } } });
  return (
    <RecordDrawer
      reading={reading}
      name={({ job_number: number }) => `Work order ${number}`}
      size={820}
      status={({ status, billing_status: billing }) => (
        <>
          <StatusBadge status={status} />
          <StatusBadge status={billing} />
        </>
      )}
      actions={(workOrder) => <WorkOrderActions workOrder={workOrder} />}
    >
      {(workOrder) => <WorkOrderTabs workOrder={workOrder} />}
    </RecordDrawer>
  );
}

function WorkOrderTabs({ workOrder }: { workOrder: WorkOrder }) {
  const { id } = workOrder;
  return (
    <RecordTabs
      tabs={[
        { value: 'details', label: 'Details', render: () => <DetailsTab workOrder={workOrder} /> },
        { value: 'times', label: 'Times', render: () => <TimesTab workOrder={workOrder} /> },
        { value: 'price', label: 'Price', render: () => <PriceTab workOrder={workOrder} /> },
        { value: 'invoices', label: 'Invoices', render: () => <InvoicesTab workOrder={workOrder} /> },
        { value: 'inspections', label: 'Inspections', render: () => <InspectionsTab workOrderId={id} /> },
        { value: 'texts', label: 'Texts', render: () => <TextsTab workOrder={workOrder} /> },
        { value: 'photos', label: 'Photos', render: () => <PhotosTab workOrderId={id} /> },
        { value: 'impound', label: 'Impound', render: () => <ImpoundTab workOrderId={id} /> },
        { value: 'claims', label: 'Claims', render: () => <ClaimsTab workOrder={workOrder} /> },
        {
          value: 'history',
          label: 'History',
          render: () => <RecordHistory entityType="work_order" id={id} />,
        },
      ]}
    />
  );
}
