import { once } from 'node:events';
import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import Koa from 'koa';
import { Downloads } from '../../api/downloads.js';
import { handleErrors } from '../../api/middleware/errors.js';
import { requestContext } from '../../api/middleware/request-context.js';
import { type DownloadObject, exportDownloads } from '../../api/routes/export-download.js';
import { loadConfig } from '../../shared/platform/config.js';
import { listenHttp } from '../../shared/platform/http-server.js';
import { newId } from '../../shared/platform/ids.js';
import { Lifecycle } from '../../shared/platform/lifecycle.js';
import { createLimiter } from '../../shared/platform/limiter.js';
import { createLogger } from '../../shared/platform/logger.js';
import { createMetrics } from '../../shared/platform/metrics.js';
import { linkKeyOf, signLink } from '../../shared/platform/storage/link-token.js';
import { openStorage } from '../../shared/platform/storage/open-storage.js';
import type { Storage } from '../../shared/platform/storage/storage.js';
import { eventually } from '../support/poll.js';
import { bytesOf, put, sha256Of } from './storage-fixture.js';

const MB = 1024 * 1024;

/** What the middleware stands on, with exports that are kept in a map instead of a table: the record is another part's. */
async function startDownloads(environment: Record<string, string> = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'tow-downloads-'));
  const config = loadConfig('all', { NODE_ENV: 'test', PORT: '0', DATA_DIR: dataDir, ...environment });
  const logger = createLogger({ level: 'silent', pretty: false, name: 'test' });
  const lifecycle = new Lifecycle(logger);
  const storage = openStorage(config.exportStorage);
  const downloads = new Downloads();
  const objects = new Map<string, DownloadObject>();
  const lookUps = { pending: 0, held: undefined as Promise<void> | undefined };
  const findObject = async (tenantId: string, id: string) => {
    lookUps.pending += 1;
    await lookUps.held;
    lookUps.pending -= 1;
    return objects.get(`${tenantId} ${id}`);
  };
  const parts = { config, logger, lifecycle, metrics: createMetrics(), limiter: createLimiter(undefined) };
  const app = new Koa();
  app.silent = true;
  app.use(requestContext(parts as never) as Koa.Middleware);
  app.use(handleErrors(logger) as Koa.Middleware);
  app.use((ctx, next) => {
    ctx.state.prefix = '/v1';
    return next();
  });
  app.use(exportDownloads({ ...parts, storage, downloads, findObject }) as Koa.Middleware);
  const answer = app.callback();
  const connections: Socket[] = [];
  const { port } = await listenHttp(parts, (request, response) => {
    connections.push(request.socket);
    void answer(request, response);
  });
  lifecycle.onClose('downloads', () => downloads.endSoon(200));
  return {
    dataDir,
    key: linkKeyOf(config),
    lifecycle,
    storage,
    downloads,
    lookUps,
    connections,
    objects,
    origin: `http://127.0.0.1:${port}`,
  };
}

describe('GET /downloads/{token}', () => {
  let service: Awaited<ReturnType<typeof startDownloads>>;
  let tenantId: string;
  let exportId: string;

  beforeEach(async () => {
    service = await startDownloads();
    tenantId = newId();
    exportId = newId();
  });
  afterEach(async () => {
    expect(await service.lifecycle.close(10_000)).to.equal(true);
    await rm(service.dataDir, { recursive: true });
  });

  /** A finished export with its bytes. */
  async function finish(bytes: Buffer, about: Partial<DownloadObject> = {}): Promise<DownloadObject> {
    const key = `${tenantId}/${exportId}/1`;
    const done = await put(service.storage as Storage, key, bytes);
    const object = { key, fileName: 'invoices.csv.gz', contentType: 'application/gzip', ...done, ...about };
    service.objects.set(`${tenantId} ${exportId}`, object);
    return object;
  }

  const tokenOf = (sha256: string, more: { tenantId?: string; seconds?: number; key?: Buffer } = {}) => {
    const now = more.seconds === undefined ? Date.now() : Date.now() - 60_000 + more.seconds * 1000;
    const expiresAt = new Date(now + 60_000);
    return signLink(
      more.key ?? service.key,
      { tenantId: more.tenantId ?? tenantId, exportId, sha256, expiresAt },
      now,
    );
  };
  const urlOf = (token: string) => `${service.origin}/v1/downloads/${token}`;
  const download = (sha256: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(urlOf(tokenOf(sha256)), { method, headers });

  it('gives the file as it is, to be saved and not to be kept on the way', async () => {
    const bytes = bytesOf(3 * MB + 1);
    const { sha256 } = await finish(bytes);
    const answer = await download(sha256, { 'Accept-Encoding': 'gzip, br', Accept: 'application/json' });
    expect(answer.status).to.equal(200);
    const headers = Object.fromEntries(answer.headers);
    expect(headers).to.include({
      'content-type': 'application/gzip',
      'content-disposition': 'attachment; filename="invoices.csv.gz"',
      'content-length': String(bytes.length),
      'accept-ranges': 'bytes',
      'cache-control': 'no-store, no-transform',
      'x-content-type-options': 'nosniff',
      etag: `"${sha256}"`,
    });
    expect(headers).to.not.have.any.keys('content-encoding', 'set-cookie');
    expect(sha256Of(Buffer.from(await answer.arrayBuffer()))).to.equal(sha256);
  });

  it('tells the same to HEAD, without the file', async () => {
    const { sha256, bytes } = await finish(bytesOf(1000));
    const answer = await download(sha256, { Range: 'bytes=0-1' }, 'HEAD');
    expect(answer.status).to.equal(200);
    expect(answer.headers.get('content-length')).to.equal(String(bytes));
    expect(answer.headers.get('content-disposition')).to.include('attachment');
    expect(await answer.text()).to.equal('');
  });

  it('gives one range at a time', async () => {
    const bytes = bytesOf(1000);
    const { sha256 } = await finish(bytes);
    for (const [range, start, end] of [
      ['bytes=0-0', 0, 0],
      ['bytes=10-19', 10, 19],
      ['bytes=990-', 990, 999],
      ['bytes=990-5000', 990, 999],
      ['bytes=-10', 990, 999],
      ['bytes=-5000', 0, 999],
      ['Bytes=5-6', 5, 6],
    ] as const) {
      const answer = await download(sha256, { Range: range });
      expect(answer.status, range).to.equal(206);
      expect(answer.headers.get('content-range')).to.equal(`bytes ${start}-${end}/1000`);
      expect(answer.headers.get('content-length')).to.equal(String(end - start + 1));
      const part = Buffer.from(await answer.arrayBuffer());
      expect(part.equals(bytes.subarray(start, end + 1)), range).to.equal(true);
    }
    for (const range of ['bytes=0-1,5-6', 'lines=0-1', 'bytes=-', 'bytes=5-4', 'bytes=a-b', 'bytes']) {
      const answer = await download(sha256, { Range: range });
      expect(answer.status, range).to.equal(200);
      expect((await answer.arrayBuffer()).byteLength).to.equal(1000);
    }
    for (const range of ['bytes=1000-', 'bytes=1000-2000', 'bytes=-0', `bytes=${'9'.repeat(400)}-`]) {
      const answer = await download(sha256, { Range: range });
      expect(answer.status, range).to.equal(416);
      expect(answer.headers.get('content-range')).to.equal('bytes */1000');
      expect(((await answer.json()) as { ok: boolean }).ok).to.equal(false);
    }
  });

  it('goes on where a download ended only with the same file', async () => {
    const { sha256 } = await finish(bytesOf(1000));
    const statusOf = async (condition: string) =>
      (await download(sha256, { Range: 'bytes=500-', 'If-Range': condition })).status;
    expect(await statusOf(`"${sha256}"`)).to.equal(206);
    for (const other of ['"another"', `W/"${sha256}"`, new Date().toUTCString()])
      expect(await statusOf(other), other).to.equal(200);
  });

  it('gives a file without bytes', async () => {
    const { sha256 } = await finish(Buffer.alloc(0));
    const answer = await download(sha256);
    expect([answer.status, answer.headers.get('content-length')]).to.deep.equal([200, '0']);
    expect((await download(sha256, { Range: 'bytes=0-' })).status).to.equal(416);
  });

  it('tells whatever opens nothing the same', async () => {
    const { sha256, bytes } = await finish(bytesOf(1000));
    const good = tokenOf(sha256);
    const told = new Set<string>();
    const isNothing = async (token: string, what: string) => {
      const answer = await fetch(urlOf(token));
      expect(answer.status, what).to.equal(404);
      expect(answer.headers.get('etag'), what).to.equal(null);
      expect(answer.headers.get('cache-control'), what).to.equal('no-store');
      const { error } = (await answer.json()) as { error: { code: string; message: string } };
      told.add(`${error.code} ${error.message}`);
    };
    await isNothing('', 'no token');
    await isNothing('nonsense', 'no link');
    await isNothing(`${good.slice(0, 60)}${good[60] === 'A' ? 'B' : 'A'}${good.slice(61)}`, 'forged');
    await isNothing(tokenOf(sha256, { seconds: -1 }), 'expired');
    await isNothing(tokenOf(sha256, { tenantId: newId() }), "another tenant's");
    await isNothing(tokenOf(sha256, { key: linkKeyOf({ secretKey: 'x'.repeat(32) }) }), 'another secret');
    await isNothing(tokenOf('0'.repeat(64)), 'of an earlier run');
    service.objects.set(`${tenantId} ${exportId}`, {
      key: `${tenantId}/${exportId}/1`,
      fileName: 'a',
      contentType: 'text/csv',
      sha256,
      bytes: bytes + 1,
    });
    await isNothing(good, 'of another size');
    await service.storage.delete(`${tenantId}/${exportId}/1`);
    await isNothing(good, 'deleted');
    service.objects.clear();
    await isNothing(good, 'no longer there');
    expect(told.size).to.equal(1);
  });

  it('takes no other method, and is no other path', async () => {
    const { sha256 } = await finish(bytesOf(10));
    const answer = await download(sha256, {}, 'POST');
    expect([answer.status, answer.headers.get('allow')]).to.deep.equal([405, 'GET']);
    expect((await fetch(`${urlOf(tokenOf(sha256))}/more`)).status).to.equal(404);
  });

  /** A download that nobody reads yet. */
  async function opened(sha256: string): Promise<IncomingMessage> {
    const request = httpGet(urlOf(tokenOf(sha256)), { agent: false });
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    answer.on('error', () => undefined);
    return answer;
  }

  /** How often this process has the file open. */
  async function openFiles(): Promise<number> {
    const names = await readdir('/proc/self/fd');
    const paths = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')));
    return paths.filter((path) => path.includes(exportId)).length;
  }

  it('holds no more of a file than a slow reader takes, and loses none of it', async () => {
    const bytes = bytesOf(24 * MB);
    const { sha256 } = await finish(bytes);
    const before_ = process.memoryUsage();
    const readers = await Promise.all([1, 2, 3, 4].map(() => opened(sha256)));
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const now = process.memoryUsage();
    expect(now.arrayBuffers - before_.arrayBuffers).to.be.below(20 * MB);
    expect(service.downloads.count).to.equal(4);
    for (const reader of readers) expect(sha256Of(await buffer(reader))).to.equal(sha256);
    await eventually('they are over', async () => service.downloads.count === 0 && (await openFiles()) === 0);
  });

  it('closes the file of a reader who goes away', async () => {
    const { sha256 } = await finish(bytesOf(16 * MB));
    const readers = await Promise.all([1, 2, 3].map(() => opened(sha256)));
    expect(await openFiles()).to.equal(3);
    for (const reader of readers) reader.destroy();
    await eventually(
      'all are closed',
      async () => (await openFiles()) === 0 && service.downloads.count === 0,
    );
  });

  it('closes the files of requests that were sent together when their connection ends', async () => {
    const { sha256 } = await finish(bytesOf(16 * MB));
    const { hostname, port, pathname } = new URL(urlOf(tokenOf(sha256)));
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on('error', () => undefined).pause();
    // The first is not read, so the others never get the connection.
    socket.write(`GET ${pathname} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(4));
    await eventually('all are open', async () => (await openFiles()) === 4);
    socket.destroy();
    await eventually(
      'all are closed',
      async () => (await openFiles()) === 0 && service.downloads.count === 0,
    );
  });

  it('keeps no place for a reader who goes away while the export is looked up', async () => {
    const { sha256 } = await finish(bytesOf(10));
    let goOn: () => void = () => undefined;
    service.lookUps.held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const request = httpGet(urlOf(tokenOf(sha256)), { agent: false }).on('error', () => undefined);
    await eventually('the look-up', () => service.lookUps.pending === 1);
    const gone = once(service.connections.at(-1) as Socket, 'close');
    request.destroy();
    await gone;
    goOn();
    await eventually('its end', () => service.lookUps.pending === 0);
    expect((await download(sha256)).status).to.equal(200);
    await eventually('no download', () => service.downloads.count === 0);
  });

  it('lets a tenant have 20 under way, and others theirs', async () => {
    const { sha256 } = await finish(bytesOf(16 * MB));
    const readers = await Promise.all(Array.from({ length: 20 }, () => opened(sha256)));
    const more = await download(sha256);
    expect([more.status, more.headers.get('retry-after')]).to.deep.equal([429, '5']);
    expect((await download(sha256, {}, 'HEAD')).status).to.equal(200);
    tenantId = newId();
    const other = await finish(bytesOf(10));
    expect((await download(other.sha256)).status).to.equal(200);
    for (const reader of readers) reader.destroy();
  });

  it('does not keep the process from ending', async () => {
    const { sha256 } = await finish(bytesOf(16 * MB));
    const reader = await opened(sha256);
    expect(await service.lifecycle.close(5000)).to.equal(true);
    await eventually('it is cut', () => reader.resume().destroyed);
    expect(reader.complete).to.equal(false);
  });

  it('counts wrong links against their address', async () => {
    const limited = await startDownloads({ BAD_CREDENTIALS_PER_MINUTE: '3' });
    const statuses: number[] = [];
    for (let at = 0; at < 5; at++)
      statuses.push((await fetch(`${limited.origin}/v1/downloads/wrong${at}`)).status);
    expect(statuses).to.deep.equal([404, 404, 404, 429, 429]);
    await limited.lifecycle.close(5000);
    await rm(limited.dataDir, { recursive: true });
  });
});
