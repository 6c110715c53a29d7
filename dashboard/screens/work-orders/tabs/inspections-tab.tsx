import { Stack } from '@mantine/core';
import { client } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { DriverName, TruckName } from '../../../parts/choices/record-names';
import { PhotoLinks } from '../../../parts/inspections/photo-links';
import { PagedTable } from '../../../parts/record/paged-table';
import { humanize, StatusBadge } from '../../../parts/record/status-badge';
import { TimeAgo } from '../../../parts/values/time';

type Inspection = Schemas['Inspection'];

export function InspectionsTab({ workOrderId }: { workOrderId: string }) {
  return (
    <PagedTable<Inspection>
      label="Inspections"
      queryKey={['/inspections', workOrderId]}
      readPage={async (cursor) => {
        const query = { work_order_id: workOrderId, limit: 20, ...(cursor ? { cursor } : {}) };
        const { data } = await client.GET('/inspections', { params: { query } });
        return data?.data ?? { items: [], cursor: null };
      }}
      rowKey={({ id }) => id}
      empty="No inspection was filed for this work order."
      columns={[
        { header: 'Filed', render: ({ submitted_at: at }) => <TimeAgo at={at} /> },
        { header: 'Kind', render: ({ kind }) => humanize(kind) },
        { header: 'Result', render: ({ result }) => <StatusBadge status={result} /> },
        { header: 'Truck', render: ({ truck_id: id }) => <TruckName id={id} /> },
        { header: 'Driver', render: ({ driver_id: id }) => <DriverName id={id} /> },
        { header: 'Found', render: (inspection) => <Findings inspection={inspection} /> },
        { header: 'Photos', render: ({ photos }) => <PhotoLinks photos={photos} /> },
      ]}
    />
  );
}

/** The problems that an inspection found: items that failed or need attention, and defects. */
function Findings({ inspection: { items, defects, notes } }: { inspection: Inspection }) {
  const texts = [
    ...items
      .filter(({ state }) => state === 'fail' || state === 'attention')
      .map(({ key, label, state, note }) => `${label ?? humanize(key)}: ${note ?? humanize(state)}`),
    ...defects.map(({ component, severity, resolved_at: resolved }) =>
      [component, humanize(severity).toLowerCase(), resolved && 'resolved'].filter(Boolean).join(', '),
    ),
    ...(notes ? [notes] : []),
  ];
  if (texts.length === 0) return <>–</>;
  return (
    <Stack gap={2}>
      {[...new Set(texts)].map((text) => (
        <span key={text}>{text}</span>
      ))}
    </Stack>
  );
}
