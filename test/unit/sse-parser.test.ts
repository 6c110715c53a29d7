import { expect } from 'chai';
import fc from 'fast-check';
import { type SseBlock, SseParser } from '../../bin/commands/listen/sse-parser.js';

function parse(...pieces: string[]): SseBlock[] {
  const parser = new SseParser();
  return pieces.flatMap((piece) => parser.feed(piece));
}

describe('SseParser', () => {
  it('gives what the API streams: its first id, events, and the id of a ping', () => {
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

  it('takes LF, CR and CRLF, a byte order mark, one space after the colon, and fields without one', () => {
    expect(parse('\uFEFFdata:a\r\ndata:  b\rdata\n\r\n')).to.deep.equal([{ data: 'a\n b\n' }]);
  });

  it('ignores what the standard ignores: unknown fields, an id with NULL, a retry that is no number', () => {
    expect(parse('colour: red\nid: a\0b\nretry: soon\n\n')).to.deep.equal([]);
  });

  it('keeps back what is not complete: whoever was cut off gets it again', () => {
    expect(parse('id: 1\ndata: half\n')).to.deep.equal([]);
  });

  it('gives the same whatever pieces the text comes in', () => {
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
        const places = [0, ...cuts.map((cut) => Math.min(cut, text.length)), text.length].sort(
          (a, b) => a - b,
        );
        const pieces = places.slice(1).map((place, nth) => text.slice(places[nth], place));
        expect(parse(...pieces)).to.deep.equal(parse(text));
      }),
    );
  });
});
