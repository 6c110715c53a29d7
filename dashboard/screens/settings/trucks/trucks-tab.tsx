import { Button, Stack } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../../api/client';
import type { Truck } from '../../../api/records';
import { useCan } from '../../../api/session';
import { DUTY_CLASS, TRUCK_STATUS } from '../../../generated/vocabulary';
import { DriverName } from '../../../parts/choices/record-names';
import { wordsOf } from '../../../parts/choices/words';
import { type Filter, SEARCH } from '../../../parts/list/filters';
import { ListScreen } from '../../../parts/list/list-screen';
import type { Column } from '../../../parts/record/record-table';
import { humanize, StatusBadge } from '../../../parts/record/status-badge';
import { useOpenedRecord } from '../../../parts/url/use-opened-record';
import { buildCurl } from '../../../parts/values/curl';
import { BlockedBadge } from './defects';
import { NewTruck } from './truck-form';
import { describeVehicle, TruckRecord } from './truck-record';

const FILTERS: readonly Filter[] = [
  { name: 'status', label: 'Status', kind: 'choice', options: wordsOf(TRUCK_STATUS) },
  { name: 'duty_class', label: 'Duty class', kind: 'choice', options: wordsOf(DUTY_CLASS) },
  SEARCH,
];

/** The trucks that work orders can be assigned to. */
export function TrucksTab() {
  const [isAdding, setAdding] = useState(false);
  const truck = useOpenedRecord('truck');
  const columns = useColumns();
  const add = useCan('write') && <Button onClick={() => setAdding(true)}>New truck</Button>;
  return (
    <>
      <ListScreen<Truck>
        isView
        name="Trucks"
        path="/trucks"
        filters={FILTERS}
        columns={columns}
        nameHeader="Unit number"
        rowName={({ unit_number: number }) => number}
        recordParameter="truck"
        actions={add}
        empty={{
          text: 'There are no trucks yet. A work order can be dispatched once there is a truck for it.',
          action: add,
          curl: buildCurl('/trucks', { method: 'POST', body: { unit_number: 'T-1', duty_class: 'light' } }),
        }}
      />
      {isAdding && <NewTruck onOpen={truck.open} onClose={() => setAdding(false)} />}
      {truck.id && <TruckRecord key={truck.id} id={truck.id} onClose={truck.close} />}
    </>
  );
}

function useColumns(): readonly Column<Truck>[] {
  const blocked = useBlockedTrucks();
  return [
    {
      header: 'Status',
      render: ({ id, status }) => (
        <Stack gap={4} align="flex-start">
          <StatusBadge status={status} />
          {blocked.has(id) && <BlockedBadge />}
        </Stack>
      ),
    },
    { header: 'Duty class', render: ({ duty_class: duty }) => humanize(duty) },
    { header: 'Driver', render: ({ driver_id: id }) => <DriverName id={id} /> },
    { header: 'Vehicle', render: (truck) => describeVehicle(truck) || '–' },
    { header: 'Plate', render: ({ plate }) => plate ?? '–' },
  ];
}

/** Returns the ids of the trucks that an unresolved defect takes out of service. */
function useBlockedTrucks(): ReadonlySet<string | null> {
  const query = { result: 'out_of_service', limit: 200 } as const;
  const { data } = api.useQuery('get', '/inspections', { params: { query } });
  return new Set(data?.data.items.map(({ truck_id: id }) => id));
}
