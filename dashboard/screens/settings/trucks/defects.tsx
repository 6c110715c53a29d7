import { Alert, Button, Stack, Text, TextInput, Title } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { api, client, ifMatch } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { useCan, useSession } from '../../../api/session';
import { useWrite } from '../../../api/use-write';
import { FormDialog } from '../../../parts/dialogs/form-dialog';
import { useOpenedVersion } from '../../../parts/dialogs/use-opened-version';
import { PagedTable } from '../../../parts/record/paged-table';
import type { Column } from '../../../parts/record/record-table';
import { humanize, StatusBadge } from '../../../parts/record/status-badge';
import { TimeAgo } from '../../../parts/values/time';
import { TimeField } from '../../../parts/values/time-field';

export type Inspection = Schemas['Inspection'];

/** A defect, with the inspection that found it. */
export interface Defect {
  inspection: Inspection;
  defect: Inspection['defects'][number];
}

/** The mark of a truck that an unresolved defect takes out of service, whatever its status. */
export function BlockedBadge() {
  return <StatusBadge status="critical" label="Blocked by a defect" />;
}

/** True if an unresolved defect takes the truck out of service. */
export function useIsBlocked(truckId: string): boolean {
  const query = { truck_id: truckId, result: 'out_of_service', limit: 1 } as const;
  const { data } = api.useQuery('get', '/inspections', { params: { query } });
  return (data?.data.items.length ?? 0) > 0;
}

/** The unresolved defects of a truck. Those that block its dispatch come first. */
export function Defects({ truckId }: { truckId: string }) {
  const [resolved, setResolved] = useState<Defect>();
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        Unresolved defects
      </Title>
      <Text size="sm" c="dimmed">
        Inspections find them, of drivers or of a connected vendor. A defect with the severity Out of service
        blocks the dispatch of the truck until it is resolved.
      </Text>
      <DefectTable
        truckId={truckId}
        result="out_of_service"
        label="Defects of inspections that block dispatch"
        empty="No defect blocks the dispatch of this truck."
        onResolve={setResolved}
      />
      <DefectTable
        truckId={truckId}
        result="pass_with_defects"
        label="Other defects"
        empty="There are no other defects."
        onResolve={setResolved}
      />
      {resolved && <ResolveDefect {...resolved} onClose={() => setResolved(undefined)} />}
    </Stack>
  );
}

/** The unresolved defects of the truck's inspections that have this result. */
function DefectTable({
  truckId,
  result,
  label,
  empty,
  onResolve,
}: {
  truckId: string;
  result: Schemas['InspectionResult'];
  label: string;
  empty: string;
  onResolve: (defect: Defect) => void;
}) {
  const canWrite = useCan('write');
  const columns: Column<Defect>[] = [
    { header: 'Defect', render: ({ defect }) => defect.component },
    { header: 'Severity', render: ({ defect }) => <StatusBadge status={defect.severity} /> },
    { header: 'Found by', render: ({ inspection: { kind } }) => `${humanize(kind)} inspection` },
    { header: 'Found', render: ({ inspection: { submitted_at: at } }) => <TimeAgo at={at} /> },
  ];
  if (canWrite)
    columns.push({
      header: 'Actions',
      render: (row) => (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Resolve defect ${row.defect.component}`}
          onClick={() => onResolve(row)}
        >
          Resolve defect
        </Button>
      ),
    });
  return (
    <PagedTable<Defect>
      label={label}
      queryKey={['/inspections', truckId, result]}
      readPage={async (cursor) => {
        const query = { truck_id: truckId, result, limit: 50, ...(cursor ? { cursor } : {}) };
        const { data } = await client.GET('/inspections', { params: { query } });
        return { items: data?.data.items.flatMap(listUnresolved) ?? [], cursor: data?.data.cursor ?? null };
      }}
      rowKey={({ defect: { id } }) => id}
      empty={empty}
      columns={columns}
    />
  );
}

function listUnresolved(inspection: Inspection): Defect[] {
  return inspection.defects
    .filter(({ resolved_at: at }) => at === null)
    .map((defect) => ({ inspection, defect }));
}

function ResolveDefect({ inspection: listed, defect, onClose }: Defect & { onClose: () => void }) {
  const { data: session } = useSession();
  const params = { path: { id: listed.id } };
  const newest = api.useQuery('get', '/inspections/{id}', { params }).data ?? listed;
  const { opened: inspection, onProblem } = useOpenedVersion(newest);
  const [by, setBy] = useState(session?.user.name ?? '');
  const [at, setAt] = useState<string | null>(() => new Date().toISOString());
  const write = useWrite(
    (headers, body: Schemas['InspectionPatch']) =>
      client.PATCH('/inspections/{id}', {
        params: { ...params, header: { ...headers, ...ifMatch(inspection) } },
        body,
      }),
    { done: `${defect.component} is resolved`, onProblem },
  );
  const current = newest.defects.find(({ id }) => id === defect.id);
  // While a write runs, or may have been stored, the resolution may be the form's own.
  const mayBeOwn = write.isRunning || write.problem?.isUncertain === true;
  const isOpen = mayBeOwn || current?.resolved_at === null;
  const submit = async () => {
    const change = { id: defect.id, resolved_at: at, resolved_by: by.trim() || null };
    if (await write.run({ defects: [change] })) onClose();
  };
  return (
    <FormDialog
      title={`Resolve ${defect.component}`}
      submitLabel="Resolve defect"
      fields={['defects[0].resolved_at', 'defects[0].resolved_by']}
      write={write}
      // Without a time, the API would reopen the defect.
      canSubmit={at !== null && isOpen}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {(errors) => (
        <>
          {isOpen ? (
            <Text size="sm">{describeEffect(inspection, defect)}</Text>
          ) : (
            <Resolved defect={current} />
          )}
          <TextInput
            data-autofocus
            label="Resolved by"
            maxLength={200}
            value={by}
            error={errors['defects[0].resolved_by']}
            onChange={(event) => setBy(event.currentTarget.value)}
          />
          <TimeField
            label="Resolved at"
            required
            at={at}
            onAt={setAt}
            error={errors['defects[0].resolved_at']}
          />
        </>
      )}
    </FormDialog>
  );
}

/** Says that the defect has a resolution already, so that nobody overwrites it by accident. */
function Resolved({ defect }: { defect: Defect['defect'] | undefined }) {
  return (
    <Alert
      color="yellow"
      variant="outline"
      icon={<TriangleAlert size={18} aria-hidden />}
      title="The defect is resolved already"
    >
      <Text size="sm">
        {defect?.resolved_by ? `By ${defect.resolved_by}. ` : ''}So this form cannot be sent. Close it.
      </Text>
    </Alert>
  );
}

function describeEffect({ defects }: Inspection, { id, severity }: Defect['defect']): string {
  if (severity !== 'out_of_service') return 'The inspection stays, and shows the defect as resolved.';
  const others = defects.some(
    (other) => other.id !== id && other.severity === 'out_of_service' && other.resolved_at === null,
  );
  return others
    ? 'Another defect of this inspection still blocks the dispatch of the truck.'
    : 'This inspection no longer blocks the dispatch of the truck.';
}
