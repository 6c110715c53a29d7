import { Group, Paper, Text } from '@mantine/core';
import { useState } from 'react';
import { RecordTable } from '../record/record-table';
import { ChartCanvas } from './chart-canvas';
import { type ChartFigure, hasValues, type Series } from './chart-figure';

/**
 * A chart with its name and legend. A table shows the same numbers, for people who cannot see the
 * picture.
 * @param labelName the kind of the labels, such as "Hour"
 * @param summary the chart in one sentence, for screen readers
 * @param empty the text if there are no values
 */
export function Chart({
  name,
  labelName,
  summary,
  empty,
  ...figure
}: { name: string; labelName: string; summary: string; empty: string } & ChartFigure) {
  const [index, setIndex] = useState<number>();
  return (
    <Paper component="figure" withBorder p="sm" m={0} miw={0}>
      <Text component="figcaption" fw={600} size="sm" mb={4}>
        {name}
      </Text>
      {hasValues(figure) ? (
        <>
          <Legend figure={figure} index={index} />
          <ChartCanvas figure={figure} summary={`${name}. ${summary}`} onIndex={setIndex} />
        </>
      ) : (
        <Text c="dimmed" size="sm" py="md">
          {empty}
        </Text>
      )}
      <details className="chart-table">
        <summary>
          <Text component="span" size="xs">
            Numbers of {name}
          </Text>
        </summary>
        <Numbers name={name} labelName={labelName} figure={figure} />
      </details>
    </Paper>
  );
}

/** The names of the series, with their values at the label under the pointer. */
function Legend({ figure, index }: { figure: ChartFigure; index: number | undefined }) {
  const { series, labels, format } = figure;
  return (
    <Group gap="sm" aria-hidden mih={20}>
      {series.map((one) => (
        <Group key={one.name} gap={6}>
          <Swatch series={one} kind={figure.kind} />
          <Text size="xs" className="digits">
            {one.name}
            {index !== undefined && `: ${formatValue(one.values[index], format)}`}
          </Text>
        </Group>
      ))}
      {index !== undefined && (
        <Text size="xs" c="dimmed">
          {labels[index]}
        </Text>
      )}
    </Group>
  );
}

function Swatch({ series: { tone, isMarked }, kind }: { series: Series; kind: ChartFigure['kind'] }) {
  return (
    <span
      className="chart-swatch"
      data-kind={kind}
      data-marked={isMarked || undefined}
      style={{ color: `var(--tone-${tone})` }}
    />
  );
}

function Numbers({ name, labelName, figure }: { name: string; labelName: string; figure: ChartFigure }) {
  const { labels, series, format } = figure;
  const rows = labels.map((label, index) => ({ label, index }));
  return (
    <RecordTable
      label={`Numbers of ${name}`}
      rows={rows}
      rowKey={({ index }) => `${index}`}
      empty="There are no numbers yet."
      columns={[
        { header: labelName, render: ({ label }) => label },
        ...series.map((one) => ({
          header: one.name,
          align: 'right' as const,
          render: ({ index }: { index: number }) => (
            <span className="digits">{formatValue(one.values[index], format)}</span>
          ),
        })),
      ]}
    />
  );
}

function formatValue(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? '–' : format(value);
}
