/** A colour of the theme: `good` is the variable --tone-good. */
export type Tone = 'good' | 'bad' | 'alert' | 'busy' | 'plain';

/**
 * The values of one row of bars or of one curve. Each label of the figure has one value, which may
 * be null.
 */
export interface Series {
  name: string;
  tone: Tone;
  values: readonly (number | null)[];
  /**
   * True to hatch the bars or dash the curve, so that people do not need the colour to recognize
   * the series.
   */
  isMarked?: boolean;
}

/** The numbers of a chart. Its table shows the same numbers. */
export interface ChartFigure {
  /** Bars are stacked, so the height of a stack is the sum. */
  kind: 'bars' | 'curves';
  labels: readonly string[];
  series: readonly Series[];
  format: (value: number) => string;
}

/** True if the chart has a value to draw. */
export function hasValues({ series }: ChartFigure): boolean {
  return series.some(({ values }) => values.some((value) => value !== null && value !== 0));
}
