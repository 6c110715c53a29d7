import { once } from 'node:events';
import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import Koa from 'koa';
import { handleErrors } from '../../../api/middleware/errors.js';
import { requestContext } from '../../../api/middleware/request-context.js';
import { exportDownloadRoute } from '../../../api/routes/export-download.js';
import { ActiveDownloads } from '../../../api/runtime/downloads.js';
import type { DownloadObject } from '../../../api/runtime/export-links.js';
import { loadConfig } from '../../../shared/config/config.js';
import { newId } from '../../../shared/platform/ids.js';
import { Lifecycle } from '../../../shared/platform/lifecycle.js';
import { createLimiter } from '../../../shared/platform/limits/limiter.js';
import { createLogger } from '../../../shared/platform/logger.js';
import { createMetrics } from '../../../shared/platform/metrics.js';
import { listenHttp } from '../../../shared/server/http-server.js';
import { deriveExportLinkKey, signLink } from '../../../shared/storage/link-token.js';
import { openStorage } from '../../../shared/storage/open-storage.js';
import type { Storage } from '../../../shared/storage/storage.js';
import { eventually } from '../../support/poll.js';
import { computeSha256, generateBytes, putObject } from '../storage/storage-fixture.js';

const MB = 1024 * 1024;

/**
 * Starts a server for downloads. The server finds exports in a map, because other test files cover
 * the look-up in the table.
 */
async function startDownloads(environment: Record<string, string> = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'tow-downloads-'));
  const config = loadConfig('all', { NODE_ENV: 'test', PORT: '0', DATA_DIR: dataDir, ...environment });
  const logger = createLogger({ level: 'silent', pretty: false, name: 'test' });
  const lifecycle = new Lifecycle(logger);
  const storage = openStorage(config.exportStorage);
  const downloads = new ActiveDownloads();
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
  app.use(exportDownloadRoute({ ...parts, storage, downloads, findObject }) as Koa.Middleware);
  const handleRequest = app.callback();
  const connections: Socket[] = [];
  const { port } = await listenHttp(parts, (request, response) => {
    connections.push(request.socket);
    void handleRequest(request, response);
  });
  lifecycle.onClose('downloads', () => downloads.closeAfterGracePeriod(200));
  return {
    dataDir,
    key: deriveExportLinkKey(config),
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

  async function storeExport(
    bytes: Buffer,
    overrides: Partial<DownloadObject> = {},
  ): Promise<DownloadObject> {
    const key = `${tenantId}/${exportId}/1`;
    const stored = await putObject(service.storage as Storage, key, bytes);
    const object = {
      key,
      fileName: 'invoices.csv.gz',
      contentType: 'application/gzip',
      ...stored,
      ...overrides,
    };
    service.objects.set(`${tenantId} ${exportId}`, object);
    return object;
  }

  const createToken = (sha256: string, extra: { tenantId?: string; seconds?: number; key?: Buffer } = {}) => {
    const now = extra.seconds === undefined ? Date.now() : Date.now() - 60_000 + extra.seconds * 1000;
    const expiresAt = new Date(now + 60_000);
    return signLink(
      extra.key ?? service.key,
      { tenantId: extra.tenantId ?? tenantId, exportId, sha256, expiresAt },
      now,
    );
  };
  const buildUrl = (token: string) => `${service.origin}/v1/downloads/${token}`;
  const download = (sha256: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(buildUrl(createToken(sha256)), { method, headers });

  it('GET /downloads/{token} returns the file unchanged, as an attachment that no cache stores', async () => {
    const bytes = generateBytes(3 * MB + 1);
    const { sha256 } = await storeExport(bytes);
    const response = await download(sha256, { 'Accept-Encoding': 'gzip, br', Accept: 'application/json' });
    expect(response.status).to.equal(200);
    const headers = Object.fromEntries(response.headers);
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
    expect(computeSha256(Buffer.from(await response.arrayBuffer()))).to.equal(sha256);
  });

  it('HEAD /downloads/{token} returns the same headers without the file', async () => {
    const { sha256, bytes } = await storeExport(generateBytes(1000));
    const response = await download(sha256, { Range: 'bytes=0-1' }, 'HEAD');
    expect(response.status).to.equal(200);
    expect(response.headers.get('content-length')).to.equal(String(bytes));
    expect(response.headers.get('content-disposition')).to.include('attachment');
    expect(await response.text()).to.equal('');
  });

  it('GET /downloads/{token} returns a single range, and ignores or refuses others', async () => {
    const bytes = generateBytes(1000);
    const { sha256 } = await storeExport(bytes);
    for (const [range, start, end] of [
      ['bytes=0-0', 0, 0],
      ['bytes=10-19', 10, 19],
      ['bytes=990-', 990, 999],
      ['bytes=990-5000', 990, 999],
      ['bytes=-10', 990, 999],
      ['bytes=-5000', 0, 999],
      ['Bytes=5-6', 5, 6],
    ] as const) {
      const response = await download(sha256, { Range: range });
      expect(response.status, range).to.equal(206);
      expect(response.headers.get('content-range')).to.equal(`bytes ${start}-${end}/1000`);
      expect(response.headers.get('content-length')).to.equal(String(end - start + 1));
      const part = Buffer.from(await response.arrayBuffer());
      expect(part.equals(bytes.subarray(start, end + 1)), range).to.equal(true);
    }
    for (const range of ['bytes=0-1,5-6', 'lines=0-1', 'bytes=-', 'bytes=5-4', 'bytes=a-b', 'bytes']) {
      const response = await download(sha256, { Range: range });
      expect(response.status, range).to.equal(200);
      expect((await response.arrayBuffer()).byteLength).to.equal(1000);
    }
    for (const range of ['bytes=1000-', 'bytes=1000-2000', 'bytes=-0', `bytes=${'9'.repeat(400)}-`]) {
      const response = await download(sha256, { Range: range });
      expect(response.status, range).to.equal(416);
      expect(response.headers.get('content-range')).to.equal('bytes */1000');
      expect(((await response.json()) as { ok: boolean }).ok).to.equal(false);
    }
  });

  it('GET /downloads/{token} resumes a download only if If-Range names the same file', async () => {
    const { sha256 } = await storeExport(generateBytes(1000));
    const getStatus = async (condition: string) =>
      (await download(sha256, { Range: 'bytes=500-', 'If-Range': condition })).status;
    expect(await getStatus(`"${sha256}"`)).to.equal(206);
    for (const other of ['"another"', `W/"${sha256}"`, new Date().toUTCString()])
      expect(await getStatus(other), other).to.equal(200);
  });

  it('GET /downloads/{token} returns an empty file', async () => {
    const { sha256 } = await storeExport(Buffer.alloc(0));
    const response = await download(sha256);
    expect([response.status, response.headers.get('content-length')]).to.deep.equal([200, '0']);
    expect((await download(sha256, { Range: 'bytes=0-' })).status).to.equal(416);
  });

  it('GET /downloads/{token} returns the same 404 for every link that opens no file', async () => {
    const { sha256, bytes } = await storeExport(generateBytes(1000));
    const good = createToken(sha256);
    const errors = new Set<string>();
    const expectNotFound = async (token: string, description: string) => {
      const response = await fetch(buildUrl(token));
      expect(response.status, description).to.equal(404);
      expect(response.headers.get('etag'), description).to.equal(null);
      expect(response.headers.get('cache-control'), description).to.equal('no-store');
      const { error } = (await response.json()) as { error: { code: string; message: string } };
      errors.add(`${error.code} ${error.message}`);
    };
    await expectNotFound('', 'no token');
    await expectNotFound('nonsense', 'no link');
    await expectNotFound(`${good.slice(0, 60)}${good[60] === 'A' ? 'B' : 'A'}${good.slice(61)}`, 'forged');
    await expectNotFound(createToken(sha256, { seconds: -1 }), 'expired');
    await expectNotFound(createToken(sha256, { tenantId: newId() }), "another tenant's");
    await expectNotFound(
      createToken(sha256, { key: deriveExportLinkKey({ secretKey: 'x'.repeat(32) }) }),
      'another secret',
    );
    await expectNotFound(createToken('0'.repeat(64)), 'of an earlier run');
    service.objects.set(`${tenantId} ${exportId}`, {
      key: `${tenantId}/${exportId}/1`,
      fileName: 'a',
      contentType: 'text/csv',
      sha256,
      bytes: bytes + 1,
    });
    await expectNotFound(good, 'of another size');
    await service.storage.delete(`${tenantId}/${exportId}/1`);
    await expectNotFound(good, 'deleted');
    service.objects.clear();
    await expectNotFound(good, 'no longer there');
    expect(errors.size).to.equal(1);
  });

  it('/downloads/{token} allows no other method, and a longer path is 404', async () => {
    const { sha256 } = await storeExport(generateBytes(10));
    const response = await download(sha256, {}, 'POST');
    expect([response.status, response.headers.get('allow')]).to.deep.equal([405, 'GET']);
    expect((await fetch(`${buildUrl(createToken(sha256))}/more`)).status).to.equal(404);
  });

  /** Requests a download, and returns the response without reading its body. */
  async function openDownload(sha256: string): Promise<IncomingMessage> {
    const request = httpGet(buildUrl(createToken(sha256)), { agent: false });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.on('error', () => undefined);
    return response;
  }

  /** Returns how many times this process has the export's file open. */
  async function countOpenFiles(): Promise<number> {
    const names = await readdir('/proc/self/fd');
    const paths = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')));
    return paths.filter((path) => path.includes(exportId)).length;
  }

  it('downloads buffer only part of a file for a slow reader, who still receives all of it', async () => {
    const bytes = generateBytes(24 * MB);
    const { sha256 } = await storeExport(bytes);
    const memoryBefore = process.memoryUsage();
    const readers = await Promise.all([1, 2, 3, 4].map(() => openDownload(sha256)));
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const memoryAfter = process.memoryUsage();
    expect(memoryAfter.arrayBuffers - memoryBefore.arrayBuffers).to.be.below(20 * MB);
    expect(service.downloads.count).to.equal(4);
    for (const reader of readers) expect(computeSha256(await buffer(reader))).to.equal(sha256);
    await eventually(
      'all downloads end',
      async () => service.downloads.count === 0 && (await countOpenFiles()) === 0,
    );
  });

  it('a download closes its file when the reader disconnects', async () => {
    const { sha256 } = await storeExport(generateBytes(16 * MB));
    const readers = await Promise.all([1, 2, 3].map(() => openDownload(sha256)));
    expect(await countOpenFiles()).to.equal(3);
    for (const reader of readers) reader.destroy();
    await eventually(
      'all files are closed',
      async () => (await countOpenFiles()) === 0 && service.downloads.count === 0,
    );
  });

  it('pipelined downloads close their files when the connection ends', async () => {
    const { sha256 } = await storeExport(generateBytes(16 * MB));
    const { hostname, port, pathname } = new URL(buildUrl(createToken(sha256)));
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on('error', () => undefined).pause();
    // The client never reads the first response, so the server cannot send the other three.
    socket.write(`GET ${pathname} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(4));
    await eventually('all files are open', async () => (await countOpenFiles()) === 4);
    socket.destroy();
    await eventually(
      'all files are closed',
      async () => (await countOpenFiles()) === 0 && service.downloads.count === 0,
    );
  });

  it('a reader who disconnects during the look-up of the export is not counted as a download', async () => {
    const { sha256 } = await storeExport(generateBytes(10));
    let releaseLookups: () => void = () => undefined;
    service.lookUps.held = new Promise<void>((resolve) => {
      releaseLookups = resolve;
    });
    const request = httpGet(buildUrl(createToken(sha256)), { agent: false }).on('error', () => undefined);
    await eventually('the look-up starts', () => service.lookUps.pending === 1);
    const gone = once(service.connections.at(-1) as Socket, 'close');
    request.destroy();
    await gone;
    releaseLookups();
    await eventually('the look-up ends', () => service.lookUps.pending === 0);
    expect((await download(sha256)).status).to.equal(200);
    await eventually('no download is counted', () => service.downloads.count === 0);
  });

  it('a tenant can have 20 concurrent downloads, and other tenants are not limited by them', async () => {
    const { sha256 } = await storeExport(generateBytes(16 * MB));
    const readers = await Promise.all(Array.from({ length: 20 }, () => openDownload(sha256)));
    const extra = await download(sha256);
    expect([extra.status, extra.headers.get('retry-after')]).to.deep.equal([429, '5']);
    expect((await download(sha256, {}, 'HEAD')).status).to.equal(200);
    tenantId = newId();
    const other = await storeExport(generateBytes(10));
    expect((await download(other.sha256)).status).to.equal(200);
    for (const reader of readers) reader.destroy();
  });

  it('an open download does not prevent the process from ending', async () => {
    const { sha256 } = await storeExport(generateBytes(16 * MB));
    const reader = await openDownload(sha256);
    expect(await service.lifecycle.close(5000)).to.equal(true);
    await eventually('the download is aborted', () => reader.resume().destroyed);
    expect(reader.complete).to.equal(false);
  });

  it('wrong download links count against the limit of their address', async () => {
    const limited = await startDownloads({ BAD_CREDENTIALS_PER_MINUTE: '3' });
    const statuses: number[] = [];
    for (let at = 0; at < 5; at++)
      statuses.push((await fetch(`${limited.origin}/v1/downloads/wrong${at}`)).status);
    expect(statuses).to.deep.equal([404, 404, 404, 429, 429]);
    await limited.lifecycle.close(5000);
    await rm(limited.dataDir, { recursive: true });
  });
});
