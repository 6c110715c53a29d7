import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expect } from 'chai';
import { openStorage } from '../../shared/platform/storage/open-storage.js';
import { S3Storage } from '../../shared/platform/storage/s3.js';
import type { Storage } from '../../shared/platform/storage/storage.js';
import { eventually } from '../support/poll.js';
import { S3Server, type S3Trouble } from '../support/s3-server.js';
import {
  ABOUT,
  bytesOf,
  chunksOf,
  get,
  KEY,
  keysOf,
  locationOf,
  put,
  rejection,
  sha256Of,
  useCredentials,
} from './storage-fixture.js';

const MB = 1024 * 1024;
const FAR = () => new Date(Date.now() + 60_000);
const TIMEOUTS = { connectMs: 500, answerMs: 400 };

describe('storage in a bucket', () => {
  useCredentials();
  let server: S3Server;
  let storage: Storage;

  beforeEach(async () => {
    server = await S3Server.start();
    storage = openStorage(locationOf(server));
  });
  afterEach(() => server.stop());

  /** The first so many requests that match go wrong. */
  const trouble = (pattern: RegExp, what: S3Trouble, times = Number.POSITIVE_INFINITY) => {
    let left = times;
    server.trouble = (request) => (pattern.test(request) && left-- > 0 ? what : undefined);
  };

  it('sends parts while it is written, and puts them together at the end', async () => {
    await put(storage, KEY, bytesOf(20 * MB));
    const sent = server.requests.map((request) => /partNumber=\d+|uploads|uploadId/.exec(request)?.[0]);
    expect(sent.slice(0, -1)).to.have.members(['uploads', 'partNumber=1', 'partNumber=2', 'partNumber=3']);
    expect(server.requests.at(-1)).to.match(/^POST .*uploadId=/);
    const object = server.objects.get(`tow/test/${KEY}`);
    expect(object?.type).to.equal('application/gzip');
  });

  it('makes links that anybody can fetch, by range too, as a file to be saved', async () => {
    const bytes = bytesOf(100_000);
    await put(storage, KEY, bytes);
    const link = (await storage.link(KEY, { ...ABOUT, fileName: 'Rechnung "é".csv.gz', seconds: 60 })) ?? '';
    const answer = await fetch(link);
    expect(answer.status).to.equal(200);
    expect(Object.fromEntries(answer.headers)).to.include({
      'content-type': 'application/gzip',
      'content-disposition': 'attachment; filename="Rechnung_.csv.gz"',
      'cache-control': 'no-store',
    });
    expect(sha256Of(Buffer.from(await answer.arrayBuffer()))).to.equal(sha256Of(bytes));
    const part = await fetch(link, { headers: { Range: 'bytes=10-19' } });
    expect(part.status).to.equal(206);
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(10, 20))).to.equal(true);
    for (const forged of [link.replace('002/1?', '003/1?'), link.replace('Expires=60', 'Expires=900')]) {
      expect(forged).to.not.equal(link);
      expect((await fetch(forged)).status).to.equal(403);
    }
  });

  it('its links end in time, and none lasts longer than 15 minutes', async () => {
    await put(storage, KEY, bytesOf(10));
    const link = (await storage.link(KEY, { ...ABOUT, seconds: 1 })) ?? '';
    await eventually('the link ends', async () => {
      const answer = await fetch(link);
      await answer.arrayBuffer();
      return answer.status === 403;
    });
    for (const seconds of [0, 901, Number.NaN])
      expect(await rejection(storage.link(KEY, { ...ABOUT, seconds }))).to.be.instanceOf(RangeError);
  });

  it('touches nothing outside of its prefix', async () => {
    const others = openStorage(locationOf(server, ''));
    await put(others, 'tow/testing/1', bytesOf(3));
    await put(others, 'elsewhere', bytesOf(3));
    const upload = await others.create('elsewhere/2', ABOUT);
    for (const chunk of chunksOf(bytesOf(9 * MB))) upload.stream.write(chunk);
    await eventually('a part is sent', () => server.uploads.size === 1);
    await put(storage, KEY, bytesOf(3));
    expect(await keysOf(storage)).to.deep.equal([KEY]);
    expect(await storage.sweep(FAR())).to.equal(0);
    expect(server.uploads.size).to.equal(1);
    await upload.abort();
  });

  it('a sweep leaves alone what this process has under way', async () => {
    const upload = await storage.create(KEY, ABOUT);
    for (const chunk of chunksOf(bytesOf(9 * MB))) upload.stream.write(chunk);
    await eventually('a part is sent', () => server.uploads.size === 1);
    expect(await storage.sweep(FAR())).to.equal(0);
    expect((await upload.commit()).bytes).to.equal(9 * MB);
  });

  it('lists and sweeps over many pages', async () => {
    server.pageSize = 2;
    const keys = Array.from({ length: 7 }, (_, index) => `a/b/${index}`);
    for (const key of keys) {
      await put(storage, key, bytesOf(3));
      server.uploads.set(key, {
        key: `tow/test/${key}`,
        type: '',
        initiatedAt: new Date(),
        parts: new Map(),
      });
    }
    expect(await keysOf(storage)).to.deep.equal(keys);
    expect(await storage.sweep(FAR())).to.equal(7);
    expect(server.uploads.size).to.equal(0);
  });

  for (const [what, times] of [
    [{ status: 500, code: 'InternalError' }, 1],
    [{ status: 503, code: 'SlowDown' }, 2],
    ['cut', 1],
  ] as const) {
    it(`asks again after ${typeof what === 'string' ? what : what.code}, ${times} times, at every step`, async () => {
      const bytes = bytesOf(9 * MB);
      for (const step of [/uploads/, /partNumber=2/, /^POST .*uploadId/]) {
        trouble(step, what, times);
        await put(storage, KEY, bytes);
      }
      trouble(/^GET/, what, times);
      expect(sha256Of((await get(storage, KEY)) ?? Buffer.alloc(0))).to.equal(sha256Of(bytes));
    });
  }

  for (const [what, code] of [
    [{ status: 507, code: 'InsufficientStorage' }, 'storage_full'],
    [{ status: 400, code: 'XMinioStorageFull' }, 'storage_full'],
    [{ status: 503, code: 'SlowDown' }, 'storage_unavailable'],
    [{ status: 500, code: 'InternalError' }, 'storage_unavailable'],
    [{ status: 403, code: 'AccessDenied' }, 'storage_refused'],
    ['cut', 'storage_unavailable'],
  ] as const) {
    it(`tells ${code} when parts meet ${typeof what === 'string' ? what : what.code}, and leaves nothing`, async () => {
      trouble(/partNumber=2/, what);
      const upload = await storage.create(KEY, ABOUT);
      // All may have been taken while the part is tried again: then only commit tells.
      const written = pipeline(Readable.from(chunksOf(bytesOf(60 * MB))), upload.stream);
      await written.catch((error: { code?: string }) => expect(error.code).to.equal(code));
      expect((await rejection(upload.commit())).code).to.equal(code);
      expect([...server.objects, ...server.uploads]).to.deep.equal([]);
    });
  }

  it('tells so when the last word fails', async () => {
    trouble(/^POST .*uploadId/, { status: 500, code: 'InternalError' });
    expect((await rejection(put(storage, KEY, bytesOf(9 * MB)))).code).to.equal('storage_unavailable');
    trouble(/^PUT/, { status: 507, code: 'InsufficientStorage' });
    expect((await rejection(put(storage, KEY, bytesOf(9)))).code).to.equal('storage_full');
    expect([...server.objects, ...server.uploads]).to.deep.equal([]);
  });

  /** Every method once. */
  const everyMethod = (one: Storage): Record<string, () => Promise<unknown>> => ({
    put: () => put(one, KEY, bytesOf(9 * MB)),
    open: () => one.open(KEY),
    delete: () => one.delete(KEY),
    list: () => keysOf(one),
    sweep: () => one.sweep(FAR()),
  });

  it('tells within its time that nobody is there, or that nobody answers', async () => {
    const silent = new S3Storage(locationOf(server) as never, TIMEOUTS);
    trouble(/./, 'silence');
    const gone = await S3Server.start();
    const away = openStorage(locationOf(gone));
    await gone.stop();
    for (const one of [silent, away]) {
      for (const [name, work] of Object.entries(everyMethod(one))) {
        const error = await rejection(work());
        expect(error.code, name).to.equal('storage_unavailable');
        expect(error.message, name).to.equal('The storage cannot be reached or does not answer.');
      }
    }
  });

  it('gives up an upload whose bucket does not answer', async () => {
    const silent = new S3Storage(locationOf(server) as never, TIMEOUTS);
    trouble(/./, 'silence');
    const upload = await silent.create(KEY, ABOUT);
    upload.stream.write(bytesOf(9 * MB));
    await eventually('it is sent', () => server.requests.length > 0);
    await upload.abort();
  });

  it('ends the upload that a chunk begins while it is given up', async () => {
    const upload = await storage.create(KEY, ABOUT);
    upload.stream.write(bytesOf(30 * MB));
    await upload.abort();
    await eventually('it is begun', () => server.requests.some((request) => /^POST .*uploads/.test(request)));
    expect([...server.uploads]).to.deep.equal([]);
    expect(server.requests.at(-1)).to.match(/^DELETE .*uploadId/);
  });

  it('tells that it is not let in: a wrong secret, another bucket', async () => {
    const elsewhere = openStorage({ ...locationOf(server), bucket: 'others' } as never);
    for (const [name, work] of Object.entries(everyMethod(elsewhere)))
      expect((await rejection(work())).code, name).to.equal('storage_refused');
    const { AWS_SECRET_ACCESS_KEY: secret } = process.env;
    process.env.AWS_SECRET_ACCESS_KEY = 'wrong';
    try {
      const stranger = openStorage(locationOf(server));
      for (const [name, work] of Object.entries(everyMethod(stranger)))
        expect((await rejection(work())).code, name).to.equal('storage_refused');
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

/** A server that others wrote: it checks no signatures and aborts nothing, but it reads what we say by its own means. */
describe('storage on s3rver', () => {
  useCredentials({ AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' });

  it('puts, gives, links, lists and deletes', async () => {
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
        const bytes = bytesOf(size);
        expect(await put(storage, KEY, bytes)).to.deep.equal({ bytes: size, sha256: sha256Of(bytes) });
        expect((await get(storage, KEY))?.equals(bytes), String(size)).to.equal(true);
        expect((await get(storage, KEY, { start: 3, end: 7 }))?.equals(bytes.subarray(3, 8))).to.equal(true);
        const answer = await fetch((await storage.link(KEY, { ...ABOUT, seconds: 60 })) ?? '');
        expect(answer.headers.get('content-disposition')).to.equal('attachment; filename="invoices.csv.gz"');
        expect(sha256Of(Buffer.from(await answer.arrayBuffer()))).to.equal(sha256Of(bytes));
      }
      expect(await keysOf(storage)).to.deep.equal([KEY]);
      await storage.delete(KEY);
      expect(await storage.open(KEY)).to.equal(undefined);
    } finally {
      server.httpServer.closeAllConnections();
      await server.close();
      await rm(directory, { recursive: true });
    }
  });
});
