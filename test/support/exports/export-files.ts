import { Writable } from 'node:stream';
import { crc32, inflateRawSync } from 'node:zlib';
import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { openSnapshot, type Snapshot } from '../../../shared/platform/postgres/snapshot.js';
import type {
  ExportRequest,
  ExportSummary,
} from '../../../shared/resources/exports/request/export-request.js';
import { type WriteOptions, writeExport } from '../../../workers/exports/files/write-export.js';

const SNAPSHOT_NAME = 'export-test';

/**
 * Texts that programs often write to CSV or read from CSV wrongly. A spreadsheet would run some of
 * them as formulas.
 */
export const AWKWARD_TEXTS = [
  'plain',
  'with, commas, and "quotes"',
  'ends in a comma,',
  'lines\nand\r\nlines,\nand "more",\r\n',
  '=HYPERLINK("http://example.com")',
  '=1+1',
  "=cmd|' /C calc'!A0",
  '+1 212 555 0100',
  '-2+3',
  '@SUM(A1)',
  '\ttab',
  '\rreturn',
  '\n,\n',
  '＝1',
  '＋1',
  '－1',
  '＠1',
  'back\\slash \\n \\. \\"',
  '\\.',
  'Zoë 東京 🚛👨‍👩‍👧 \u2028 \u00a0 \ud83d\ude80',
  "'already",
  ' =not first',
  '""',
  '',
  null,
];

/**
 * Builds a request to export invoices as plain CSV. `overrides` replaces members of the request.
 */
export function buildExportRequest(tenantId: string, overrides: Partial<ExportRequest> = {}): ExportRequest {
  return {
    tenantId,
    resource: 'invoices',
    format: 'csv',
    filters: {},
    include: [],
    compression: 'none',
    bom: false,
    decimals: false,
    timeZone: 'UTC',
    ...overrides,
  };
}

export function openTestSnapshot(databaseUrl: string, tenantId: string): Promise<Snapshot> {
  return openSnapshot({ databaseUrl, tenantId, applicationName: SNAPSHOT_NAME, queryTimeoutMs: 60_000 });
}

/** A stream that keeps all bytes in memory. */
export class MemoryWritable extends Writable {
  private readonly chunks: Buffer[] = [];

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.chunks.push(Buffer.from(chunk));
    done();
  }

  get content(): Buffer {
    return Buffer.concat(this.chunks);
  }
}

/** Opens a snapshot, writes an export from it to memory, and closes the snapshot. */
export async function writeExportToBuffer(
  databaseUrl: string,
  request: ExportRequest,
  options: WriteOptions = {},
): Promise<{ content: Buffer; summary: ExportSummary }> {
  const snapshot = await openTestSnapshot(databaseUrl, request.tenantId);
  const sink = new MemoryWritable();
  try {
    const summary = await writeExport(snapshot, request, sink, options);
    return { content: sink.content, summary };
  } finally {
    await snapshot.close();
  }
}

export type CsvRow = Record<string, string | null>;

/** Parses CSV (RFC 4180). An unquoted empty cell becomes null, and `""` becomes an empty text. */
export function parseCsv(content: Buffer): CsvRow[] {
  return parse(content, {
    columns: true,
    record_delimiter: '\r\n',
    cast: (value, { quoting, header }) => (value === '' && !quoting && !header ? null : value),
  }) as CsvRow[];
}

/**
 * Like {@link parseCsv}, but returns an empty text for every empty cell, and is twenty times as
 * fast.
 */
export function parseCsvFast(content: Buffer): Record<string, string>[] {
  return parse(content, { columns: true, record_delimiter: '\r\n' }) as Record<string, string>[];
}

/** Returns the files that a zip's central directory lists, by name. Asserts each file's CRC-32. */
export function unzip(zip: Buffer): Map<string, Buffer> {
  const end = zip.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  expect(end, 'end of the central directory').to.be.at.least(0);
  const files = new Map<string, Buffer>();
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    expect(zip.toString('latin1', at, at + 4)).to.equal('PK\x01\x02');
    const [method, sum, packed, size] = [
      zip.readUInt16LE(at + 10),
      zip.readUInt32LE(at + 16),
      zip.readUInt32LE(at + 20),
      zip.readUInt32LE(at + 24),
    ];
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) =>
      zip.readUInt16LE(at + offset),
    ) as [number, number, number];
    const local = zip.readUInt32LE(at + 42);
    const name = zip.toString('utf8', at + 46, at + 46 + nameLength);
    const begin = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    expect(method, `${name} is deflated`).to.equal(8);
    const content = inflateRawSync(zip.subarray(begin, begin + packed));
    expect(content.length).to.equal(size);
    expect(crc32(content), `CRC-32 of ${name}`).to.equal(sum);
    files.set(name, content);
    at += 46 + nameLength + extraLength + commentLength;
  }
  return files;
}

type RestRecord = Record<string, unknown>;

/** Returns the text that a CSV cell must contain for a value from the REST API. */
export function formatCell(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value !== 'string') return typeof value === 'object' ? JSON.stringify(value) : String(value);
  return /^[=+\-@\t\r\n＝＋－＠]/.test(value) ? `'${value}` : value;
}

/**
 * Flattens a record from the REST API to a CSV row. A member `b` of an object `a` becomes the
 * column `a_b`.
 * @param excludedMembers the record's members that CSV leaves out
 */
export function flattenRecord(record: RestRecord, excludedMembers: readonly string[] = []): RestRecord {
  return Object.fromEntries(
    Object.entries(record)
      .filter(([name]) => !excludedMembers.includes(name))
      .flatMap(([name, value]) =>
        value !== null && typeof value === 'object' && !Array.isArray(value)
          ? Object.entries(value).map(([member, inner]) => [`${name}_${member}`, inner])
          : [[name, value]],
      ),
  );
}

/**
 * Asserts that each cell contains the value of the record's member. Also asserts that each member
 * has a cell, unless its value is null.
 */
export function expectSameRow(
  cells: CsvRow | undefined,
  record: RestRecord,
  excludedMembers: readonly string[] = [],
): void {
  expect(cells, `a row of ${record.id}`).not.to.equal(undefined);
  const row = flattenRecord(record, excludedMembers);
  const isJson = (name: string) => Array.isArray(row[name]);
  for (const [name, cell] of Object.entries(cells as CsvRow)) {
    if (isJson(name)) expect(JSON.parse(cell as string), name).to.deep.equal(row[name]);
    else expect(cell, name).to.equal(formatCell(row[name]));
  }
  const missingColumns = Object.keys(row).filter(
    (name) => row[name] !== null && !(name in (cells as CsvRow)),
  );
  expect(missingColumns, 'members of REST without a column').to.deep.equal([]);
}
