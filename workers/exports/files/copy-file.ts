import type { Readable } from 'node:stream';
import type { Snapshot } from '../../../shared/platform/postgres-snapshot.js';
import type { ExportFile, ExportOrder } from '../../../shared/resources/exports/order.js';
import { CsvFrame, type Frame, JsonFrame } from './frames.js';
import type { Source } from './sources.js';
import { readingOf, totalsOf } from './statements.js';
import { unlessAborted } from './together.js';

/**
 * Receives the rows written so far, over all files. Called for each chunk from the database, so it
 * must be very cheap.
 */
export type OnProgress = (rows: number) => void;

/** The source and the request of an export. */
export interface Writing {
  snapshot: Snapshot;
  order: ExportOrder;
  onProgress: OnProgress | undefined;
}

export interface FileRun {
  signal: AbortSignal | undefined;
  /** Rows of the earlier files. */
  before: number;
  /**
   * Pipes the rows through the file stream to their destination. Resolves when all rows have
   * passed.
   */
  send: (rows: Readable, frame: Frame) => Promise<unknown>;
}

/**
 * Copies one file out of the snapshot.
 * @throws {Error} when the number of copied rows differs from the count in the snapshot
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
  // The database session also reports its end to streams that have already failed.
  rows.on('error', () => undefined);
  await send(rows, frame);
  const [totals] = await unlessAborted(
    snapshot.query<Record<string, string>>(totalsOf(order, source)),
    signal,
  );
  const { rows: expected, ...sums } = totals ?? {};
  if (Number(expected) !== frame.rows)
    throw new Error(`${source.name} has ${frame.rows} rows, but the snapshot counts ${expected}`);
  return {
    name: `${source.name}.${order.format}`,
    rows: frame.rows,
    bytes: frame.bytes,
    sha256: frame.digest,
    sums: Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, Number(sum)])),
  };
}
