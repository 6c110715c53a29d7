import { Stack, Text } from '@mantine/core';
import { Fragment } from 'react';
import { api } from '../../api/client';
import type { Schemas, WorkOrder } from '../../api/records';
import { DRIVER_STEP } from '../../generated/vocabulary';
import { ChangeValue } from '../record/change-value';
import { Facts } from '../record/facts';
import { RecordTable } from '../record/record-table';
import { humanize } from '../record/status-badge';
import { ExactTime } from '../values/time';
import { STEP_NAMES } from './steps';

type LoggedStep = Schemas['LoggedStep'];

/** The timeline of a work order: the record's times, the driver's steps, and the status changes. */
export function TimesTab({ workOrder }: { workOrder: WorkOrder }) {
  const params = { path: { id: workOrder.id }, query: { limit: 200 } };
  const { data } = api.useQuery('get', '/work-orders/{id}/steps', { params });
  const logged = data?.data.items ?? [];
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
      <DriverSteps workOrder={workOrder} logged={logged} />
      <RecordTable
        label="Timeline"
        rows={logged}
        rowKey={({ id }) => id}
        empty="Nothing was recorded yet."
        columns={[
          { header: 'Time', render: ({ at }) => <ExactTime at={at} /> },
          { header: 'What happened', render: (step) => <What logged={step} /> },
          { header: 'Who', render: ({ actor }) => actor.name ?? humanize(actor.type) },
        ]}
      />
    </Stack>
  );
}

/** The driver's steps in their usual order. Marks the current step. */
function DriverSteps({ workOrder, logged }: { workOrder: WorkOrder; logged: readonly LoggedStep[] }) {
  // Steps are sorted newest first. So for a step that was logged twice, `find` returns the last
  // entry.
  const findLogged = (step: string) => logged.find((entry) => entry.step === step)?.at;
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
            return findLogged(step) ? 'Logged' : '–';
          },
        },
        { header: 'Logged at', render: (step) => <ExactTime at={findLogged(step)} /> },
      ]}
    />
  );
}

/** A change, with its step, crew or reason. */
function What({ logged }: { logged: LoggedStep }) {
  const details = DETAILS[logged.action]?.filter((field) => logged[field] !== null) ?? [];
  return (
    <>
      {humanize(logged.action)}
      {details.map((field, index) => (
        <Fragment key={field}>
          {index === 0 ? ': ' : ', '}
          <ChangeValue field={field} value={logged[field]} />
        </Fragment>
      ))}
    </>
  );
}

/** For each action, the members that the timeline shows. */
const DETAILS: Readonly<Partial<Record<LoggedStep['action'], readonly (keyof LoggedStep)[]>>> = {
  step_logged: ['step'],
  assigned: ['truck_id', 'driver_id'],
  cancelled: ['cancel_reason', 'cancel_note'],
};

/**
 * Describes the time between two instants: "2 h 5 min". Returns undefined if an instant is not
 * known.
 */
function describeSpan(from: string | null, to: string | null): string | undefined {
  if (from === null || to === null) return undefined;
  const minutes = Math.round((Date.parse(to) - Date.parse(from)) / 60_000);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
