import type { CommandContext } from '../../cli/command.js';

const WIDTH = 24;
const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];

/**
 * The progress as one line of text on standard error. Shows nothing if standard error is not a
 * terminal.
 */
export interface ProgressBar {
  /** @param percent null if unknown */
  show(percent: number | null, amounts: { rows?: number; bytes: number }): void;
  end(): void;
}

export function createProgressBar(
  { replaceStatus }: Pick<CommandContext, 'replaceStatus'>,
  label: string,
): ProgressBar {
  return {
    show: (percent, amounts) => replaceStatus(`${label} ${formatBar(percent)} ${formatAmounts(amounts)}`),
    end: () => replaceStatus(''),
  };
}

function formatBar(percent: number | null): string {
  if (percent === null) return `[${'·'.repeat(WIDTH)}]`;
  const whole = Math.min(Math.floor(percent), 100);
  const done = Math.round((whole / 100) * WIDTH);
  return `[${'█'.repeat(done)}${'·'.repeat(WIDTH - done)}] ${whole} %`;
}

function formatAmounts({ rows, bytes }: { rows?: number; bytes: number }): string {
  const rowCount = rows === undefined ? [] : [`${rows.toLocaleString('en')} rows`];
  return [...rowCount, formatSize(bytes)].join(', ');
}

function formatSize(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (size >= 1000 && unit < UNITS.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${size < 10 && unit > 0 ? size.toFixed(1) : Math.round(size)} ${UNITS[unit]}`;
}
