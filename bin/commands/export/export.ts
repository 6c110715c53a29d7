import { setTimeout as pause } from 'node:timers/promises';
import { apiAccess } from '../api-access.js';
import { type ApiAccess, ApiError, callApi } from '../api-client.js';
import type { CommandArgs, CommandContext, RunCommand } from '../command.js';
import { CliError, EXIT, usageError } from '../exit-codes.js';
import { progressBar } from './bar.js';
import { download } from './download.js';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2000;
/** Options that are filters of the export under the same names. */
const FILTERS = ['since', 'until', 'status', 'search'] as const;
const FINAL = ['completed', 'failed', 'cancelled', 'expired'];

/** An export as the API shows it, as far as it matters here. */
export interface ExportRecord extends Record<string, unknown> {
  id: string;
  status: string;
  progress: { rows: number; bytes: number; percent: number | null };
  file_name: string | null;
  bytes: number | null;
  sha256: string | null;
  download_url: string | null;
  error: { code: string; message: string } | null;
}

/** `tow export`: asks for an export and, with --wait or -o, waits for it and fetches its file. */
export const exportRecords: RunCommand = async (args, context) => {
  const api = await apiAccess(args, context.config(), args.values.sandbox ? 'sandbox_key' : 'api_key');
  const { output } = args.values;
  const started = await request(api, '/exports', { method: 'POST', body: JSON.stringify(orderOf(args)) });
  if (!args.values.wait && output === undefined)
    return { data: started, text: `${started.status}  ${started.id}` };
  const done = await waitFor(api, started, context);
  if (done.status !== 'completed') throw unfinished(done);
  if (output === undefined) return { data: done, text: String(done.download_url) };
  const path = String(output);
  const bar = progressBar(context, 'fetching');
  await download(path, {
    record: done,
    freshLink: async () => (await request(api, `/exports/${done.id}`)).download_url,
    onProgress: (bytes) => bar.show(done.bytes ? (bytes / done.bytes) * 100 : null, { bytes }),
  });
  bar.end();
  return { data: { ...done, path }, text: `${path}  ${done.progress.rows} rows` };
};

function orderOf({ values, positionals }: CommandArgs): object {
  const filters = Object.fromEntries(
    FILTERS.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])),
  );
  const { format = 'csv', include } = values;
  if (include !== undefined && typeof include !== 'string')
    throw usageError('--include names files, such as line_items.');
  return {
    resource: positionals[0]?.replaceAll('-', '_'),
    format,
    ...(Object.keys(filters).length > 0 ? { filters } : {}),
    ...(include === undefined ? {} : { include: include.split(',') }),
    ...(values.bom === true ? { bom: true } : {}),
    ...(values.decimals === true ? { decimals: true } : {}),
  };
}

async function waitFor(
  api: ApiAccess,
  started: ExportRecord,
  context: CommandContext,
): Promise<ExportRecord> {
  const bar = progressBar(context, 'exporting');
  let record = started;
  for (
    let pauseMs = FIRST_PAUSE_MS;
    !FINAL.includes(record.status);
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
  ) {
    const { rows, bytes, percent } = record.progress;
    bar.show(percent, { rows, bytes });
    await pause(pauseMs);
    record = await request(api, `/exports/${record.id}`).catch((error) => passing(error, record));
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

/** An API that is busy or restarts is asked again: the export goes on without us. */
async function passing(error: unknown, record: ExportRecord): Promise<ExportRecord> {
  if (!(error instanceof ApiError && error.isPassing)) throw error;
  await pause(error.refusal.retryAfterMs ?? LONGEST_PAUSE_MS);
  return record;
}

function unfinished({ id, status, error }: ExportRecord): CliError {
  const why = error ? `: ${error.message}` : '.';
  const message = `The export ${id} is ${status}${why} POST /exports/${id}/retry begins it anew.`;
  return new CliError(error?.code ?? status, message, EXIT.failed);
}
