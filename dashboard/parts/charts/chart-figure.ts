/** A colour of the theme: `good` is the variable --tone-good. */
export type Tone = 'good' | 'bad' | 'alert' | 'busy' | 'plain';

/** One set of values, with a value for each label of its figure; null where there is none. */
export interface Series {
  name: string;
  tone: Tone;
  values: readonly (number | null)[];
  /** Hatched bars and dashed curves differ from others without their colour. */
  isMarked?: boolean;
}

/** The numbers of a chart, which its table has too. */
export interface ChartFigure {
  /** Bars stand on each other: their height is the sum. */
  kind: 'bars' | 'curves';
  labels: readonly string[];
  series: readonly Series[];
  format: (value: number) => string;
}

/** True if there is something to draw. */
export function hasValues({ series }: ChartFigure): boolean {
  return series.some(({ values }) => values.some((value) => value !== null && value !== 0));
}
