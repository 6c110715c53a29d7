import { Stack, Text } from '@mantine/core';
import { Fragment } from 'react';
import { api } from '../../api/client';
import type { Schemas, WorkOrder } from '../../api/records';
import { useCan } from '../../api/session';
import { DRIVER_STEP } from '../../generated/vocabulary';
import { ChangeValue } from '../record/change-value';
import { Facts } from '../record/facts';
import { RecordTable } from '../record/record-table';
import { humanize } from '../record/status-badge';
import { ExactTime } from '../values/time';
import { STEP_NAMES } from './allowed-actions';

/** When what happened: the times of the record, the driver's steps, and the moves of its status. */
export function TimesTab({ workOrder }: { workOrder: WorkOrder }) {
  const canRead = useCan('admin');
  const { id } = workOrder;
  const log = api.useQuery(
    'get',
    '/audit-log',
    { params: { query: { entity_type: 'work_order', entity_id: id, outcome: 'ok', limit: 100 } } },
    { enabled: canRead },
  );
  const entries = log.data?.data.items ?? [];
  return (
    <Stack gap="lg">
      <Facts
        items={{
          Created: <ExactTime at={workOrder.created_at} />,
          Dispatched: <ExactTime at={workOrder.dispatch_time} />,
          'Expected at the vehicle': <ExactTime at={workOrder.eta} />,
          Completed: <ExactTime at={workOrder.completion_time} />,
          'Waited for a truck': describeSpan(workOrder.created_at, workOrder.dispatch_time),
          'From dispatch to completion': describeSpan(workOrder.dispatch_time, workOrder.completion_time),
        }}
      />
      <Steps workOrder={workOrder} entries={entries} />
      {canRead ? (
        <RecordTable
          label="Timeline"
          rows={entries.filter(({ action }) => action !== 'work_order.updated')}
          rowKey={(entry) => entry.id}
          empty="Nothing was recorded yet."
          columns={[
            { header: 'Time', render: ({ occurred_at: at }) => <ExactTime at={at} /> },
            { header: 'What happened', render: (entry) => <What entry={entry} /> },
            { header: 'Who', render: ({ actor }) => actor.name ?? humanize(actor.type) },
          ]}
        />
      ) : (
        <Text c="dimmed" size="sm">
          Only people with the right admin may see who did what, and when each step was logged.
        </Text>
      )}
    </Stack>
  );
}

/** The driver's steps in their usual order, with the one that the driver is at. */
function Steps({ workOrder, entries }: { workOrder: WorkOrder; entries: Schemas['AuditEntry'][] }) {
  const isUnderWay = workOrder.status === 'dispatched' || workOrder.status === 'in_progress';
  return (
    <RecordTable
      label="Steps of the driver"
      rows={STEP_NAMES}
      rowKey={(step) => step}
      empty=""
      columns={[
        {
          header: 'Step',
          render: (step) => (
            <Text inherit component="span" fw={step === workOrder.step ? 700 : 400}>
              {humanize(step)}
            </Text>
          ),
        },
        { header: 'Meaning', render: (step) => DRIVER_STEP[step] },
        {
          header: 'State',
          render: (step) => {
            if (step === workOrder.step) return isUnderWay ? 'Now here' : 'The last one';
            return findLogged(entries, step) ? 'Logged' : '–';
          },
        },
        { header: 'Logged at', render: (step) => <ExactTime at={findLogged(entries, step)} /> },
      ]}
    />
  );
}

/** Entries are newest first: a step that was logged twice shows its last time. */
function findLogged(entries: Schemas['AuditEntry'][], step: string): string | undefined {
  const isOfStep = ({ changes }: Schemas['AuditEntry']) =>
    changes.some(({ field, to }) => field === 'step' && to === step);
  return entries.find(isOfStep)?.occurred_at;
}

/** What an entry reports, with the step, the crew or the reason that belongs to it. */
function What({ entry: { action, changes } }: { entry: Schemas['AuditEntry'] }) {
  const verb = humanize(action.replace('work_order.', ''));
  const shown = changes.filter(({ field, to }) => DETAILS[action]?.includes(field) && to !== null);
  return (
    <>
      {verb}
      {shown.map(({ field, to }, index) => (
        <Fragment key={field}>
          {index === 0 ? ': ' : ', '}
          <ChangeValue field={field} value={to} />
        </Fragment>
      ))}
    </>
  );
}

/** The changed fields that the timeline names, by the action. */
const DETAILS: Readonly<Record<string, readonly string[]>> = {
  'work_order.step_logged': ['step'],
  'work_order.assigned': ['truck_id', 'driver_id'],
  'work_order.cancelled': ['cancel_reason', 'cancel_note'],
};

/** Describes the time between two instants: "2 h 5 min". Undefined if one is not known. */
function describeSpan(from: string | null, to: string | null): string | undefined {
  if (from === null || to === null) return undefined;
  const minutes = Math.round((Date.parse(to) - Date.parse(from)) / 60_000);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
