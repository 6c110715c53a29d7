import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  CsvFileStream,
  type FileStream,
  JsonFileStream,
} from '../../../workers/exports/files/file-streams.js';
import { MemoryWritable, parseCsv } from '../../support/exports/export-files.js';

const nothing = () => undefined;

/**
 * Writes the text to `frame` in pieces cut at these offsets. Checks the byte count and the digest,
 * and returns the output.
 */
async function writeInPieces(text: string, cuts: number[], frame: FileStream): Promise<string> {
  const bytes = Buffer.from(text);
  const offsets = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  const pieces = [0, ...offsets].map((begin, index) => Buffer.from(bytes.subarray(begin, offsets[index])));
  const sink = new MemoryWritable();
  await pipeline(Readable.from(pieces.filter((piece) => piece.length > 0)), frame, sink);
  const content = sink.content;
  expect(frame.bytes).to.equal(content.length);
  expect(frame.digest).to.equal(createHash('sha256').update(content).digest('hex'));
  return content.toString();
}

/** Formats a CSV cell as COPY does. */
const formatCell = (value: string | null) =>
  value === null ? '' : value === '' || /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
const cells = fc.array(
  fc.tuple(
    fc.oneof(fc.constant(null), fc.string({ unit: fc.constantFrom('"', ',', '\n', '\r', 'a', 'é', '🚛') })),
    fc.oneof(fc.constant(null), fc.string()),
  ),
  { maxLength: 8 },
);
const cuts = fc.array(fc.nat(), { maxLength: 20 });

describe('export file streams', () => {
  it('CSV streams turn COPY output into RFC 4180, at whatever offsets it is cut', () =>
    fc.assert(
      fc.asyncProperty(cells, cuts, async (rows, offsets) => {
        const text = rows.map(([a, b]) => `${formatCell(a)},${formatCell(b)},\n`).join('');
        const frame = new CsvFileStream({ header: ['a', 'b'], bom: false }, nothing);
        const csv = await writeInPieces(text, offsets, frame);
        expect(frame.rows).to.equal(rows.length);
        expect(csv).to.equal(
          `a,b\r\n${rows.map(([a, b]) => `${formatCell(a)},${formatCell(b)}\r\n`).join('')}`,
        );
        expect(parseCsv(Buffer.from(csv)).map(({ a, b }) => [a, b])).to.deep.equal(rows);
      }),
    ));

  it('JSON streams turn COPY output into an array or into one object per line', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue(), { maxLength: 6 }),
        cuts,
        fc.boolean(),
        async (values, offsets, isArray) => {
          const text = values.map((value) => `${isArray ? ',' : ''}${JSON.stringify(value)}\n`).join('');
          const frame = new JsonFileStream(isArray, nothing);
          const json = await writeInPieces(text, offsets, frame);
          expect(frame.rows).to.equal(values.length);
          if (isArray) expect(JSON.stringify(JSON.parse(json))).to.equal(JSON.stringify(values));
          else expect(json).to.equal(text);
        },
      ),
    ));
});
