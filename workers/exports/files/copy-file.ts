import type { Readable } from 'node:stream';
import type { Snapshot } from '../../../shared/platform/postgres-snapshot.js';
import type { ExportFile, ExportOrder } from '../../../shared/resources/exports/order.js';
import { CsvFrame, type Frame, JsonFrame } from './frames.js';
import type { Source } from './sources.js';
import { readingOf, totalsOf } from './statements.js';
import { unlessAborted } from './together.js';

/** Told how many rows there are so far, of all files together; at each piece that the database sends, so it must cost next to nothing. */
export type OnProgress = (rows: number) => void;

/** What is read and for whom. */
export interface Writing {
  snapshot: Snapshot;
  order: ExportOrder;
  onProgress: OnProgress | undefined;
}

export interface FileRun {
  signal: AbortSignal | undefined;
  /** Rows of the files before it. */
  before: number;
  /** Sends the rows through the frame to where they belong; resolves when all are through. */
  send: (rows: Readable, frame: Frame) => Promise<unknown>;
}

/**
 * Copies one file out of the snapshot.
 * @throws {Error} when other rows went through than the snapshot counts
 */
export async function copyFile(
  { snapshot, order, onProgress }: Writing,
  source: Source,
  { signal, before, send }: FileRun,
): Promise<ExportFile> {
  const { query, options, header } = readingOf(order, source);
  const onChunk = () => onProgress?.(before + frame.rows);
  const frame: Frame =
    order.format === 'csv'
      ? new CsvFrame({ header, bom: order.bom }, onChunk)
      : new JsonFrame(order.format === 'json', onChunk);
  const rows = snapshot.copy(query, options);
  // The session tells its end to what it was sending, even when that is over already and its error was heard.
  rows.on('error', () => undefined);
  await send(rows, frame);
  const [totals] = await unlessAborted(
    snapshot.query<Record<string, string>>(totalsOf(order, source)),
    signal,
  );
  const { rows: expected, ...sums } = totals ?? {};
  if (Number(expected) !== frame.rows)
    throw new Error(`${source.name} came to ${frame.rows} rows, the snapshot counts ${expected}`);
  return {
    name: `${source.name}.${order.format}`,
    rows: frame.rows,
    bytes: frame.bytes,
    sha256: frame.digest,
    sums: Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, Number(sum)])),
  };
}
