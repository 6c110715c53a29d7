import { Resolver } from 'node:dns/promises';

/**
 * Returns all IPv4 and IPv6 addresses of a name.
 * @throws {Error} if the name has no address
 */
export type ResolveHostname = (hostname: string) => Promise<string[]>;

const MAX_AGE_MS = 60_000;

/**
 * Creates a resolver that queries the name servers directly (c-ares), so /etc/hosts and search
 * domains have no effect. It does not use `getaddrinfo`, whose lookups share four threads per
 * process: a few unresponsive name servers would block every lookup.
 * @param servers replace the system's name servers in tests
 */
export function createHostnameResolver(servers?: string[]): ResolveHostname {
  let resolver = newResolver(servers);
  let createdAt = performance.now();
  return async (hostname) => {
    if (performance.now() - createdAt > MAX_AGE_MS) {
      // A resolver reads /etc/resolv.conf only when it is created, so create a new one regularly.
      resolver = newResolver(servers);
      createdAt = performance.now();
    }
    const results = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    if (addresses.length === 0) throw new Error('no addresses');
    return addresses;
  };
}

function newResolver(servers: string[] | undefined): Resolver {
  const resolver = new Resolver({ timeout: 1500, tries: 2 });
  if (servers) resolver.setServers(servers);
  return resolver;
}
