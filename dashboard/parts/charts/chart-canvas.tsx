import { Skeleton, Text, useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import type { ChartFigure } from './chart-figure';
import type { DrawnChart } from './draw-chart';

const HEIGHT = 180;

/**
 * The picture of a chart. The drawing library is loaded only here, because most screens have no
 * chart. The picture is drawn again when the numbers or the theme's colours change.
 */
export function ChartCanvas({
  figure,
  summary,
  onIndex,
}: {
  figure: ChartFigure;
  summary: string;
  onIndex: (index: number | undefined) => void;
}) {
  const holder = useRef<HTMLDivElement>(null);
  const [state, setState] = useState<'loading' | 'drawn' | 'failed'>('loading');
  const scheme = useComputedColorScheme();
  const content = JSON.stringify(figure);
  const current = useRef(figure);
  current.current = figure;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change must redraw the chart
  useEffect(() => {
    const parent = holder.current;
    if (!parent) return;
    let chart: DrawnChart | undefined;
    let isGone = false;
    const observer = new ResizeObserver(() => chart?.resize(parent.clientWidth));
    const draw = async () => {
      const { drawChart } = await import('./draw-chart');
      if (isGone) return;
      chart = drawChart(parent, current.current, { height: HEIGHT, onIndex });
      observer.observe(parent);
      setState('drawn');
    };
    draw().catch(() => setState('failed'));
    return () => {
      isGone = true;
      observer.disconnect();
      chart?.remove();
    };
  }, [content, scheme, onIndex]);
  return (
    <>
      {state === 'failed' && (
        <Text size="sm" c="dimmed">
          The picture could not be loaded. The table below has the same numbers.
        </Text>
      )}
      <div className="chart-canvas" role="img" aria-label={summary} style={{ height: HEIGHT }}>
        {state === 'loading' && <Skeleton height={HEIGHT} />}
        <div ref={holder} />
      </div>
    </>
  );
}
