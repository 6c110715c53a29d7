import { Text } from '@mantine/core';
import { useState } from 'react';
import { client, ifMatch } from '../../api/client';
import type { Driver, Schemas, Truck, WorkOrder } from '../../api/records';
import { useWrite } from '../../api/use-write';
import { useDrivers, useTrucks } from '../choices/all-records';
import { nameTruck } from '../choices/name-truck';
import { Select } from '../choices/select';
import { FormDialog } from '../dialogs/form-dialog';
import { useOpenedVersion } from '../dialogs/use-opened-version';
import { humanize } from '../record/status-badge';
import { TimeField } from '../values/time-field';

const OWN_DRIVER = 'own';
const NO_DRIVER = 'none';

/**
 * Assigns a truck, or changes the assigned truck. Unless the person chooses a driver, the truck's
 * own driver is assigned.
 */
export function AssignDialog({ workOrder, onClose }: { workOrder: WorkOrder; onClose: () => void }) {
  const { opened, onProblem } = useOpenedVersion(workOrder);
  const trucks = useTrucks();
  const drivers = useDrivers();
  const [truckId, setTruckId] = useState(workOrder.truck_id);
  const [driver, setDriver] = useState<string>(OWN_DRIVER);
  const [eta, setEta] = useState(workOrder.eta);
  const write = useWrite(
    (headers, body: Schemas['WorkOrderAssign']) =>
      client.POST('/work-orders/{id}/assign', {
        params: { path: { id: workOrder.id }, header: { ...headers, ...ifMatch(opened) } },
        body,
      }),
    { done: ({ job_number: number }) => `${number} assigned`, onProblem },
  );
  const submit = async () => {
    if (!truckId) return;
    const driverId = driver === NO_DRIVER ? null : driver;
    const body = { truck_id: truckId, ...(driver === OWN_DRIVER ? {} : { driver_id: driverId }), eta };
    if (await write.run(body)) onClose();
  };
  const chosen = trucks.find(({ id }) => id === truckId);
  return (
    <FormDialog
      title={`Assign ${workOrder.job_number}`}
      submitLabel="Assign"
      fields={['truck_id', 'driver_id', 'eta']}
      write={write}
      canSubmit={truckId !== null}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <Text size="sm">{describeEffect(workOrder)}</Text>
          <Select
            label="Truck"
            data-autofocus
            required
            searchable
            openOnFocus={false}
            nothingFoundMessage="No truck has this number"
            data={listTrucks(trucks, workOrder.id)}
            value={truckId}
            error={errors.truck_id}
            onChange={setTruckId}
          />
          <Select
            label="Driver"
            searchable
            allowDeselect={false}
            nothingFoundMessage="No active driver has this name"
            data={listDrivers(drivers, chosen)}
            value={driver}
            error={errors.driver_id}
            onChange={(value) => setDriver(value ?? OWN_DRIVER)}
          />
          <TimeField label="Expected at the vehicle" at={eta} onAt={setEta} error={errors.eta} />
        </>
      )}
    </FormDialog>
  );
}

function describeEffect({ status }: WorkOrder): string {
  if (status === 'pending') return 'The truck is sent to this work order, which becomes Dispatched.';
  if (status === 'dispatched') return 'Another truck or driver takes over this work order.';
  return 'Another truck takes over. The work order goes back from In progress to Dispatched.';
}

/**
 * Lists the trucks to choose from. Free trucks come first, then trucks off duty. Trucks that are
 * busy or out of service are disabled.
 */
function listTrucks(trucks: readonly Truck[], workOrderId: string) {
  const isBlocked = ({ current_work_order_id: current, status }: Truck) =>
    status === 'out_of_service' || (current !== null && current !== workOrderId);
  return trucks
    .map((truck) => ({
      value: truck.id,
      label: `${nameTruck(truck)}, ${truck.duty_class} duty, ${humanize(truck.status).toLowerCase()}`,
      disabled: isBlocked(truck),
      rank: isBlocked(truck) ? 2 : Number(truck.status === 'off_duty'),
    }))
    .sort((a, b) => a.rank - b.rank || a.label.localeCompare(b.label))
    .map(({ rank: _, ...option }) => option);
}

function listDrivers(drivers: readonly Driver[], truck: Truck | undefined) {
  const own = drivers.find(({ id }) => id === truck?.driver_id);
  const ownName = truck ? `: ${own?.name ?? 'none'}` : '';
  return [
    { value: OWN_DRIVER, label: `The truck's own driver${ownName}` },
    { value: NO_DRIVER, label: 'No driver' },
    ...drivers
      .filter(({ status }) => status === 'active')
      .map(({ id, name }) => ({ value: id, label: name })),
  ];
}
