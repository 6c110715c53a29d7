import { Button } from '@mantine/core';
import { useState } from 'react';
import { useCan } from '../../../api/session';
import { ListScreen } from '../../../parts/list/list-screen';
import type { Column } from '../../../parts/record/record-table';
import { StatusBadge } from '../../../parts/record/status-badge';
import { buildCurl } from '../../../parts/values/curl';
import { TimeAgo } from '../../../parts/values/time';
import { nameExport } from '../request/export-wording';
import { NewSchedule } from './schedule-form';
import { describeCadence, describePeriod, type Schedule } from './schedule-wording';

const COLUMNS: readonly Column<Schedule>[] = [
  { header: 'Status', render: ({ enabled }) => <StatusBadge status={enabled ? 'active' : 'paused'} /> },
  { header: 'Repeats', render: describeCadence },
  { header: 'Rows', render: (schedule) => describePeriod(schedule) ?? 'All that match' },
  { header: 'Next run', render: ({ next_run_at }) => <TimeAgo at={next_run_at} empty="Paused" /> },
  { header: 'Last run', render: ({ last_run_at }) => <TimeAgo at={last_run_at} empty="Not yet" /> },
];

/** The schedules that request exports. */
export function SchedulesView() {
  const [isCreating, setCreating] = useState(false);
  const canExport = useCan('admin');
  const create = canExport && <Button onClick={() => setCreating(true)}>New schedule</Button>;
  return (
    <>
      <ListScreen<Schedule>
        isView
        name="Schedules"
        path="/export-schedules"
        filters={[]}
        columns={COLUMNS}
        nameHeader="Schedule"
        rowName={nameExport}
        actions={create}
        empty={{
          text: 'There are no schedules yet. A schedule requests the same export every day, week or month.',
          action: create,
          curl: buildCurl('/export-schedules', {
            method: 'POST',
            body: { resource: 'invoices', format: 'csv', cadence: 'daily', period: 'previous' },
          }),
        }}
      />
      {isCreating && <NewSchedule onClose={() => setCreating(false)} />}
    </>
  );
}
