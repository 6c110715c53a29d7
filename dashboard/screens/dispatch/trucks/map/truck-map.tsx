import { memo } from 'react';
import { countPositions, drawPositions, type Position } from './positions';

const SIZE = { width: 280, height: 240, margin: 22 };

/** A plan of the known positions, without map tiles. */
export const TruckMap = memo(function TruckMap({ positions }: { positions: readonly Position[] }) {
  const { points, scale } = drawPositions(positions, SIZE);
  const label = `Plan of ${countPositions(positions)}, north up`;
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
