import { Button } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../../api/client';
import type { Driver } from '../../../api/records';
import { useCan } from '../../../api/session';
import { DRIVER_STATUS } from '../../../generated/vocabulary';
import { wordsOf } from '../../../parts/choices/words';
import { type Filter, SEARCH } from '../../../parts/list/filters';
import { ListScreen } from '../../../parts/list/list-screen';
import { Facts } from '../../../parts/record/facts';
import { RecordDrawer } from '../../../parts/record/record-drawer';
import type { Column } from '../../../parts/record/record-table';
import { humanize, StatusBadge } from '../../../parts/record/status-badge';
import { useOpenedRecord } from '../../../parts/url/use-opened-record';
import { buildCurl } from '../../../parts/values/curl';
import { TimeAgo } from '../../../parts/values/time';
import { EditDriver, NewDriver } from './driver-form';

const FILTERS: readonly Filter[] = [
  { name: 'status', label: 'Status', kind: 'choice', options: wordsOf(DRIVER_STATUS) },
  SEARCH,
];

const COLUMNS: readonly Column<Driver>[] = [
  { header: 'Status', render: ({ status }) => <StatusBadge status={status} /> },
  { header: 'Phone', render: ({ phone }) => phone ?? '–' },
  { header: 'May drive', render: describeDuties },
  { header: 'Added', render: ({ created_at: at }) => <TimeAgo at={at} /> },
];

/** The drivers of the account. They need no sign-in: a link to each job is sent to them. */
export function DriversTab() {
  const [isAdding, setAdding] = useState(false);
  const driver = useOpenedRecord('driver');
  const add = useCan('write') && <Button onClick={() => setAdding(true)}>New driver</Button>;
  return (
    <>
      <ListScreen<Driver>
        isView
        name="Drivers"
        path="/drivers"
        filters={FILTERS}
        columns={COLUMNS}
        nameHeader="Name"
        rowName={({ name }) => name}
        recordParameter="driver"
        actions={add}
        empty={{
          text: 'There are no drivers yet. A driver needs no account: each job has a link for its driver.',
          action: add,
          curl: buildCurl('/drivers', { method: 'POST', body: { name: 'Sam Rivera' } }),
        }}
      />
      {isAdding && <NewDriver onOpen={driver.open} onClose={() => setAdding(false)} />}
      {driver.id && <DriverRecord key={driver.id} id={driver.id} onClose={driver.close} />}
    </>
  );
}

function DriverRecord({ id, onClose }: { id: string; onClose: () => void }) {
  const reading = api.useQuery('get', '/drivers/{id}', { params: { path: { id } } });
  return (
    <RecordDrawer
      reading={reading}
      name={({ name }) => name}
      status={({ status }) => <StatusBadge status={status} />}
      actions={(driver) => <Actions driver={driver} />}
      size="md"
      onClose={onClose}
    >
      {(driver) => (
        <Facts
          items={{
            Phone: driver.phone,
            'May drive': describeDuties(driver),
            Created: <TimeAgo at={driver.created_at} />,
            Changed: <TimeAgo at={driver.updated_at} />,
          }}
        />
      )}
    </RecordDrawer>
  );
}

function Actions({ driver }: { driver: Driver }) {
  const [isEditing, setEditing] = useState(false);
  if (!useCan('write')) return null;
  return (
    <>
      <Button onClick={() => setEditing(true)}>Edit</Button>
      {isEditing && <EditDriver driver={driver} onClose={() => setEditing(false)} />}
    </>
  );
}

function describeDuties({ duty_classes: duties }: Driver): string {
  return duties.length === 0 ? '–' : duties.map(humanize).join(', ');
}
