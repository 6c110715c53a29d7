import { createHmac, randomBytes } from 'node:crypto';
import { assert } from 'chai';
import fc from 'fast-check';
import { createCursorCodec, InvalidCursorError } from '../../../shared/contracts/cursor.js';
import { countRuns } from '../../support/count-runs.js';

const secret = Buffer.alloc(32, 7);
const codec = createCursorCodec(secret);
const position = { at: '2025-11-21 03:30:40.123456+00', id: '3f0e7c1a-7b7e-4b8e-9c55-0a1b2c3d4e5f' };
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/** The signed part of a cursor has at most 255 bytes, 17 of them for its version and its id. */
const MAX_VALUE_BYTES = 238;

const offset = fc.oneof(
  fc.constantFrom('Z', '+00', '-05', '+05:30', '-07:52:58', '+0200'),
  fc
    .tuple(fc.constantFrom('+', '-'), fc.integer({ min: 0, max: 15 }))
    .map(([sign, h]) => sign + String(h).padStart(2, '0')),
);
const timestamp = fc
  .tuple(
    fc.date({ min: new Date('1000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
    fc.option(fc.stringMatching(/^\.\d{1,6}$/), { nil: '' }),
    fc.constantFrom(' ', 'T'),
    offset,
  )
  .map(
    ([date, fraction, between, zone]) =>
      date.toISOString().slice(0, 19).replace('T', between) + fraction + zone,
  );
const positions = fc.record({ at: timestamp, id: fc.uuid() });
const bindings = fc.string({ unit: 'binary' });

describe('createCursorCodec', () => {
  it('a cursor round-trips a position in at most 120 characters of base64url', () => {
    const property = fc.property(positions, bindings, (at, binding) => {
      const cursor = codec.encode(at, binding);
      assert.match(cursor, /^[\w-]{1,120}$/);
      assert.deepStrictEqual(codec.decode(cursor, binding), at);
    });
    fc.assert(property, { numRuns: countRuns(1000) });
    const longest = { at: '294276-12-31 23:59:59.999999+15:59:59', id: position.id };
    assert.isAtMost(codec.encode(longest, 'b').length, 120);
    assert.deepStrictEqual(codec.decode(codec.encode(longest, 'b'), 'b'), longest);
  });

  it('a cursor stores ids in lower case', () => {
    const upper = { ...position, id: position.id.toUpperCase() };
    assert.deepStrictEqual(codec.decode(codec.encode(upper, 'b'), 'b'), position);
  });

  it('decoding refuses any changed, added or missing character', () => {
    const cursor = codec.encode(position, 'tenant|invoices|{}');
    const decode = (changed: string) => () => codec.decode(changed, 'tenant|invoices|{}');
    for (let i = 0; i < cursor.length; i++) {
      for (const character of `${ALPHABET}=+/ .\n\u0000é`) {
        const tail = cursor.slice(i + 1);
        if (character !== cursor[i])
          assert.throws(decode(cursor.slice(0, i) + character + tail), InvalidCursorError);
        assert.throws(decode(cursor.slice(0, i) + character + cursor.slice(i)), InvalidCursorError);
      }
      assert.throws(decode(cursor.slice(0, i) + cursor.slice(i + 1)), InvalidCursorError);
      assert.throws(decode(cursor.slice(0, i)), InvalidCursorError);
    }
    for (const suffix of ['A', '=', '==', ' ', '\n'])
      assert.throws(decode(cursor + suffix), InvalidCursorError);
  });

  it('decoding refuses another binding or another secret', () => {
    const foreign = createCursorCodec(randomBytes(32));
    const property = fc.property(positions, bindings, bindings, (at, binding, other) => {
      const cursor = codec.encode(at, binding);
      if (other !== binding) assert.throws(() => codec.decode(cursor, other), InvalidCursorError);
      assert.throws(() => foreign.decode(cursor, binding), InvalidCursorError);
    });
    fc.assert(property, { numRuns: countRuns(1000), examples: [[position, '\ud800', '\udfff']] });
  });

  it('decoding arbitrary input throws only InvalidCursorError', () => {
    const cursors = fc.oneof(bindings, fc.base64String(), fc.uint8Array({ maxLength: 90 }).map(toBase64url));
    const property = fc.property(cursors, (cursor) => {
      assert.throws(() => codec.decode(cursor, 'b'), InvalidCursorError);
    });
    fc.assert(property, { numRuns: countRuns(2000) });
    for (const notText of [undefined, null, 1, ['a'], {}, 'A'.repeat(1e6)]) {
      assert.throws(() => codec.decode(notText as string, 'b'), InvalidCursorError);
    }
  });

  it('decoding checks the position even when the signature is valid', () => {
    const signed = (payload: Buffer) => {
      const mac = createHmac('sha256', secret).update('list-cursor').update(Uint8Array.of(payload.length));
      return toBase64url(
        Buffer.concat([payload, mac.update(payload).update('b', 'utf16le').digest().subarray(0, 16)]),
      );
    };
    const pack = (version: number, at: string) =>
      Buffer.from(`${String.fromCharCode(version)}${'i'.repeat(16)}${at}`, 'latin1');
    assert.equal(codec.decode(signed(pack(1, position.at)), 'b').at, position.at);
    for (const at of ['now', "2025-11-21' or 1=1", '2025-13-21 03:30:40+00', '2025-11-21 03:30:40+00\n']) {
      assert.throws(() => codec.decode(signed(pack(1, at)), 'b'), InvalidCursorError);
    }
    assert.throws(() => codec.decode(signed(pack(2, position.at)), 'b'), InvalidCursorError);
  });

  it('a cursor of a sorted list round-trips any text and no value in at most 362 characters', () => {
    const sorted = { isSorted: true };
    const values = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 40 }),
      timestamp,
      fc.constantFrom(null, ''),
    );
    const property = fc.property(fc.record({ at: values, id: fc.uuid() }), bindings, (at, binding) => {
      fc.pre(Buffer.byteLength(at.at ?? '') <= MAX_VALUE_BYTES);
      const cursor = codec.encode(at, binding, sorted);
      assert.match(cursor, /^[\w-]{1,362}$/);
      assert.deepStrictEqual(codec.decode(cursor, binding, sorted), at);
      assert.throws(() => codec.decode(cursor, binding), InvalidCursorError);
    });
    const longest = { at: 'x'.repeat(MAX_VALUE_BYTES), id: position.id };
    fc.assert(property, { numRuns: countRuns(1000), examples: [[longest, 'b']] });
    assert.throws(() => codec.encode({ ...longest, at: `${longest.at}x` }, 'b', sorted), RangeError);
    assert.throws(() => codec.decode(codec.encode(position, 'b'), 'b', sorted), InvalidCursorError);
  });

  it('encoding accepts only a timestamp and a UUID', () => {
    for (const at of [
      '',
      'infinity',
      '2025-11-21',
      '2025-11-21 03:30:40',
      '2025-11-21 24:00:00+00',
      '2025-02-00 00:00:00Z',
    ]) {
      assert.throws(() => codec.encode({ ...position, at }, 'b'), RangeError);
    }
    for (const id of ['', '1', `${position.id}0`, position.id.replaceAll('-', ''), `{${position.id}}`]) {
      assert.throws(() => codec.encode({ ...position, id }, 'b'), RangeError);
    }
    assert.throws(() => createCursorCodec(Buffer.alloc(15)), RangeError);
  });
});

function toBase64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}
