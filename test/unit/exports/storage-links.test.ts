import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import {
  findStorageConflicts,
  resolveStorageLocation,
  validateStorageUrl,
} from '../../../shared/config/storage-location.js';
import { newId } from '../../../shared/platform/ids.js';
import { redactText } from '../../../shared/platform/logger.js';
import { deriveExportLinkKey, redeemLink, signLink } from '../../../shared/storage/link-token.js';
import { buildContentDisposition } from '../../../shared/storage/storage.js';

const key = deriveExportLinkKey({ secretKey: 'a secret of thirty-two characters' });
const NOW = Date.parse('2026-11-22T10:00:00Z');
const createTarget = () => ({
  tenantId: newId(),
  exportId: newId(),
  sha256: randomBytes(32).toString('hex'),
});
const inMinutes = (minutes: number) => new Date(NOW + minutes * 60_000);

describe('export download link', () => {
  it('a link token opens to its tenant, export and hash until it expires', () => {
    const target = createTarget();
    const token = signLink(key, { ...target, expiresAt: inMinutes(15) }, NOW);
    expect(token).to.match(/^[\w-]{140}$/);
    expect(redeemLink(key, token, NOW)).to.deep.equal(target);
    expect(redeemLink(key, token, NOW + 15 * 60_000 - 1)).to.deep.equal(target);
    expect(redeemLink(key, token, NOW + 15 * 60_000)).to.equal(undefined);
  });

  it('a link token cannot last longer than 15 minutes', () => {
    for (const expiresAt of [new Date(NOW + 15 * 60_000 + 1), inMinutes(60 * 24), new Date(Number.NaN)])
      expect(() => signLink(key, { ...createTarget(), expiresAt }, NOW)).to.throw(RangeError);
  });

  it('signLink refuses malformed ids and hashes', () => {
    const good = { ...createTarget(), expiresAt: inMinutes(1) };
    for (const wrong of [{ tenantId: 'x' }, { exportId: '' }, { sha256: 'abc' }])
      expect(() => signLink(key, { ...good, ...wrong }, NOW)).to.throw(TypeError);
  });

  it('a link token with a changed character or another secret is refused', () => {
    const token = signLink(key, { ...createTarget(), expiresAt: inMinutes(15) }, NOW);
    for (let at = 0; at < token.length; at++) {
      const other = token[at] === 'A' ? 'B' : 'A';
      const forged = token.slice(0, at) + other + token.slice(at + 1);
      expect(redeemLink(key, forged, NOW), String(at)).to.equal(undefined);
    }
    for (const wrong of ['', 'x', `${token}A`, token.slice(1), `${token.slice(0, -1)}=`, '\0'.repeat(140)])
      expect(redeemLink(key, wrong, NOW)).to.equal(undefined);
    const otherKey = deriveExportLinkKey({ secretKey: 'another secret of 32 characters..' });
    expect(redeemLink(otherKey, token, NOW)).to.equal(undefined);
  });

  it('download and presigned links are redacted in logs', () => {
    const token = signLink(key, { ...createTarget(), expiresAt: inMinutes(15) }, NOW);
    expect(redactText(`GET /v1/downloads/${token}?x=1`)).to.equal('GET /v1/downloads/[redacted]?x=1');
    expect(redactText('https://b/k?X-Amz-Signature=0123abcd&x-id=GetObject')).to.equal(
      'https://b/k?X-Amz-Signature=[redacted]&x-id=GetObject',
    );
  });

  it('the Content-Disposition header has a sanitized file name', () => {
    expect(buildContentDisposition('invoices-2026-11-22.csv.gz')).to.equal(
      'attachment; filename="invoices-2026-11-22.csv.gz"',
    );
    expect(buildContentDisposition('a"\r\nSet-Cookie: x=1;é.csv')).to.equal(
      'attachment; filename="a_Set-Cookie_x_1_.csv"',
    );
    expect(buildContentDisposition('')).to.equal('attachment; filename="file"');
  });
});

describe('STORAGE_URL setting', () => {
  const helpers = { message: ({ custom }: { custom: string }) => ({ refused: custom }) };
  const check = (text: string) => validateStorageUrl(text, helpers as never) as unknown;

  it('STORAGE_URL is a folder, a file URL or a bucket', () => {
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
      expect(resolveStorageLocation(settings, '/data'), text).to.deep.equal(location);
    }
    const withEndpoint = { STORAGE_URL: 's3://abc', S3_ENDPOINT: 'https://minio.example.com/' };
    expect(resolveStorageLocation(withEndpoint, '/data')).to.include({
      endpoint: 'https://minio.example.com',
      region: undefined,
    });
  });

  it('any other STORAGE_URL is refused', () => {
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

  it('STORAGE_URL of a bucket needs AWS_REGION or S3_ENDPOINT, and S3_ENDPOINT needs a bucket', () => {
    const bucket = { STORAGE_URL: 's3://abc' };
    expect(findStorageConflicts({})).to.deep.equal([]);
    expect(findStorageConflicts({ AWS_REGION: 'eu-central-1' })).to.deep.equal([]);
    expect(findStorageConflicts({ ...bucket, AWS_REGION: 'eu-central-1' })).to.deep.equal([]);
    expect(findStorageConflicts({ ...bucket, S3_ENDPOINT: 'http://localhost:9000' })).to.deep.equal([]);
    expect(findStorageConflicts(bucket).join()).to.match(
      /^"AWS_REGION" is required .*\(for example AWS_REGION=/,
    );
    expect(findStorageConflicts({ S3_ENDPOINT: 'http://localhost:9000' }).join()).to.match(
      /^"S3_ENDPOINT" is set without .*\(for example STORAGE_URL=/,
    );
  });
});
