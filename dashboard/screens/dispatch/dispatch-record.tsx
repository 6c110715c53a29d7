import { Anchor, Group, Stack, Title } from '@mantine/core';
import { api } from '../../api/client';
import type { WorkOrder } from '../../api/records';
import { CustomerName, DriverName, TruckName } from '../../parts/choices/record-names';
import { Facts } from '../../parts/record/facts';
import { RecordDrawer } from '../../parts/record/record-drawer';
import { humanize, StatusBadge } from '../../parts/record/status-badge';
import { RecordLink } from '../../parts/url/links';
import { TimesTab } from '../../parts/work-orders/times-tab';
import { WorkOrderActions } from '../../parts/work-orders/work-order-actions';
import { Age } from './board/age';

/** The facts of a work order that a dispatcher needs. A link leads to all other facts. */
export function DispatchRecord({ id }: { id: string }) {
  const reading = api.useQuery('get', '/work-orders/{id}', { params: { path: { id } } });
  return (
    <RecordDrawer
      reading={reading}
      name={({ job_number: number }) => number}
      status={(workOrder) => (
        <>
          <StatusBadge status={workOrder.status} />
          <Age workOrder={workOrder} />
          <RecordLink screen="work-orders" id={id}>
            Open in Work orders
          </RecordLink>
        </>
      )}
    >
      {(workOrder) => (
        <Stack gap="md">
          <Group gap="xs">
            <WorkOrderActions workOrder={workOrder} />
          </Group>
          <MainFacts workOrder={workOrder} />
          <Title order={3} size="h5">
            Steps and times
          </Title>
          <TimesTab workOrder={workOrder} />
        </Stack>
      )}
    </RecordDrawer>
  );
}

function MainFacts({ workOrder }: { workOrder: WorkOrder }) {
  const { vehicle, contact_phone: phone } = workOrder;
  return (
    <Facts
      items={{
        Service: humanize(workOrder.service_type),
        Customer: <CustomerName id={workOrder.customer_id} isLink />,
        Pickup: workOrder.pickup_location,
        'Drop-off': workOrder.dropoff_location,
        Truck: <TruckName id={workOrder.truck_id} />,
        Driver: <DriverName id={workOrder.driver_id} />,
        Step: workOrder.step && humanize(workOrder.step),
        Vehicle: [vehicle.year, vehicle.make, vehicle.model].filter(Boolean).join(' '),
        VIN: workOrder.vin,
        Contact: workOrder.contact_name,
        Phone: phone && (
          <Anchor href={`tel:${phone}`} inherit>
            {phone}
          </Anchor>
        ),
        Notes: workOrder.notes,
      }}
    />
  );
}
