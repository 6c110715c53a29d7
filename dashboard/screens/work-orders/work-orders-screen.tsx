import { Button, Stack, Text } from '@mantine/core';
import type { WorkOrder, WorkOrderListItem } from '../../api/records';
import { useCan } from '../../api/session';
import { PUBLISHED_SERVICE_TYPE, WORK_ORDER_STATUS } from '../../generated/vocabulary';
import { nameTruck } from '../../parts/choices/name-truck';
import { wordsOf } from '../../parts/choices/words';
import { CUSTOMER, type Filter, FROM, SEARCH, TO } from '../../parts/list/filters';
import type { ListColumn } from '../../parts/list/linked-table';
import { ListScreen } from '../../parts/list/list-screen';
import { BY_CREATION } from '../../parts/list/sort-header';
import { humanize, StatusBadge } from '../../parts/record/status-badge';
import { useUrl } from '../../parts/url/use-url';
import { buildCurl } from '../../parts/values/curl';
import { TimeAgo } from '../../parts/values/time';

const FILTERS: readonly Filter[] = [
  {
    name: 'status',
    label: 'Status',
    kind: 'choice',
    options: [{ value: 'new', label: 'New, to be accepted' }, ...wordsOf(WORK_ORDER_STATUS)],
  },
  CUSTOMER,
  { name: 'service_type', label: 'Service', kind: 'choice', options: PUBLISHED_SERVICE_TYPE },
  FROM,
  TO,
  SEARCH,
];

const COLUMNS: readonly ListColumn<WorkOrderListItem>[] = [
  { header: 'Customer', render: ({ customer_name: name }) => name ?? '–' },
  { header: 'Service', render: ({ service_type: type }) => humanize(type) },
  { header: 'Pickup → drop-off', render: (workOrder) => <Route workOrder={workOrder} /> },
  { header: 'Truck / driver', render: (workOrder) => <Crew workOrder={workOrder} /> },
  { header: 'Status', render: ({ status }) => <StatusBadge status={status} /> },
  { header: 'Billing', render: ({ billing_status: status }) => <StatusBadge status={status} /> },
  {
    header: 'Created',
    render: ({ created_at: at }) => <TimeAgo at={at} />,
    sort: BY_CREATION,
  },
];

export function WorkOrdersScreen() {
  const canWrite = useCan('write');
  const { openRecord } = useUrl();
  const create = canWrite && <Button onClick={() => openRecord('new')}>New work order</Button>;
  return (
    <ListScreen<WorkOrderListItem>
      name="Work orders"
      path="/work-orders"
      fixedQuery={{ expand: 'names' }}
      filters={FILTERS}
      columns={COLUMNS}
      nameHeader="Number"
      rowName={({ job_number: number }) => (
        <Text component="span" inherit className="digits" style={{ whiteSpace: 'nowrap' }}>
          {number}
        </Text>
      )}
      actions={create}
      empty={{
        text: 'There are no work orders yet. A work order is one tow or one service at the roadside.',
        action: create,
        curl: buildCurl('/work-orders', {
          method: 'POST',
          body: { service_type: 'tow', pickup_location: '48 Warren Street, Hudson' },
        }),
      }}
    />
  );
}

function Route({ workOrder: { pickup_location: from, dropoff_location: to } }: { workOrder: WorkOrder }) {
  if (!from && !to) return <>–</>;
  return (
    <Text size="sm" maw={320} miw={160} lineClamp={2} title={`${from ?? ''} → ${to ?? ''}`}>
      {from ?? '–'}
      {to && ` → ${to}`}
    </Text>
  );
}

function Crew({
  workOrder: { truck_unit_number: truck, driver_name: driver },
}: {
  workOrder: WorkOrderListItem;
}) {
  if (!truck && !driver) return <>–</>;
  return (
    <Stack gap={0}>
      {truck ? nameTruck({ unit_number: truck }) : '–'}
      {driver && (
        <Text size="xs" c="dimmed">
          {driver}
        </Text>
      )}
    </Stack>
  );
}
