import { useState } from 'react';
import { RecordTable } from '../../../../parts/record/record-table';
import { humanize } from '../../../../parts/record/status-badge';
import { TimeAgo } from '../../../../parts/values/time';
import type { Position } from './positions';

/** The positions of a map as a table. */
export function PositionDetails({ positions }: { positions: readonly Position[] }) {
  // Render the table only while it is open, because its rows take as much time as the board's
  // cards.
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Positions as a table</summary>
      {isOpen && <PositionTable positions={positions} />}
    </details>
  );
}

function PositionTable({ positions }: { positions: readonly Position[] }) {
  return (
    <RecordTable
      label="Positions"
      rows={positions}
      rowKey={({ id }) => id}
      empty="No position is known."
      columns={[
        { header: 'Name', render: ({ name }) => name },
        { header: 'Latitude', align: 'right', render: ({ lat }) => lat.toFixed(4) },
        { header: 'Longitude', align: 'right', render: ({ lng }) => lng.toFixed(4) },
        { header: 'Detail', render: ({ kind, detail }) => (kind === 'truck' ? humanize(detail) : detail) },
        { header: 'Seen', render: ({ at, isOld }) => (at ? <Seen at={at} isOld={isOld} /> : '–') },
      ]}
    />
  );
}

function Seen({ at, isOld }: { at: string; isOld: boolean }) {
  return (
    <>
      <TimeAgo at={at} />
      {isOld && ' (old)'}
    </>
  );
}
