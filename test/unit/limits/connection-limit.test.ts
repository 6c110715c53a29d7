import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { loadConfig } from '../../../shared/config/config.js';
import { Lifecycle } from '../../../shared/platform/lifecycle.js';
import { createLogger } from '../../../shared/platform/logger.js';
import { createMetrics, type Metrics } from '../../../shared/platform/metrics.js';
import { type HttpServer, openHttpServer } from '../../../shared/server/http-server.js';
import { eventually } from '../../support/poll.js';

/** The prefix of the noisy client's loopback addresses. Other clients use 127.0.0.0/24. */
const SITE = '127.0.1';

describe('limits on open connections', () => {
  let server: HttpServer;
  let lifecycle: Lifecycle;
  let metrics: Metrics;
  let warnings: { facts: Record<string, unknown>; text: string }[];
  const sockets: Socket[] = [];

  async function start(settings: Record<string, string>): Promise<void> {
    const environment = { PORT: '0', SECRET_KEY: 'a secret key that is long enough for anybody' };
    const config = loadConfig('all', { NODE_ENV: 'test', ...environment, ...settings });
    const silent = createLogger({ level: 'silent', pretty: false, name: 'test' });
    lifecycle = new Lifecycle(silent);
    warnings = [];
    const warn = (facts: Record<string, unknown>, text: string) => void warnings.push({ facts, text });
    const logger = Object.assign(Object.create(silent), { warn });
    server = await openHttpServer({ config, lifecycle, logger }, () => undefined);
    metrics = createMetrics();
  }
  const serve = () => server.serve((_request, response) => response.end('ok'), metrics);
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await lifecycle.close();
  });

  /**
   * Sends a request from `localAddress`, and keeps the connection open. Returns whether a response
   * arrived before the server closed the connection.
   */
  async function isAnswered(localAddress: string): Promise<boolean> {
    const socket = connect({ host: '127.0.0.1', port: server.port, localAddress });
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    const answered = once(socket, 'data').then(() => true);
    return Promise.race([answered, once(socket, 'close').then(() => false)]).catch(() => false);
  }
  const countRefused = async (bound: string) => {
    const text = await metrics.registry.metrics();
    const pattern = new RegExp(`^tow_connections_refused_total\\{bound="${bound}"\\} (\\d+)$`, 'm');
    return Number(pattern.exec(text)?.[1] ?? 0);
  };

  it('an address gets CONNECTIONS_PER_NETWORK connections, others are served, and closing frees a slot', async () => {
    await start({ CONNECTIONS_PER_NETWORK: '5' });
    serve();
    const [noisy, other] = [`${SITE}.2`, '127.0.0.2'];
    for (let nth = 0; nth < 5; nth += 1) expect(await isAnswered(noisy)).to.equal(true);
    for (let nth = 0; nth < 3; nth += 1) expect(await isAnswered(noisy)).to.equal(false);
    expect(await isAnswered(other)).to.equal(true);
    expect(await countRefused('network')).to.equal(3);
    expect(warnings, 'one log entry for all of them').to.deep.equal([
      {
        facts: { bound: 'network', address: noisy, refused: 1 },
        text: 'connections refused: too many are open',
      },
    ]);
    sockets[0]?.destroy();
    await eventually('a free connection slot', () => isAnswered(noisy));
  });

  it('a block of addresses gets four times CONNECTIONS_PER_NETWORK connections', async () => {
    await start({ CONNECTIONS_PER_NETWORK: '2' });
    serve();
    for (let nth = 0; nth < 8; nth += 1)
      expect(await isAnswered(`${SITE}.${Math.floor(nth / 2) + 1}`)).to.equal(true);
    expect(await isAnswered(`${SITE}.9`)).to.equal(false);
    expect(await countRefused('site')).to.equal(1);
    expect(await isAnswered('127.0.0.2')).to.equal(true);
  });

  it('behind a proxy, only CONNECTIONS_PER_PROCESS limits connections', async () => {
    await start({ TRUST_PROXY: 'true', CONNECTIONS_PER_NETWORK: '1', CONNECTIONS_PER_PROCESS: '6' });
    serve();
    for (let nth = 0; nth < 6; nth += 1) expect(await isAnswered('127.0.0.1')).to.equal(true);
    expect(await isAnswered('127.0.0.2')).to.equal(false);
    expect(await countRefused('process')).to.equal(1);
    expect(warnings.map(({ facts }) => facts.bound)).to.deep.equal(['process']);
  });

  it('connections are refused and counted even before the process has metrics', async () => {
    await start({ CONNECTIONS_PER_NETWORK: '1' });
    const first = connect({ host: '127.0.0.1', port: server.port });
    sockets.push(first);
    await once(first, 'connect');
    expect(await isAnswered('127.0.0.1')).to.equal(false);
    serve();
    expect(await countRefused('network')).to.equal(1);
    expect(await isAnswered('127.0.0.1')).to.equal(false);
    expect(await countRefused('network')).to.equal(2);
  });
});
