/** Runs docs/deploy/nginx/tow.conf, in front of processes of a test. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createCertificates } from '../deploy/certificates.js';
import { readDeployFile } from '../deploy/deploy-files.js';
import { eventually } from '../poll.js';
import { getFreePort } from '../stores.js';
import type { DeployedService } from './deployed-service.js';
import type { Deployment } from './deployment.js';
import { fetchStatus } from './processes.js';

/** Debian keeps nginx where only root's PATH leads. */
const PATH = `${process.env.PATH}:/usr/sbin`;
const TEMP_PATHS = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

export interface Nginx {
  /** An address without TLS, for clients that trust no authority of a test. */
  origin: string;
  tlsOrigin: string;
  /** The address that leads to `https`. */
  redirectingOrigin: string;
  /** The authority that signed the certificate. */
  caFile: string;
  /** Ends nginx after the requests that it has accepted. */
  stop: () => Promise<void>;
}

/**
 * Starts nginx in front of all web and mcp processes of a deployment. Resolves once a web process
 * responds behind it.
 * @param port the port without TLS; default: a free one
 */
export async function startNginx(deployment: Deployment, port?: number): Promise<Nginx> {
  const { processes } = deployment;
  const folder = await processes.createFolder();
  const { caFile, certificateFile, keyFile } = createCertificates(folder);
  const ports = { plain: port ?? (await getFreePort()), tls: await getFreePort(), old: await getFreePort() };
  const tow = readDeployFile('nginx/tow.conf', {
    ...replaceServers(deployment),
    'listen 80;': `listen 127.0.0.1:${ports.old};`,
    'listen 443 ssl;': `listen 127.0.0.1:${ports.tls} ssl; listen 127.0.0.1:${ports.plain};`,
    '/etc/tow/tls/api.pem': certificateFile,
    '/etc/tow/tls/api.key': keyFile,
  });
  await writeFile(join(folder, 'nginx.conf'), completeConfig(tow, folder));
  const nginx = processes.start({
    command: ['nginx', '-e', 'stderr', '-p', folder, '-c', join(folder, 'nginx.conf')],
    env: { PATH },
  });
  const origin = `http://127.0.0.1:${ports.plain}`;
  await eventually('a response through nginx', async () => {
    if (nginx.end) throw new Error(nginx.output);
    return (await fetchStatus(`${origin}/healthz`)) === 200;
  });
  return {
    origin,
    tlsOrigin: `https://127.0.0.1:${ports.tls}`,
    redirectingOrigin: `http://127.0.0.1:${ports.old}`,
    caFile,
    stop: async () => {
      await nginx.stop('SIGQUIT');
    },
  };
}

/** Builds the replacements of the two servers that each upstream of the file lists. */
function replaceServers({ webs, mcps }: Deployment): Record<string, string> {
  const list = (services: DeployedService[]) =>
    services.map((service) => `server 127.0.0.1:${service.port} max_fails=0;`).join(' ');
  return {
    'server 10.0.0.41:3000 max_fails=0;': list(webs),
    'server 10.0.0.42:3000 max_fails=0;': '',
    'server 10.0.0.41:3001 max_fails=0;': list(mcps),
    'server 10.0.0.42:3001 max_fails=0;': '',
  };
}

/** Completes the file to a configuration with which nginx writes only to `folder`. */
function completeConfig(tow: string, folder: string): string {
  const temporary = TEMP_PATHS.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ');
  const user = process.geteuid?.() === 0 ? 'user root;' : '';
  return `${user} daemon off; pid ${folder}/pid; error_log stderr; events {} http { access_log off; ${temporary}\n${tow} }`;
}
