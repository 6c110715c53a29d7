import { memo, useState } from 'react';
import { RecordTable } from '../../../parts/record/record-table';
import { humanize } from '../../../parts/record/status-badge';
import { TimeAgo } from '../../../parts/values/time';
import { drawPositions, type Position } from './positions';

const SIZE = { width: 280, height: 240, margin: 22 };

/** A plan of the known positions, without map tiles, and the same facts as a table. */
export const TruckMap = memo(function TruckMap({ positions }: { positions: readonly Position[] }) {
  // A closed table of all positions would cost as much as the cards.
  const [isOpen, setOpen] = useState(false);
  const { points, scale } = drawPositions(positions, SIZE);
  const trucks = positions.filter(({ kind }) => kind === 'truck').length;
  const label = `Plan of ${trucks} trucks and ${positions.length - trucks} waiting pickups, north up`;
  return (
    <figure className="dispatch-map">
      <svg viewBox={`0 0 ${SIZE.width} ${SIZE.height}`} role="img" aria-label={label}>
        {points.map(({ position, ...place }) => (
          <Mark key={position.id} position={position} {...place} />
        ))}
        <path
          d={`M8 ${SIZE.height - 8} h${scale.length} m0 -3 v6 m${-scale.length} 0 v-6`}
          className="dispatch-scale"
        />
        <text x={12 + scale.length} y={SIZE.height - 5}>
          {scale.miles} mi
        </text>
        <text x={SIZE.width - 16} y={14}>
          N ↑
        </text>
      </svg>
      <figcaption className="dispatch-dim">■ truck, □ position older than 5 min, ○ waiting pickup</figcaption>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>Positions as a table</summary>
        {isOpen && <PositionTable positions={positions} />}
      </details>
    </figure>
  );
});

function Mark({
  position: { kind, name, isOld },
  x,
  y,
  isNamed,
}: {
  position: Position;
  x: number;
  y: number;
  isNamed: boolean;
}) {
  if (kind === 'pickup') {
    return (
      <circle cx={x} cy={y} r={4} className="dispatch-pickup">
        <title>{name}</title>
      </circle>
    );
  }
  return (
    <g className={isOld ? 'dispatch-truck-old' : 'dispatch-truck'}>
      <title>{name}</title>
      <rect x={x - 4} y={y - 4} width={8} height={8} />
      {isNamed && (
        <text x={x + 7} y={y + 3}>
          {name.replace(/^Truck /, '')}
        </text>
      )}
    </g>
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
