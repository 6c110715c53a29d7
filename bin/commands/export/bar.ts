import type { CommandContext } from '../command.js';

const WIDTH = 24;
const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];

/** How far something is, on standard error: one line that is written over on a terminal, and nothing elsewhere. */
export interface ProgressBar {
  /** @param percent null: nobody knows */
  show(percent: number | null, amounts: { rows?: number; bytes: number }): void;
  end(): void;
}

export function progressBar({ rewrite }: Pick<CommandContext, 'rewrite'>, what: string): ProgressBar {
  return {
    show: (percent, amounts) => rewrite(`${what} ${barOf(percent)} ${amountsOf(amounts)}`),
    end: () => rewrite(''),
  };
}

function barOf(percent: number | null): string {
  if (percent === null) return `[${'·'.repeat(WIDTH)}]`;
  const whole = Math.min(Math.floor(percent), 100);
  const done = Math.round((whole / 100) * WIDTH);
  return `[${'█'.repeat(done)}${'·'.repeat(WIDTH - done)}] ${whole} %`;
}

function amountsOf({ rows, bytes }: { rows?: number; bytes: number }): string {
  const told = rows === undefined ? [] : [`${rows.toLocaleString('en')} rows`];
  return [...told, sizeOf(bytes)].join(', ');
}

function sizeOf(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (size >= 1000 && unit < UNITS.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${size < 10 && unit > 0 ? size.toFixed(1) : Math.round(size)} ${UNITS[unit]}`;
}
