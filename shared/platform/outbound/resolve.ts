import { Resolver } from 'node:dns/promises';

/** All addresses of a name, of both families. @throws when there is none. */
export type Resolve = (hostname: string) => Promise<string[]>;

const MAX_AGE_MS = 60_000;

/**
 * Asks the name servers itself (c-ares) instead of the system's `getaddrinfo`: that one has four threads for the whole process, which a few names whose
 * servers never answer would hold for everybody. So neither /etc/hosts nor search domains count here.
 * @param servers tests only: other servers than the system's
 */
export function createResolve(servers?: string[]): Resolve {
  let resolver = newResolver(servers);
  let madeAt = performance.now();
  return async (hostname) => {
    if (performance.now() - madeAt > MAX_AGE_MS) {
      // A resolver reads /etc/resolv.conf once.
      resolver = newResolver(servers);
      madeAt = performance.now();
    }
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length === 0) throw new Error('no addresses');
    return addresses;
  };
}

function newResolver(servers: string[] | undefined): Resolver {
  const resolver = new Resolver({ timeout: 1500, tries: 2 });
  if (servers) resolver.setServers(servers);
  return resolver;
}
