import type { CliError } from './exit-codes.js';

/** `data` for programs, `text` for people. */
export interface Line {
  data: Record<string, unknown>;
  text: string;
}

/** What a command has to say. */
export interface CommandOutput extends Line {
  /** Nothing is to be printed: standard output was the command's own. */
  isSilent?: boolean;
  /** The command ran, and what it found is a failure. */
  failure?: CliError;
}

/** Where a command line writes to. */
export interface Terminal {
  out: (text: string) => void;
  err: (text: string) => void;
  /** Standard error can be written over. */
  isInteractive: boolean;
}

/** Prints one of many lines, before the command's output. */
export function printLine(terminal: Terminal, { data, text }: Line, json: boolean): void {
  terminal.out(`${json ? JSON.stringify(data) : text}\n`);
}

/** Prints a command's output: with `json` one JSON document on standard output, whatever the outcome. */
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

/** Prints why a command ended: to standard error for people, as `{ok:false, error}` on standard output with `json`. */
export function printError(terminal: Terminal, { code, message }: CliError, json: boolean): void {
  if (json) terminal.out(`${JSON.stringify({ ok: false, error: { code, message } })}\n`);
  else terminal.err(`tow: ${message}\n`);
}

/** Rows as aligned columns under their names; a line of its own when there is none. */
export function table(rows: readonly Record<string, unknown>[], columns: readonly string[]): string {
  if (rows.length === 0) return '(none)';
  const cells = [
    columns.map((column) => column.toUpperCase()),
    ...rows.map((row) => columns.map((column) => cell(row[column]))),
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

function cell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (value instanceof Date) return value.toISOString();
  return Array.isArray(value) ? value.join(',') || '-' : String(value);
}
