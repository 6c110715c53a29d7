import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface RedisCertificates {
  caFile: string;
  /** Arguments for a redis-server that has TLS alone. */
  serverArgs: (port: number) => string[];
  /** The same as lines of a configuration file. */
  configLines: (port: number) => string[];
  cliArgs: string[];
}

/**
 * Makes a certificate authority in the folder, and a certificate for this machine that the
 * authority has signed.
 */
export function createCertificates(folder: string, name = 'redis'): RedisCertificates {
  const at = (file: string) => join(folder, `${name}-${file}`);
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  writeFileSync(at('names'), 'subjectAltName=DNS:localhost,IP:127.0.0.1\n');
  const authority = ['-keyout', at('ca.key'), '-out', at('ca.pem'), '-subj', `/CN=${name} authority`];
  openssl('req', '-x509', ...newKey, ...authority, '-days', '2');
  openssl('req', ...newKey, '-keyout', at('key'), '-out', at('csr'), '-subj', '/CN=redis');
  const signer = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial'];
  const signed = ['-out', at('pem'), '-days', '2', '-extfile', at('names')];
  openssl('x509', '-req', '-in', at('csr'), ...signer, ...signed);
  const options = (port: number): [string, string][] => [
    ['port', '0'],
    ['tls-port', `${port}`],
    ['tls-cert-file', at('pem')],
    ['tls-key-file', at('key')],
    ['tls-ca-cert-file', at('ca.pem')],
    ['tls-auth-clients', 'no'],
    ['tls-replication', 'yes'],
  ];
  return {
    caFile: at('ca.pem'),
    serverArgs: (port) => options(port).flatMap(([option, value]) => [`--${option}`, value]),
    configLines: (port) => options(port).map((option) => option.join(' ')),
    cliArgs: ['--tls', '--cacert', at('ca.pem')],
  };
}

function openssl(...args: string[]): void {
  const { status, stderr } = spawnSync('openssl', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`openssl ${args[0]} failed: ${stderr}`);
}
