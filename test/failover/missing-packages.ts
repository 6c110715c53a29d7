import { findOtherPostgresFolders } from '../support/load/other-postgres.js';
import { hasProgram } from '../support/redis/programs.js';

/** The programs of the stack, and Debian's packages of them. */
export const PACKAGES = {
  etcd: 'etcd-server',
  patroni: 'patroni',
  haproxy: 'haproxy',
  nginx: 'nginx-light',
  'redis-server': 'redis-server',
  'redis-sentinel': 'redis-sentinel',
  openssl: 'openssl',
};

/** Returns what is missing on this machine, and how to install it; undefined if nothing is. */
export function describeMissing(has: (program: string) => boolean = hasProgram): string | undefined {
  const programs = Object.entries(PACKAGES).filter(([program]) => !has(program));
  if (findOtherPostgresFolders().length === 0)
    programs.push(['a PostgreSQL server in /usr/lib/postgresql', 'postgresql']);
  if (programs.length === 0) return undefined;
  const names = programs.map(([program]) => program).join(', ');
  const packages = programs.map(([, name]) => name).join(' ');
  return `This machine lacks: ${names}. Install with: apt-get install --no-install-recommends ${packages}`;
}
