/** Runs HAProxy with docs/deploy/cells/haproxy.cfg in front of two deployments. */
import { writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { readDeployFile } from '../../deploy/deploy-files.js';
import { eventually } from '../../poll.js';
import { getFreePort } from '../../stores.js';
import type { Deployment } from '../deployment.js';
import { fetchStatus } from '../processes.js';

/** Debian keeps haproxy where only root's PATH leads. */
const PATH = `${process.env.PATH}:/usr/sbin`;

export interface Balancer {
  origin: string;
  /** Adds lines that `tow accounts routes` has printed to the running map. */
  addRoutes: (lines: string) => Promise<void>;
  stop: () => Promise<void>;
}

/** What the balancer needs of a deployment. */
export type BalancerTarget = Pick<Deployment, 'processes'> & {
  web?: { port: number };
  mcps: { port: number }[];
};

/** Starts HAProxy. Resolves once the first deployment is ready behind it. */
export async function startBalancer(a: BalancerTarget, b: BalancerTarget): Promise<Balancer> {
  const port = await getFreePort();
  const folder = await a.processes.createFolder();
  const map = join(folder, 'cells.map');
  const socket = join(folder, 'cells.sock');
  await writeFile(map, '');
  const address = (service: { port: number } | undefined) => `127.0.0.1:${service?.port ?? 1}`;
  const config = readDeployFile('cells/haproxy.cfg', {
    '  user haproxy\n': '',
    '  group haproxy\n': '',
    '/run/haproxy/cells.sock': socket,
    '/etc/haproxy/cells.map': map,
    'bind 127.0.0.1:8080': `bind 127.0.0.1:${port}`,
    '10.0.1.11:3000': address(a.web),
    '10.0.1.11:3001': address(a.mcps[0]),
    '10.0.2.11:3000': address(b.web),
    '10.0.2.11:3001': address(b.mcps[0]),
  });
  const file = join(folder, 'haproxy.cfg');
  await writeFile(file, config);
  const haproxy = a.processes.start({ command: ['haproxy', '-db', '-f', file], env: { PATH } });
  const origin = `http://127.0.0.1:${port}`;
  await eventually('a response through HAProxy', async () => {
    if (haproxy.end) throw new Error(haproxy.output);
    return (await fetchStatus(`${origin}/healthz`)) === 200;
  });
  return {
    origin,
    addRoutes: async (lines) => {
      const answer = await sendToSocket(socket, `add map ${map} <<\n${lines}\n\n`);
      if (answer.trim() !== '') throw new Error(`HAProxy: ${answer}`);
    },
    stop: async () => {
      await haproxy.stop('SIGTERM');
    },
  };
}

function sendToSocket(path: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = createConnection(path, () => socket.end(text));
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      answer += chunk;
    });
    socket.once('error', reject).once('close', () => resolve(answer));
  });
}
