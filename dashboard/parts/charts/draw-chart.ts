import uPlot from 'uplot';
import type { ChartFigure, Series } from './chart-figure';

const HATCH_PX = 6;

/** A chart that is part of the page. */
export interface DrawnChart {
  resize: (width: number) => void;
  remove: () => void;
}

/**
 * Draws a chart with the current colours of the theme.
 * @param onIndex called with the position of the label under the pointer. The position is undefined
 *   if the pointer leaves the chart
 */
export function drawChart(
  parent: HTMLElement,
  figure: ChartFigure,
  { height, onIndex }: { height: number; onIndex: (index: number | undefined) => void },
): DrawnChart {
  const { labels, kind } = figure;
  const shown = kind === 'bars' ? stack(figure.series) : figure.series;
  const positions = labels.map((_, index) => index);
  const values = shown.map((series) => [...series.values]);
  const chart = new uPlot(
    {
      width: parent.clientWidth,
      height,
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { show: kind === 'curves' } },
      scales: {
        x: { time: false, range: [-0.6, labels.length - 0.4] },
        y: { range: (_, __, max) => [0, max > 0 ? max * 1.1 : 1] },
      },
      axes: buildAxes(figure),
      series: [{}, ...shown.map((series) => describeSeries(series, kind))],
      hooks: { setCursor: [({ cursor }) => onIndex(cursor.idx ?? undefined)] },
    },
    [positions, ...values] as uPlot.AlignedData,
    parent,
  );
  return {
    resize: (width) => chart.setSize({ width, height }),
    remove: () => chart.destroy(),
  };
}

/**
 * Adds to each value the values of the series below. Returns the tallest series first, so that it
 * does not cover the others. Omits zeros, because they would appear as thin lines.
 */
function stack(series: readonly Series[]): Series[] {
  const sums: number[] = [];
  const stacked = series.map((one) => {
    const values = one.values.map((value, index) => {
      sums[index] = (sums[index] ?? 0) + (value ?? 0);
      return value ? (sums[index] as number) : null;
    });
    return { ...one, values };
  });
  return stacked.reverse();
}

function buildAxes({ labels, format }: ChartFigure): uPlot.Axis[] {
  const color = readColor('--mantine-color-dimmed');
  const line = { stroke: readColor('--mantine-color-default-border'), width: 1 };
  const font = `12px ${getComputedStyle(document.body).fontFamily}`;
  const shared = { stroke: color, font, ticks: { show: false } };
  const x = {
    ...shared,
    grid: { show: false },
    size: 28,
    space: 14 + 7 * Math.max(...labels.map((label) => label.length)),
    incrs: [1, 2, 3, 4, 6, 12],
    values: (_: uPlot, splits: number[]) => splits.map((position) => labels[position] ?? ''),
  };
  const formatTick = (value: number) => (Number.isInteger(value) ? format(value).replace(/\.00$/, '') : '');
  const y = {
    ...shared,
    grid: line,
    size: (_: uPlot, texts: string[] | null) =>
      14 + 7 * Math.max(2, ...(texts ?? []).map((text) => text.length)),
    space: 36,
    values: (_: uPlot, splits: number[]) => splits.map(formatTick),
  };
  return [x, y];
}

function describeSeries({ name, tone, isMarked = false }: Series, kind: ChartFigure['kind']): uPlot.Series {
  const color = readColor(`--tone-${tone}`);
  const { bars } = uPlot.paths;
  if (kind === 'curves')
    return {
      label: name,
      stroke: color,
      width: 2,
      spanGaps: false,
      points: { size: 5, stroke: color, fill: color },
      ...(isMarked ? { dash: [6, 4] } : {}),
    };
  return {
    label: name,
    stroke: color,
    width: 1,
    fill: isMarked ? (createHatching(color) ?? color) : color,
    points: { show: false },
    ...(bars ? { paths: bars({ size: [0.7, 48] }) } : {}),
  };
}

function readColor(variable: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(variable).trim();
}

/** Returns slanted stripes of the colour on the page's background. */
function createHatching(color: string): CanvasPattern | null {
  const tile = document.createElement('canvas');
  tile.width = HATCH_PX;
  tile.height = HATCH_PX;
  const pen = tile.getContext('2d');
  if (!pen) return null;
  pen.fillStyle = readColor('--mantine-color-body');
  pen.fillRect(0, 0, HATCH_PX, HATCH_PX);
  pen.strokeStyle = color;
  pen.lineWidth = 2;
  for (const start of [-HATCH_PX, 0, HATCH_PX]) {
    pen.moveTo(start, HATCH_PX);
    pen.lineTo(start + HATCH_PX, 0);
  }
  pen.stroke();
  return pen.createPattern(tile, 'repeat');
}
