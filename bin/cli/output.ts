import type { CliError } from './exit-codes.js';

/** One piece of a command's output: `data` is printed with --json, otherwise `text`. */
export interface OutputEntry {
  data: Record<string, unknown>;
  text: string;
}

export interface CommandOutput extends OutputEntry {
  /** If true, `printOutput` prints nothing, because the command itself wrote to standard output. */
  isSilent?: boolean;
  /** Set if the command ran to its end and found a failure, such as an unhealthy service. */
  failure?: CliError;
}

export interface Terminal {
  out: (text: string) => void;
  err: (text: string) => void;
  /** True if standard error is a terminal, where text can be overwritten. */
  isInteractive: boolean;
}

/** Prints one entry before the command's result. */
export function printEntry(terminal: Terminal, { data, text }: OutputEntry, json: boolean): void {
  terminal.out(`${json ? JSON.stringify(data) : text}\n`);
}

/** Prints the result. With `json`, standard output gets one JSON document, even after a failure. */
export function printOutput(
  terminal: Terminal,
  { data, text, failure, isSilent }: CommandOutput,
  json: boolean,
): void {
  if (isSilent) return;
  if (!json) {
    terminal.out(`${text}\n`);
    if (failure) terminal.err(`${failure.message}\n`);
    return;
  }
  const outcome = failure
    ? { ok: false, error: { code: failure.code, message: failure.message } }
    : { ok: true };
  terminal.out(`${JSON.stringify({ ...outcome, data })}\n`);
}

/** Prints an error on standard error, or with `json` as `{ok:false, error}` on standard output. */
export function printError(terminal: Terminal, { code, message }: CliError, json: boolean): void {
  if (json) terminal.out(`${JSON.stringify({ ok: false, error: { code, message } })}\n`);
  else terminal.err(`tow: ${message}\n`);
}

/**
 * Returns the rows as text with aligned columns below a header, or "(none)" if there are no rows.
 */
export function renderTable(rows: readonly Record<string, unknown>[], columns: readonly string[]): string {
  if (rows.length === 0) return '(none)';
  const cells = [
    columns.map((column) => column.toUpperCase()),
    ...rows.map((row) => columns.map((column) => formatCell(row[column]))),
  ];
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => line[index]?.length ?? 0)));
  return cells
    .map((line) =>
      line
        .map((text, index) => text.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function formatCell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (value instanceof Date) return value.toISOString();
  return Array.isArray(value) ? value.join(',') || '-' : String(value);
}
