/** Checks to which cell the balancer leads requests whose account only a sealed token names. */
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type Balancer, type BalancerTarget, startBalancer } from '../../support/load/cells/balancer.js';
import { useProcesses } from '../../support/load/processes.js';
import { findMissingProgram } from '../../support/redis/programs.js';

const missing = findMissingProgram('haproxy');
const REQUESTS = 8;
/** Longer than HAProxy waits for a second packet of the same write. */
const SPLIT_MS = 50;
/** Larger than HAProxy's buffer. */
const LARGE_BYTES = 100_000;

/** Stands for a cell that knows one link, and refuses others before it has read their bodies. */
async function startCell(knownPath: string): Promise<Server> {
  const server = createServer(async (req, res) => {
    if (req.url === '/healthz') return res.end();
    if (req.url !== knownPath) return res.writeHead(404).end();
    res.end(`${knownPath} got ${(await text(req)).length}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

describe(`links and vendors' webhooks behind the balancer of cells${missing ? ` (skipped: ${missing})` : ''}`, function () {
  this.timeout(60_000);
  const processes = useProcesses();
  let servers: Server[];
  let balancer: Balancer;

  before(async function () {
    if (missing) return this.skip();
    servers = [await startCell('/hooks/vendor/in-a'), await startCell('/hooks/vendor/in-b')];
    const [a, b] = servers.map(
      (server): BalancerTarget => ({
        web: { port: (server.address() as AddressInfo).port },
        mcps: [],
        processes,
      }),
    ) as [BalancerTarget, BalancerTarget];
    balancer = await startBalancer(a, b);
  });
  after(async () => {
    await balancer?.stop();
    for (const server of servers ?? []) server.close();
  });

  /** Sends the headers, and the body in a later packet. */
  const post = async (path: string, bytes: number) => {
    const sent = request(`${balancer.origin}${path}`, {
      method: 'POST',
      headers: { 'content-length': bytes },
      agent: false,
    });
    const answered = new Promise<string>((resolve, reject) => {
      sent.once('response', (res) => text(res).then((body) => resolve(`${res.statusCode} ${body}`), reject));
      sent.once('error', reject);
    });
    sent.flushHeaders();
    await sleep(SPLIT_MS);
    sent.end('x'.repeat(bytes));
    return answered;
  };
  const postAll = async (path: string, bytes: number) => {
    const answers: string[] = [];
    for (let nth = 0; nth < REQUESTS; nth += 1) answers.push(await post(path, bytes));
    return answers;
  };
  const repeat = (answer: string) => Array(REQUESTS).fill(answer);

  it('a webhook whose body comes in a later packet reaches the cell that knows its link, whole', async () => {
    for (const path of ['/hooks/vendor/in-a', '/hooks/vendor/in-b'])
      expect(await postAll(path, 2000)).to.deep.equal(repeat(`200 ${path} got 2000`));
  });

  it('a webhook that is larger than the buffer reaches an account that did not move', async () => {
    const path = '/hooks/vendor/in-a';
    expect(await postAll(path, LARGE_BYTES)).to.deep.equal(repeat(`200 ${path} got ${LARGE_BYTES}`));
  });

  it('a link that no cell knows is answered with 404', async () => {
    expect(await post('/hooks/vendor/nowhere', 10)).to.match(/^404 /);
  });
});
