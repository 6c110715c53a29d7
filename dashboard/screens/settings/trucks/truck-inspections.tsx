import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { api, client, ifMatch } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { useCan } from '../../../api/session';
import { useWrite } from '../../../api/use-write';
import { DriverName } from '../../../parts/choices/record-names';
import { FormDialog } from '../../../parts/dialogs/form-dialog';
import { useOpenedVersion } from '../../../parts/dialogs/use-opened-version';
import { PhotoLinks } from '../../../parts/inspections/photo-links';
import { Facts } from '../../../parts/record/facts';
import { PagedTable } from '../../../parts/record/paged-table';
import { humanize, StatusBadge } from '../../../parts/record/status-badge';
import { TimeAgo } from '../../../parts/values/time';
import type { Defect, Inspection } from './defects';

/** The inspections of a truck, the newest first. A person can reopen their resolved defects. */
export function TruckInspections({ truckId }: { truckId: string }) {
  const [reopened, setReopened] = useState<Defect>();
  const canWrite = useCan('write');
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        Inspections
      </Title>
      <PagedTable<Inspection>
        label="Inspections of the truck"
        queryKey={['/inspections', truckId]}
        readPage={async (cursor) => {
          const query = { truck_id: truckId, limit: 20, ...(cursor ? { cursor } : {}) };
          const { data } = await client.GET('/inspections', { params: { query } });
          return data?.data ?? { items: [], cursor: null };
        }}
        rowKey={({ id }) => id}
        empty="No inspection of this truck was filed."
        columns={[
          { header: 'Filed', render: ({ submitted_at: at }) => <TimeAgo at={at} /> },
          { header: 'Kind', render: ({ kind }) => humanize(kind) },
          { header: 'Result', render: ({ result }) => <StatusBadge status={result} /> },
          { header: 'Driver', render: ({ driver_id: id }) => <DriverName id={id} /> },
          {
            header: 'Defects',
            render: (inspection) => (
              <DefectList inspection={inspection} {...(canWrite ? { onReopen: setReopened } : {})} />
            ),
          },
          { header: 'Photos', render: ({ photos }) => <PhotoLinks photos={photos} /> },
        ]}
      />
      {reopened && <ReopenDefect {...reopened} onClose={() => setReopened(undefined)} />}
    </Stack>
  );
}

function DefectList({
  inspection,
  onReopen,
}: {
  inspection: Inspection;
  onReopen?: (defect: Defect) => void;
}) {
  const { defects } = inspection;
  if (defects.length === 0) return <>–</>;
  return (
    <Stack gap={4}>
      {defects.map((defect) => (
        <Group key={defect.id} gap="xs">
          <span>
            {[defect.component, humanize(defect.severity).toLowerCase(), defect.resolved_at && 'resolved']
              .filter(Boolean)
              .join(', ')}
          </span>
          {onReopen && defect.resolved_at !== null && (
            <Button
              size="compact-sm"
              variant="default"
              aria-label={`Reopen defect ${defect.component}`}
              onClick={() => onReopen({ inspection, defect })}
            >
              Reopen
            </Button>
          )}
        </Group>
      ))}
    </Stack>
  );
}

/** Takes back the resolution of a defect, for example because the repair did not hold. */
function ReopenDefect({ inspection: listed, defect, onClose }: Defect & { onClose: () => void }) {
  const params = { path: { id: listed.id } };
  const newest = api.useQuery('get', '/inspections/{id}', { params }).data ?? listed;
  const { opened: inspection, onProblem } = useOpenedVersion(newest);
  const write = useWrite(
    (headers, body: Schemas['InspectionPatch']) =>
      client.PATCH('/inspections/{id}', {
        params: { ...params, header: { ...headers, ...ifMatch(inspection) } },
        body,
      }),
    { done: `${defect.component} is open again`, onProblem },
  );
  const submit = async () => {
    const change = { id: defect.id, resolved_at: null, resolved_by: null };
    if (await write.run({ defects: [change] })) onClose();
  };
  const current = inspection.defects.find(({ id }) => id === defect.id);
  const isResolved = current !== undefined && current.resolved_at !== null;
  return (
    <FormDialog
      title={`Reopen ${defect.component}`}
      submitLabel="Reopen defect"
      write={write}
      isDangerous
      canSubmit={isResolved}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <Facts
        items={{
          Defect: defect.component,
          Severity: humanize(defect.severity),
          'Resolved by': current?.resolved_by ?? null,
          Resolved: current?.resolved_at ? <TimeAgo at={current.resolved_at} /> : null,
        }}
      />
      <Text size="sm">{isResolved ? describeEffect(defect) : 'The defect is open already.'}</Text>
    </FormDialog>
  );
}

function describeEffect({ severity }: Defect['defect']): string {
  const effect =
    severity === 'out_of_service'
      ? 'The truck cannot be dispatched until the defect is resolved again.'
      : 'The defect is open again.';
  return `${effect} The record forgets who resolved it, and when; the audit log keeps both.`;
}
