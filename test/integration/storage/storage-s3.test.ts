import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expect } from 'chai';
import { openStorage } from '../../../shared/storage/open-storage.js';
import { S3Storage } from '../../../shared/storage/s3.js';
import type { Storage } from '../../../shared/storage/storage.js';
import { type S3Failure, S3Server } from '../../support/exports/s3-server.js';
import { eventually } from '../../support/poll.js';
import {
  buildS3Location,
  catchRejection,
  computeSha256,
  generateBytes,
  getObject,
  listStorageKeys,
  OBJECT_KEY,
  OBJECT_METADATA,
  putObject,
  splitIntoChunks,
  useAwsCredentials,
} from './storage-fixture.js';

const MB = 1024 * 1024;
const inOneMinute = () => new Date(Date.now() + 60_000);
const TIMEOUTS = { connectMs: 500, responseMs: 400 };

describe('S3 storage', () => {
  useAwsCredentials();
  let server: S3Server;
  let storage: Storage;

  beforeEach(async () => {
    server = await S3Server.start();
    storage = openStorage(buildS3Location(server));
  });
  afterEach(() => server.stop());

  const failRequests = (pattern: RegExp, failure: S3Failure, times = Number.POSITIVE_INFINITY) => {
    let left = times;
    server.injectFailure = (request) => (pattern.test(request) && left-- > 0 ? failure : undefined);
  };

  it('an upload to S3 sends parts while it is written, and completes the object at the end', async () => {
    await putObject(storage, OBJECT_KEY, generateBytes(20 * MB));
    const sent = server.requests.map((request) => /partNumber=\d+|uploads|uploadId/.exec(request)?.[0]);
    expect(sent.slice(0, -1)).to.have.members(['uploads', 'partNumber=1', 'partNumber=2', 'partNumber=3']);
    expect(server.requests.at(-1)).to.match(/^POST .*uploadId=/);
    const object = server.objects.get(`tow/test/${OBJECT_KEY}`);
    expect(object?.type).to.equal('application/gzip');
  });

  it('S3 download links save as a file, accept byte ranges and respond 403 when changed', async () => {
    const bytes = generateBytes(100_000);
    await putObject(storage, OBJECT_KEY, bytes);
    const link =
      (await storage.createLink(OBJECT_KEY, {
        ...OBJECT_METADATA,
        fileName: 'Rechnung "é".csv.gz',
        seconds: 60,
      })) ?? '';
    const response = await fetch(link);
    expect(response.status).to.equal(200);
    expect(Object.fromEntries(response.headers)).to.include({
      'content-type': 'application/gzip',
      'content-disposition': 'attachment; filename="Rechnung_.csv.gz"',
      'cache-control': 'no-store',
    });
    expect(computeSha256(Buffer.from(await response.arrayBuffer()))).to.equal(computeSha256(bytes));
    const part = await fetch(link, { headers: { Range: 'bytes=10-19' } });
    expect(part.status).to.equal(206);
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(10, 20))).to.equal(true);
    for (const forged of [link.replace('002/1?', '003/1?'), link.replace('Expires=60', 'Expires=900')]) {
      expect(forged).to.not.equal(link);
      expect((await fetch(forged)).status).to.equal(403);
    }
  });

  it('S3 download links expire on time, and none lasts longer than 15 minutes', async () => {
    await putObject(storage, OBJECT_KEY, generateBytes(10));
    const link = (await storage.createLink(OBJECT_KEY, { ...OBJECT_METADATA, seconds: 1 })) ?? '';
    await eventually('the link expires', async () => {
      const response = await fetch(link);
      await response.arrayBuffer();
      return response.status === 403;
    });
    for (const seconds of [0, 901, Number.NaN])
      expect(
        await catchRejection(storage.createLink(OBJECT_KEY, { ...OBJECT_METADATA, seconds })),
      ).to.be.instanceOf(RangeError);
  });

  it('S3 storage lists and sweeps nothing outside its prefix', async () => {
    const others = openStorage(buildS3Location(server, ''));
    await putObject(others, 'tow/testing/1', generateBytes(3));
    await putObject(others, 'elsewhere', generateBytes(3));
    const upload = await others.create('elsewhere/2', OBJECT_METADATA);
    for (const chunk of splitIntoChunks(generateBytes(9 * MB))) upload.stream.write(chunk);
    await eventually('a part is sent', () => server.uploads.size === 1);
    await putObject(storage, OBJECT_KEY, generateBytes(3));
    expect(await listStorageKeys(storage)).to.deep.equal([OBJECT_KEY]);
    expect(await storage.discardStaleUploads(inOneMinute())).to.equal(0);
    expect(server.uploads.size).to.equal(1);
    await upload.abort();
  });

  it('a sweep of S3 storage keeps the uploads that this process is writing', async () => {
    const upload = await storage.create(OBJECT_KEY, OBJECT_METADATA);
    for (const chunk of splitIntoChunks(generateBytes(9 * MB))) upload.stream.write(chunk);
    await eventually('a part is sent', () => server.uploads.size === 1);
    expect(await storage.discardStaleUploads(inOneMinute())).to.equal(0);
    expect((await upload.commit()).bytes).to.equal(9 * MB);
  });

  it('S3 storage lists and sweeps over many pages of results', async () => {
    server.pageSize = 2;
    const keys = Array.from({ length: 7 }, (_, index) => `a/b/${index}`);
    for (const key of keys) {
      await putObject(storage, key, generateBytes(3));
      server.uploads.set(key, {
        key: `tow/test/${key}`,
        type: '',
        initiatedAt: new Date(),
        parts: new Map(),
      });
    }
    expect(await listStorageKeys(storage)).to.deep.equal(keys);
    expect(await storage.discardStaleUploads(inOneMinute())).to.equal(7);
    expect(server.uploads.size).to.equal(0);
  });

  for (const [failure, times] of [
    [{ status: 500, code: 'InternalError' }, 1],
    [{ status: 503, code: 'SlowDown' }, 2],
    ['cut', 1],
  ] as const) {
    it(`S3 storage retries every step after ${typeof failure === 'string' ? failure : failure.code}, ${times} times in a row`, async () => {
      const bytes = generateBytes(9 * MB);
      for (const step of [/uploads/, /partNumber=2/, /^POST .*uploadId/]) {
        failRequests(step, failure, times);
        await putObject(storage, OBJECT_KEY, bytes);
      }
      failRequests(/^GET/, failure, times);
      expect(computeSha256((await getObject(storage, OBJECT_KEY)) ?? Buffer.alloc(0))).to.equal(
        computeSha256(bytes),
      );
    });
  }

  for (const [failure, code] of [
    [{ status: 507, code: 'InsufficientStorage' }, 'storage_full'],
    [{ status: 400, code: 'XMinioStorageFull' }, 'storage_full'],
    [{ status: 503, code: 'SlowDown' }, 'storage_unavailable'],
    [{ status: 500, code: 'InternalError' }, 'storage_unavailable'],
    [{ status: 403, code: 'AccessDenied' }, 'storage_refused'],
    ['cut', 'storage_unavailable'],
  ] as const) {
    it(`S3 storage rejects with ${code} when a part fails with ${typeof failure === 'string' ? failure : failure.code}, and leaves nothing`, async () => {
      failRequests(/partNumber=2/, failure);
      const upload = await storage.create(OBJECT_KEY, OBJECT_METADATA);
      // The stream may accept all bytes while the failing part is still retried. In that case, only
      // `commit` rejects.
      const written = pipeline(Readable.from(splitIntoChunks(generateBytes(60 * MB))), upload.stream);
      await written.catch((error: { code?: string }) => expect(error.code).to.equal(code));
      expect((await catchRejection(upload.commit())).code).to.equal(code);
      expect([...server.objects, ...server.uploads]).to.deep.equal([]);
    });
  }

  it('S3 storage rejects when the last request of an upload fails, and leaves nothing', async () => {
    failRequests(/^POST .*uploadId/, { status: 500, code: 'InternalError' });
    expect((await catchRejection(putObject(storage, OBJECT_KEY, generateBytes(9 * MB)))).code).to.equal(
      'storage_unavailable',
    );
    failRequests(/^PUT/, { status: 507, code: 'InsufficientStorage' });
    expect((await catchRejection(putObject(storage, OBJECT_KEY, generateBytes(9)))).code).to.equal(
      'storage_full',
    );
    expect([...server.objects, ...server.uploads]).to.deep.equal([]);
  });

  const everyMethod = (one: Storage): Record<string, () => Promise<unknown>> => ({
    put: () => putObject(one, OBJECT_KEY, generateBytes(9 * MB)),
    open: () => one.open(OBJECT_KEY),
    delete: () => one.delete(OBJECT_KEY),
    list: () => listStorageKeys(one),
    sweep: () => one.discardStaleUploads(inOneMinute()),
  });

  it('S3 storage rejects with storage_unavailable in time when its server is unreachable or silent', async () => {
    const silent = new S3Storage(buildS3Location(server) as never, TIMEOUTS);
    failRequests(/./, 'silence');
    const stoppedServer = await S3Server.start();
    const unreachable = openStorage(buildS3Location(stoppedServer));
    await stoppedServer.stop();
    for (const one of [silent, unreachable]) {
      for (const [name, work] of Object.entries(everyMethod(one))) {
        const error = await catchRejection(work());
        expect(error.code, name).to.equal('storage_unavailable');
        expect(error.message, name).to.equal('The storage cannot be reached or does not respond.');
      }
    }
  });

  it('abort ends an S3 upload whose server does not respond', async () => {
    const silent = new S3Storage(buildS3Location(server) as never, TIMEOUTS);
    failRequests(/./, 'silence');
    const upload = await silent.create(OBJECT_KEY, OBJECT_METADATA);
    upload.stream.write(generateBytes(9 * MB));
    await eventually('a request is sent', () => server.requests.length > 0);
    await upload.abort();
  });

  it('abort also deletes a multipart upload that S3 is still starting', async () => {
    const upload = await storage.create(OBJECT_KEY, OBJECT_METADATA);
    upload.stream.write(generateBytes(30 * MB));
    await upload.abort();
    await eventually('the multipart upload starts', () =>
      server.requests.some((request) => /^POST .*uploads/.test(request)),
    );
    expect([...server.uploads]).to.deep.equal([]);
    expect(server.requests.at(-1)).to.match(/^DELETE .*uploadId/);
  });

  it('S3 storage rejects with storage_refused on a wrong secret or another bucket', async () => {
    const otherBucket = openStorage({ ...buildS3Location(server), bucket: 'others' } as never);
    for (const [name, work] of Object.entries(everyMethod(otherBucket)))
      expect((await catchRejection(work())).code, name).to.equal('storage_refused');
    const { AWS_SECRET_ACCESS_KEY: secret } = process.env;
    process.env.AWS_SECRET_ACCESS_KEY = 'wrong';
    try {
      const withWrongSecret = openStorage(buildS3Location(server));
      for (const [name, work] of Object.entries(everyMethod(withWrongSecret)))
        expect((await catchRejection(work())).code, name).to.equal('storage_refused');
    } finally {
      process.env.AWS_SECRET_ACCESS_KEY = secret;
    }
  });
});

interface S3rver {
  run(): Promise<{ port: number }>;
  close(): Promise<void>;
  httpServer: { closeAllConnections(): void };
}

/**
 * Sends the product's requests to s3rver, an independent S3 server with a separate parser. s3rver
 * checks no signatures and aborts no uploads.
 */
describe('S3 storage on s3rver', () => {
  useAwsCredentials({ AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' });

  it('S3 storage stores, reads, links, lists and deletes objects on s3rver', async () => {
    const Server = createRequire(import.meta.url)('s3rver') as new (options: object) => S3rver;
    const directory = await mkdtemp(join(tmpdir(), 'tow-s3rver-'));
    const buckets = [{ name: 'exports' }];
    const server = new Server({
      address: '127.0.0.1',
      port: 0,
      silent: true,
      directory,
      configureBuckets: buckets,
    });
    const { port } = await server.run();
    try {
      const endpoint = `http://127.0.0.1:${port}`;
      const storage = openStorage({
        kind: 's3',
        bucket: 'exports',
        prefix: 'p',
        endpoint,
        region: undefined,
      });
      for (const size of [10, 20 * MB + 5]) {
        const bytes = generateBytes(size);
        expect(await putObject(storage, OBJECT_KEY, bytes)).to.deep.equal({
          bytes: size,
          sha256: computeSha256(bytes),
        });
        expect((await getObject(storage, OBJECT_KEY))?.equals(bytes), String(size)).to.equal(true);
        expect(
          (await getObject(storage, OBJECT_KEY, { start: 3, end: 7 }))?.equals(bytes.subarray(3, 8)),
        ).to.equal(true);
        const response = await fetch(
          (await storage.createLink(OBJECT_KEY, { ...OBJECT_METADATA, seconds: 60 })) ?? '',
        );
        expect(response.headers.get('content-disposition')).to.equal(
          'attachment; filename="invoices.csv.gz"',
        );
        expect(computeSha256(Buffer.from(await response.arrayBuffer()))).to.equal(computeSha256(bytes));
      }
      expect(await listStorageKeys(storage)).to.deep.equal([OBJECT_KEY]);
      await storage.delete(OBJECT_KEY);
      expect(await storage.open(OBJECT_KEY)).to.equal(undefined);
    } finally {
      server.httpServer.closeAllConnections();
      await server.close();
      await rm(directory, { recursive: true });
    }
  });
});
