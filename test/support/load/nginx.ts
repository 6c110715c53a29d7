/** Runs the nginx configuration of the operators' guide, in front of processes of a test. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../poll.js';
import { getFreePort } from '../stores.js';
import type { DeployedService } from './deployed-service.js';
import type { Deployment } from './deployment.js';
import { fetchStatus, PROJECT } from './processes.js';

/** Debian keeps nginx where only root's PATH leads. */
const PATH = `${process.env.PATH}:/usr/sbin`;
const TEMP_PATHS = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

export interface Nginx {
  origin: string;
  /** Ends nginx after the requests that it has accepted. */
  stop: () => Promise<void>;
}

/**
 * Starts nginx in front of all web and mcp processes of a deployment. Resolves once a web process
 * is ready behind it.
 */
export async function startNginx({ webs, mcps, processes }: Deployment): Promise<Nginx> {
  const port = await getFreePort();
  const folder = await processes.createFolder();
  await writeFile(join(folder, 'nginx.conf'), await buildConfig(folder, { port, webs, mcps }));
  const nginx = processes.start({
    command: ['nginx', '-e', 'stderr', '-p', folder, '-c', join(folder, 'nginx.conf')],
    env: { PATH },
  });
  const origin = `http://127.0.0.1:${port}`;
  await eventually('a response through nginx', async () => {
    if (nginx.end) throw new Error(nginx.output);
    return (await fetchStatus(`${origin}/readyz`)) === 200;
  });
  return {
    origin,
    stop: async () => {
      await nginx.stop('SIGQUIT');
    },
  };
}

/**
 * Builds a complete configuration from the server block of the guide, with other addresses. With
 * this configuration, nginx writes only to `folder`.
 */
async function buildConfig(
  folder: string,
  { port, webs, mcps }: { port: number; webs: DeployedService[]; mcps: DeployedService[] },
): Promise<string> {
  const guide = await readFile(join(PROJECT, 'docs/guides/operators.md'), 'utf8');
  const block = /```nginx\n([\s\S]*?)```/.exec(guide)?.[1] ?? '';
  const list = (services: DeployedService[]) =>
    services.map((service) => `server 127.0.0.1:${service.port} max_fails=0;`).join(' ');
  const changed = [
    ['server 127.0.0.1:3000 max_fails=0;', list(webs)],
    ['server 127.0.0.1:3001 max_fails=0;', list(mcps)],
    ['listen 8080;', `listen 127.0.0.1:${port};`],
  ].reduce((text, [original = '', replacement = '']) => {
    if (!text.includes(original)) throw new Error(`the guide's nginx configuration has no "${original}"`);
    return text.replace(original, replacement);
  }, block);
  const temporary = TEMP_PATHS.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ');
  const user = process.geteuid?.() === 0 ? 'user root;' : '';
  return `${user} daemon off; pid ${folder}/pid; error_log stderr; events {} http { access_log off; ${temporary} ${changed} }`;
}
