import { findOtherPostgresFolders } from '../../support/load/other-postgres.js';
import { PatroniCluster } from '../../support/load/patroni/cluster.js';
import { findMissingProgram } from '../../support/redis/programs.js';

const SERVER = 'PostgreSQL server in /usr/lib/postgresql';

/**
 * Returns what a cluster lacks on this machine.
 * @param others further programs that the tests need
 */
export function findMissing(...others: string[]): string | undefined {
  const program = findMissingProgram('patroni', 'etcd', 'haproxy', ...others);
  if (program || findOtherPostgresFolders().length > 0 || process.env.CI === 'true') return program;
  return `there is no ${SERVER}`;
}

export function startCluster(): Promise<PatroniCluster> {
  const programs = findOtherPostgresFolders().at(-1);
  if (!programs) throw new Error(`this test needs a ${SERVER}`);
  return new PatroniCluster(programs).start();
}
