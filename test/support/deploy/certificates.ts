import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CertificateFiles } from './redis-files.js';

export interface LocalCertificates extends CertificateFiles {
  cliArgs: string[];
}

/**
 * Makes a certificate authority in the folder, and a certificate for this machine that the
 * authority has signed.
 */
export function createCertificates(folder: string, name = 'local'): LocalCertificates {
  const at = (file: string) => join(folder, `${name}-${file}`);
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  writeFileSync(at('names'), 'subjectAltName=DNS:localhost,IP:127.0.0.1\n');
  const authority = ['-keyout', at('ca.key'), '-out', at('ca.pem'), '-subj', `/CN=${name} authority`];
  openssl('req', '-x509', ...newKey, ...authority, '-days', '2');
  openssl('req', ...newKey, '-keyout', at('key'), '-out', at('csr'), '-subj', '/CN=localhost');
  const signer = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial'];
  const signed = ['-out', at('pem'), '-days', '2', '-extfile', at('names')];
  openssl('x509', '-req', '-in', at('csr'), ...signer, ...signed);
  return {
    caFile: at('ca.pem'),
    certificateFile: at('pem'),
    keyFile: at('key'),
    cliArgs: ['--tls', '--cacert', at('ca.pem')],
  };
}

function openssl(...args: string[]): void {
  const { status, stderr } = spawnSync('openssl', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`openssl ${args[0]} failed: ${stderr}`);
}
