import { Button } from '@mantine/core';
import { useState } from 'react';
import { useCan } from '../../api/session';
import { EXPORT_STATUS } from '../../generated/vocabulary';
import { wordsOf } from '../../parts/choices/words';
import type { Filter } from '../../parts/list/filters';
import { ListScreen } from '../../parts/list/list-screen';
import { ViewTabs } from '../../parts/list/view-tabs';
import type { Column } from '../../parts/record/record-table';
import { StatusBadge } from '../../parts/record/status-badge';
import { buildCurl } from '../../parts/values/curl';
import { TimeAgo } from '../../parts/values/time';
import { type Export, ExportProgress, pollWhileUnfinished } from './files/export-progress';
import { NewExport } from './files/new-export';
import { useCompletedToast } from './files/started-exports';
import { nameExport, nameResource, RESOURCES, SCHEDULES } from './request/export-wording';
import { SchedulesView } from './schedules/schedules-view';

const FILTERS: readonly Filter[] = [
  {
    name: 'status',
    label: 'Status',
    kind: 'choice',
    options: wordsOf(EXPORT_STATUS),
  },
  {
    name: 'resource',
    label: 'Resource',
    kind: 'choice',
    options: RESOURCES.map((value) => ({ value, label: nameResource(value) })),
  },
];

const COLUMNS: readonly Column<Export>[] = [
  { header: 'Status', width: 140, render: ({ status }) => <StatusBadge status={status} /> },
  { header: 'Progress', width: 220, render: (one) => <ExportProgress shown={one} /> },
  { header: 'Requested by', render: ({ schedule_id }) => (schedule_id ? 'A schedule' : 'A person or key') },
  { header: 'Started', render: ({ started_at }) => <TimeAgo at={started_at} empty="Not yet" /> },
  { header: 'Expires', render: ({ status, expires_at }) => <Expiry {...{ status, expires_at }} /> },
];

function Expiry({ status, expires_at: at }: Pick<Export, 'status' | 'expires_at'>) {
  return status === 'completed' ? <TimeAgo at={at} /> : <>–</>;
}

/** Exports, and the schedules that request exports. */
export function ExportsScreen() {
  useCompletedToast();
  return (
    <ViewTabs
      name="Exports"
      views={[
        { name: 'exports', label: 'Exports', content: <ExportsView /> },
        { name: SCHEDULES, label: 'Schedules', content: <SchedulesView /> },
      ]}
    />
  );
}

function ExportsView() {
  const [isCreating, setCreating] = useState(false);
  const canExport = useCan('admin');
  const create = canExport && <Button onClick={() => setCreating(true)}>New export</Button>;
  return (
    <>
      <ListScreen<Export>
        isView
        name="Exports"
        path="/exports"
        filters={FILTERS}
        columns={COLUMNS}
        nameHeader="Export"
        rowName={nameExport}
        refetchMs={pollWhileUnfinished}
        actions={create}
        empty={{
          text: 'There are no exports yet. An export writes records into a file, which stays here for some days.',
          action: create,
          curl: buildCurl('/exports', { method: 'POST', body: { resource: 'invoices', format: 'csv' } }),
        }}
      />
      {isCreating && <NewExport onClose={() => setCreating(false)} />}
    </>
  );
}
