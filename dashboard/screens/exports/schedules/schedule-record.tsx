import { Button, Stack, Title } from '@mantine/core';
import { useState } from 'react';
import { api, client, ifMatch } from '../../../api/client';
import { useCan } from '../../../api/session';
import { useWrite } from '../../../api/use-write';
import { ConfirmDialog } from '../../../parts/dialogs/confirm-dialog';
import { ProblemAlert } from '../../../parts/feedback/problem-alert';
import { Facts } from '../../../parts/record/facts';
import { PagedTable } from '../../../parts/record/paged-table';
import { RecordDrawer } from '../../../parts/record/record-drawer';
import { StatusBadge } from '../../../parts/record/status-badge';
import { ScreenLink } from '../../../parts/url/links';
import { useUrl } from '../../../parts/url/use-url';
import { ExactTime, TimeAgo } from '../../../parts/values/time';
import { type Export, ExportProgress } from '../files/export-progress';
import { RequestFacts } from '../request/request-facts';
import { EditSchedule } from './schedule-form';
import { describeCadence, describePeriod, nameSchedule, type Schedule } from './schedule-wording';

export function ScheduleRecord({ id }: { id: string }) {
  const reading = api.useQuery('get', '/export-schedules/{id}', { params: { path: { id } } });
  return (
    <RecordDrawer
      reading={reading}
      name={nameSchedule}
      status={({ enabled }) => <StatusBadge status={enabled ? 'active' : 'paused'} />}
      actions={(schedule) => <Actions schedule={schedule} />}
    >
      {(schedule) => (
        <>
          <Facts
            items={{
              Repeats: describeCadence(schedule),
              'Next run': <ExactTime at={schedule.next_run_at} empty="Paused" />,
              'Last run': <TimeAgo at={schedule.last_run_at} empty="Not yet" />,
              Created: <TimeAgo at={schedule.created_at} />,
            }}
          />
          <RequestFacts request={schedule} {...withPeriod(schedule)} />
          <Stack gap="xs" component="section">
            <Title order={3} size="h5">
              Exports of this schedule
            </Title>
            <ExportsOf scheduleId={id} />
          </Stack>
        </>
      )}
    </RecordDrawer>
  );
}

function withPeriod(schedule: Schedule): { period?: string } {
  const period = describePeriod(schedule);
  return period === undefined ? {} : { period };
}

function Actions({ schedule }: { schedule: Schedule }) {
  const [dialog, setDialog] = useState<'edit' | 'delete'>();
  const canExport = useCan('admin');
  const toggle = useWrite(
    (headers, enabled: boolean) =>
      client.PATCH('/export-schedules/{id}', {
        params: { path: { id: schedule.id }, header: { ...headers, ...ifMatch(schedule) } },
        body: { enabled },
      }),
    { done: ({ enabled }) => (enabled ? 'Schedule resumed' : 'Schedule paused') },
  );
  if (!canExport) return null;
  const close = () => setDialog(undefined);
  return (
    <>
      {toggle.problem && <ProblemAlert problem={toggle.problem} />}
      <Button variant="default" onClick={() => setDialog('delete')}>
        Delete
      </Button>
      <Button variant="default" loading={toggle.isRunning} onClick={() => void toggle.run(!schedule.enabled)}>
        {schedule.enabled ? 'Pause' : 'Resume'}
      </Button>
      <Button onClick={() => setDialog('edit')}>Edit</Button>
      {dialog === 'edit' && <EditSchedule schedule={schedule} onClose={close} />}
      {dialog === 'delete' && <DeleteSchedule schedule={schedule} onClose={close} />}
    </>
  );
}

function DeleteSchedule({ schedule, onClose }: { schedule: Schedule; onClose: () => void }) {
  const { closeRecord } = useUrl();
  const remove = useWrite(
    (headers) =>
      client.DELETE('/export-schedules/{id}', {
        params: { path: { id: schedule.id }, header: { ...headers, ...ifMatch(schedule) } },
      }),
    { done: 'Schedule deleted' },
  );
  const confirm = async () => {
    if (await remove.run(undefined)) closeRecord();
  };
  return (
    <ConfirmDialog
      title={`Delete ${nameSchedule(schedule)}`}
      verb="Delete schedule"
      effect="It requests no more exports. The exports that it has requested stay."
      write={remove}
      onConfirm={() => void confirm()}
      onClose={onClose}
    />
  );
}

function ExportsOf({ scheduleId }: { scheduleId: string }) {
  return (
    <PagedTable<Export>
      label="Exports of this schedule"
      queryKey={['/exports', scheduleId]}
      readPage={async (cursor) => {
        const query = { schedule_id: scheduleId, limit: 20, ...(cursor ? { cursor } : {}) };
        const { data } = await client.GET('/exports', { params: { query } });
        return data?.data ?? { items: [], cursor: null };
      }}
      rowKey={({ id }) => id}
      empty="The schedule has not run yet."
      columns={[
        {
          header: 'Requested',
          render: ({ id, created_at: at }) => (
            <ScreenLink screen={`exports/${id}`}>
              <ExactTime at={at} />
            </ScreenLink>
          ),
        },
        { header: 'Status', render: ({ status }) => <StatusBadge status={status} /> },
        { header: 'Progress', render: (one) => <ExportProgress shown={one} /> },
      ]}
    />
  );
}
