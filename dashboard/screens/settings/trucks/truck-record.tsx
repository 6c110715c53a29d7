import { Button } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../../api/client';
import type { Truck } from '../../../api/records';
import { useCan } from '../../../api/session';
import { nameTruck } from '../../../parts/choices/name-truck';
import { Facts } from '../../../parts/record/facts';
import { RecordDrawer } from '../../../parts/record/record-drawer';
import { humanize, StatusBadge } from '../../../parts/record/status-badge';
import { RecordLink, SearchLink } from '../../../parts/url/links';
import { TimeAgo } from '../../../parts/values/time';
import { BlockedBadge, Defects, useIsBlocked } from './defects';
import { FileInspection } from './file-inspection';
import { PositionDialog } from './position-dialog';
import { EditTruck } from './truck-form';
import { TruckInspections } from './truck-inspections';

export function TruckRecord({ id, onClose }: { id: string; onClose: () => void }) {
  const reading = api.useQuery('get', '/trucks/{id}', { params: { path: { id } } });
  const isBlocked = useIsBlocked(id);
  return (
    <RecordDrawer
      reading={reading}
      name={nameTruck}
      status={({ status }) => (
        <>
          <StatusBadge status={status} />
          {isBlocked && <BlockedBadge />}
        </>
      )}
      actions={(truck) => <Actions truck={truck} />}
      onClose={onClose}
    >
      {(truck) => (
        <>
          <Details truck={truck} />
          <Defects truckId={id} />
          <TruckInspections truckId={id} />
        </>
      )}
    </RecordDrawer>
  );
}

function Actions({ truck }: { truck: Truck }) {
  const [open, setOpen] = useState<'edit' | 'inspection' | 'position'>();
  const close = () => setOpen(undefined);
  if (!useCan('write')) return null;
  return (
    <>
      <Button variant="default" onClick={() => setOpen('inspection')}>
        File inspection
      </Button>
      <Button variant="default" onClick={() => setOpen('position')}>
        Set position
      </Button>
      <Button onClick={() => setOpen('edit')}>Edit</Button>
      {open === 'edit' && <EditTruck truck={truck} onClose={close} />}
      {open === 'position' && <PositionDialog truck={truck} onClose={close} />}
      {open === 'inspection' && <FileInspection truck={truck} onClose={close} />}
    </>
  );
}

function Details({ truck }: { truck: Truck }) {
  const { driver_id: driverId, current_work_order_id: workOrderId, odometer, location } = truck;
  return (
    <Facts
      items={{
        'Duty class': humanize(truck.duty_class),
        Driver: driverId && <DriverLink id={driverId} />,
        'Work order': workOrderId && (
          <RecordLink screen="work-orders" id={workOrderId}>
            Open the work order
          </RecordLink>
        ),
        Vehicle: describeVehicle(truck),
        Plate: truck.plate,
        VIN: truck.vin,
        Odometer: odometer && `${odometer.miles.toLocaleString('en-US')} miles`,
        'Last position': location && <TimeAgo at={location.at} />,
        Created: <TimeAgo at={truck.created_at} />,
        Changed: <TimeAgo at={truck.updated_at} />,
      }}
    />
  );
}

function DriverLink({ id }: { id: string }) {
  const { data } = api.useQuery('get', '/drivers/{id}', { params: { path: { id } } });
  return <SearchLink search={{ tab: 'drivers', truck: '', driver: id }}>{data?.name ?? '…'}</SearchLink>;
}

/** Describes the vehicle: "2022 Peterbilt 389". Returns an empty text if nothing is known. */
export function describeVehicle({ year, make, model }: Truck): string {
  return [year, make, model].filter(Boolean).join(' ');
}
