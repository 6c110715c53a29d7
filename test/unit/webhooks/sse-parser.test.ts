import { expect } from 'chai';
import fc from 'fast-check';
import { type SseBlock, SseParser } from '../../../bin/cli/sse-parser.js';

function parse(...pieces: string[]): SseBlock[] {
  const parser = new SseParser();
  return pieces.flatMap((piece) => parser.feed(piece));
}

describe('SseParser', () => {
  it("SseParser returns the API's first id, events and the id of a ping", () => {
    const blocks = parse(
      'retry: 2000\nid: 7-a\n\n',
      'id: 8-b\nevent: invoice.paid\ndata: {"id":"b"}\n\n',
      ': ping\n\n: ping\nid: 9-c\n\n',
    );
    expect(blocks).to.deep.equal([
      { retryMs: 2000, id: '7-a' },
      { id: '8-b', type: 'invoice.paid', data: '{"id":"b"}' },
      { id: '9-c' },
    ]);
  });

  it('SseParser accepts LF, CR, CRLF, a byte order mark, an optional space after the colon, and no colon', () => {
    expect(parse('\uFEFFdata:a\r\ndata:  b\rdata\n\r\n')).to.deep.equal([{ data: 'a\n b\n' }]);
  });

  it('SseParser ignores unknown fields, ids with NULL and non-numeric retries, as the standard does', () => {
    expect(parse('colour: red\nid: a\0b\nretry: soon\n\n')).to.deep.equal([]);
  });

  it('SseParser returns no incomplete block, because the API sends it again after a reconnect', () => {
    expect(parse('id: 1\ndata: half\n')).to.deep.equal([]);
  });

  it('SseParser returns the same blocks however the text is split', () => {
    const line = fc.constantFrom(
      'data: {"a":1}',
      'data:',
      'id: 4-d',
      'event: x',
      ': ping',
      'retry: 5',
      '',
      '',
    );
    const end = fc.constantFrom('\n', '\r\n', '\r');
    const stream = fc
      .array(fc.tuple(line, end), { maxLength: 12 })
      .map((lines) => `${lines.flat().join('')}data: last\n\n`);
    fc.assert(
      fc.property(stream, fc.array(fc.nat(120), { maxLength: 6 }), (text, cuts) => {
        const offsets = [0, ...cuts.map((cut) => Math.min(cut, text.length)), text.length].sort(
          (a, b) => a - b,
        );
        const pieces = offsets.slice(1).map((offset, nth) => text.slice(offsets[nth], offset));
        expect(parse(...pieces)).to.deep.equal(parse(text));
      }),
    );
  });
});
