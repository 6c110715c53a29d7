import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { newId } from '../../shared/platform/ids.js';
import { redactText } from '../../shared/platform/logger.js';
import { linkKeyOf, redeemLink, signLink } from '../../shared/platform/storage/link-token.js';
import {
  storageAddress,
  storageContradictions,
  storageLocation,
} from '../../shared/platform/storage/location.js';
import { attachment } from '../../shared/platform/storage/storage.js';

const key = linkKeyOf({ secretKey: 'a secret of thirty-two characters' });
const NOW = Date.parse('2026-11-22T10:00:00Z');
const target = () => ({ tenantId: newId(), exportId: newId(), sha256: randomBytes(32).toString('hex') });
const inMinutes = (minutes: number) => new Date(NOW + minutes * 60_000);

describe('a download link', () => {
  it('says what it was made for, until its end', () => {
    const wanted = target();
    const token = signLink(key, { ...wanted, expiresAt: inMinutes(15) }, NOW);
    expect(token).to.match(/^[\w-]{140}$/);
    expect(redeemLink(key, token, NOW)).to.deep.equal(wanted);
    expect(redeemLink(key, token, NOW + 15 * 60_000 - 1)).to.deep.equal(wanted);
    expect(redeemLink(key, token, NOW + 15 * 60_000)).to.equal(undefined);
  });

  it('lasts 15 minutes at most', () => {
    for (const expiresAt of [new Date(NOW + 15 * 60_000 + 1), inMinutes(60 * 24), new Date(Number.NaN)])
      expect(() => signLink(key, { ...target(), expiresAt }, NOW)).to.throw(RangeError);
  });

  it('is made of nothing else', () => {
    const good = { ...target(), expiresAt: inMinutes(1) };
    for (const wrong of [{ tenantId: 'x' }, { exportId: '' }, { sha256: 'abc' }])
      expect(() => signLink(key, { ...good, ...wrong }, NOW)).to.throw(TypeError);
  });

  it('opens nothing when any character of it is another, or with another secret', () => {
    const token = signLink(key, { ...target(), expiresAt: inMinutes(15) }, NOW);
    for (let at = 0; at < token.length; at++) {
      const other = token[at] === 'A' ? 'B' : 'A';
      const forged = token.slice(0, at) + other + token.slice(at + 1);
      expect(redeemLink(key, forged, NOW), String(at)).to.equal(undefined);
    }
    for (const wrong of ['', 'x', `${token}A`, token.slice(1), `${token.slice(0, -1)}=`, '\0'.repeat(140)])
      expect(redeemLink(key, wrong, NOW)).to.equal(undefined);
    const stranger = linkKeyOf({ secretKey: 'another secret of 32 characters..' });
    expect(redeemLink(stranger, token, NOW)).to.equal(undefined);
  });

  it('and a presigned one are in no log', () => {
    const token = signLink(key, { ...target(), expiresAt: inMinutes(15) }, NOW);
    expect(redactText(`GET /v1/downloads/${token}?x=1`)).to.equal('GET /v1/downloads/[redacted]?x=1');
    expect(redactText('https://b/k?X-Amz-Signature=0123abcd&x-id=GetObject')).to.equal(
      'https://b/k?X-Amz-Signature=[redacted]&x-id=GetObject',
    );
  });

  it('has a file name that no header trips over', () => {
    expect(attachment('invoices-2026-11-22.csv.gz')).to.equal(
      'attachment; filename="invoices-2026-11-22.csv.gz"',
    );
    expect(attachment('a"\r\nSet-Cookie: x=1;é.csv')).to.equal(
      'attachment; filename="a_Set-Cookie_x_1_.csv"',
    );
    expect(attachment('')).to.equal('attachment; filename="file"');
  });
});

describe('STORAGE_URL', () => {
  const helpers = { message: ({ custom }: { custom: string }) => ({ refused: custom }) };
  const check = (text: string) => storageAddress(text, helpers as never) as unknown;

  it('is a folder, a file address or a bucket', () => {
    const s3 = { kind: 's3', endpoint: undefined, region: 'eu-central-1' };
    for (const [text, location] of [
      [undefined, { kind: 'folder', path: '/data/exports' }],
      ['/srv/a b', { kind: 'folder', path: '/srv/a b' }],
      ['file:///srv/a%20b', { kind: 'folder', path: '/srv/a b' }],
      ['s3://tow-exports', { ...s3, bucket: 'tow-exports', prefix: '' }],
      ['s3://tow-exports/', { ...s3, bucket: 'tow-exports', prefix: '' }],
      ['s3://tow-exports/a/b_2/', { ...s3, bucket: 'tow-exports', prefix: 'a/b_2' }],
    ] as const) {
      if (text) expect(check(text)).to.equal(text);
      const settings = { ...(text ? { STORAGE_URL: text } : {}), AWS_REGION: 'eu-central-1' };
      expect(storageLocation(settings, '/data'), text).to.deep.equal(location);
    }
    const given = { STORAGE_URL: 's3://abc', S3_ENDPOINT: 'https://minio.example.com/' };
    expect(storageLocation(given, '/data')).to.include({
      endpoint: 'https://minio.example.com',
      region: undefined,
    });
  });

  it('is nothing else', () => {
    const bad = [
      's3://',
      's3://A',
      's3:/abc',
      's3://abc//x',
      's3://abc/../x',
      's3://abc/.x',
      's3://u:p@abc/x',
    ];
    for (const text of [...bad, 'file://host/x', 'file://', 'https://x', 'gs://abc'])
      expect(check(text), text).to.have.property('refused').that.includes('"STORAGE_URL" must be');
  });

  it('goes with the settings of its kind', () => {
    const bucket = { STORAGE_URL: 's3://abc' };
    expect(storageContradictions({})).to.deep.equal([]);
    expect(storageContradictions({ AWS_REGION: 'eu-central-1' })).to.deep.equal([]);
    expect(storageContradictions({ ...bucket, AWS_REGION: 'eu-central-1' })).to.deep.equal([]);
    expect(storageContradictions({ ...bucket, S3_ENDPOINT: 'http://localhost:9000' })).to.deep.equal([]);
    expect(storageContradictions(bucket).join()).to.match(
      /^"AWS_REGION" is required .*\(for example AWS_REGION=/,
    );
    expect(storageContradictions({ S3_ENDPOINT: 'http://localhost:9000' }).join()).to.match(
      /^"S3_ENDPOINT" is set without .*\(for example STORAGE_URL=/,
    );
  });
});
