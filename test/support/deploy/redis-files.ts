/** The configuration of docs/deploy/redis, with the addresses and passwords of a test. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildTimes, readDeployFile } from './deploy-files.js';

export const PASSWORDS = {
  admin: 'admin',
  /** Contains characters that a URL must contain percent-encoded. */
  tow: 'a/b@c:d%e',
  replica: 'replica',
  monitor: 'monitor',
  sentinel: 'sentinel',
  towSentinel: 's&t=u',
};

/** The files of a certificate in PEM. */
export interface CertificateFiles {
  caFile: string;
  certificateFile: string;
  keyFile: string;
}

/** Arguments of redis-cli for the user that may do everything. */
export const ADMIN_CLI = ['--user', 'admin', '-a', PASSWORDS.admin];

/** Writes the users of docs/deploy/redis into a folder. Returns the path of the file. */
export function writeUsers(folder: string): string {
  const file = join(folder, 'users.acl');
  const users = readDeployFile('redis/users.acl', {
    'change-me-admin': PASSWORDS.admin,
    'change-me-tow': PASSWORDS.tow,
    'change-me-replica': PASSWORDS.replica,
    'change-me-monitor': PASSWORDS.monitor,
  });
  writeFileSync(file, users);
  return file;
}

function replaceTls({ caFile, certificateFile, keyFile }: CertificateFiles): Record<string, string> {
  return {
    '/etc/redis/tls/redis.pem': certificateFile,
    '/etc/redis/tls/redis.key': keyFile,
    '/etc/redis/tls/ca.pem': caFile,
  };
}

interface RedisOptions {
  port: number;
  /** The server's own folder. */
  folder: string;
  certificates: CertificateFiles;
  /** Makes the server a replica of the server at this port. */
  masterPort?: number | undefined;
}

/** Writes the configuration of a Redis into its folder. Returns the path of the file. */
export function writeRedisConfig({ port, folder, certificates, masterPort }: RedisOptions): string {
  const file = join(folder, 'redis.conf');
  const config = readDeployFile('redis/redis.conf', {
    'bind 10.0.0.31': 'bind 127.0.0.1',
    'tls-port 6379': `tls-port ${port}`,
    '/etc/redis/users.acl': writeUsers(folder),
    'change-me-replica': PASSWORDS.replica,
    '/var/lib/redis': folder,
    ...replaceTls(certificates),
    ...(masterPort ? { '# replicaof 10.0.0.31 6379': `replicaof 127.0.0.1 ${masterPort}` } : {}),
  });
  writeFileSync(file, config);
  return file;
}

/** Writes the configuration of a sentinel into its folder. Returns the path of the file. */
export function writeSentinelConfig(options: Required<RedisOptions>): string {
  const { port, folder, certificates, masterPort } = options;
  const file = join(folder, 'sentinel.conf');
  const config = readDeployFile('redis/sentinel.conf', {
    ...buildTimes('redis/sentinel.conf'),
    'bind 10.0.0.34': 'bind 127.0.0.1',
    'tls-port 26379': `tls-port ${port}`,
    'monitor tow 10.0.0.31 6379': `monitor tow 127.0.0.1 ${masterPort}`,
    '/var/lib/redis': folder,
    ...replaceTls(certificates),
    'change-me-sentinel': PASSWORDS.sentinel,
    'change-me-tow-sentinel': PASSWORDS.towSentinel,
    'change-me-monitor': PASSWORDS.monitor,
  });
  writeFileSync(file, config);
  return file;
}
