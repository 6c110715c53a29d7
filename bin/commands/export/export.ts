import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { resolveApiAccess } from '../../cli/api-access.js';
import { type ApiAccess, ApiError, callApi } from '../../cli/api-client.js';
import type { CommandArgs, CommandContext, RunCommand } from '../../cli/command.js';
import { CliError, EXIT, usageError } from '../../cli/exit-codes.js';
import type { CommandOutput } from '../../cli/output.js';
import { downloadExport } from './download.js';
import type { ExportRecord } from './export-record.js';
import { createProgressBar } from './progress-bar.js';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2000;
/** Options that the command sends to the API as filters with the same names. */
const FILTERS = ['since', 'until', 'status', 'search'] as const;
const FINAL = ['completed', 'failed', 'cancelled', 'expired'];

/**
 * `tow export`: creates one export per format. With --wait or -o, waits until the export is
 * finished. With -o, also downloads the file. For several formats, -o must name a folder, and the
 * API names the files.
 */
export const exportRecords: RunCommand = async (args, context) => {
  const api = await resolveApiAccess(args, context.config(), args.values.sandbox ? 'sandbox_key' : 'api_key');
  const formats = String(args.values.format ?? 'csv').split(',');
  const { output } = args.values;
  const isFolder = output !== undefined && String(output).endsWith('/');
  if (formats.length > 1 && output !== undefined && !isFolder)
    throw usageError('Several formats need a folder: end -o with a slash.');
  if (isFolder) await mkdir(String(output), { recursive: true });
  const done: CommandOutput[] = [];
  for (const format of formats) done.push(await exportOne({ api, args, context, format, isFolder }));
  const [only] = done;
  if (only && done.length === 1) return only;
  return { data: { exports: done.map(({ data }) => data) }, text: done.map(({ text }) => text).join('\n') };
};

interface ExportRequest {
  api: ApiAccess;
  args: CommandArgs;
  context: CommandContext;
  format: string;
  isFolder: boolean;
}

async function exportOne({ api, args, context, format, isFolder }: ExportRequest): Promise<CommandOutput> {
  const { output, wait } = args.values;
  const body = JSON.stringify(buildRequestBody(args, format));
  const started = await request(api, '/exports', { method: 'POST', body });
  if (!wait && output === undefined) return { data: started, text: `${started.status}  ${started.id}` };
  const record = await waitForExport(api, started, context);
  if (record.status !== 'completed') throw toUnfinishedError(record);
  if (output === undefined) return { data: record, text: String(record.download_url) };
  const path = isFolder ? join(String(output), basename(String(record.file_name))) : String(output);
  const bar = createProgressBar(context, 'downloading');
  await downloadExport(path, {
    record,
    refreshLink: async () => (await request(api, `/exports/${record.id}`)).download_url,
    onProgress: (bytes) => bar.show(record.bytes ? (bytes / record.bytes) * 100 : null, { bytes }),
  });
  bar.end();
  return {
    data: { ...record, path },
    text: `${path}  ${record.progress.rows} rows${formatContents(record)}`,
  };
}

/** Formats the list of files in a ZIP archive, one file per line of text. */
function formatContents({ files }: ExportRecord): string {
  if (files.length < 2) return '';
  return files.map(({ name, rows }) => `\n  ${name}  ${rows} rows`).join('');
}

function buildRequestBody({ values, positionals }: CommandArgs, format: string): object {
  const filters = Object.fromEntries(
    FILTERS.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])),
  );
  const { include } = values;
  if (include !== undefined && typeof include !== 'string')
    throw usageError('--include must name files, such as line_items.');
  return {
    resource: positionals[0]?.replaceAll('-', '_'),
    format,
    ...(Object.keys(filters).length > 0 ? { filters } : {}),
    ...(include === undefined ? {} : { include: include.split(',') }),
    ...(values.bom === true ? { bom: true } : {}),
    ...(values.decimals === true ? { decimals: true } : {}),
  };
}

async function waitForExport(
  api: ApiAccess,
  started: ExportRecord,
  context: CommandContext,
): Promise<ExportRecord> {
  const bar = createProgressBar(context, 'exporting');
  let record = started;
  for (
    let pauseMs = FIRST_PAUSE_MS;
    !FINAL.includes(record.status);
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
  ) {
    const { rows, bytes, percent } = record.progress;
    bar.show(percent, { rows, bytes });
    await pause(pauseMs);
    record = await request(api, `/exports/${record.id}`).catch((error) =>
      ignoreTransientError(error, record),
    );
  }
  bar.end();
  return record;
}

async function request(
  api: ApiAccess,
  path: string,
  init: { method?: string; body?: string } = {},
): Promise<ExportRecord> {
  const response = await callApi(api, path, { ...init, headers: { 'content-type': 'application/json' } });
  return (await response.json()) as ExportRecord;
}

/**
 * Waits after a transient error and returns the unchanged record, so that the caller polls again.
 * The export itself continues while the API is busy or restarting. Any other error is thrown again.
 */
async function ignoreTransientError(error: unknown, record: ExportRecord): Promise<ExportRecord> {
  if (!(error instanceof ApiError && error.isTransient)) throw error;
  await pause(error.details.retryAfterMs ?? LONGEST_PAUSE_MS);
  return record;
}

function toUnfinishedError({ id, status, error }: ExportRecord): CliError {
  const why = error ? `: ${error.message}` : '.';
  const message = `The export ${id} is ${status}${why} POST /exports/${id}/retry starts it again.`;
  return new CliError(error?.code ?? status, message, EXIT.failed);
}
