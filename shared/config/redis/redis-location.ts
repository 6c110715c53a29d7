export interface RedisNode {
  host: string;
  port: number;
}

interface RedisAccess {
  /** The servers of REDIS_URL: one Redis, the sentinels, or some nodes of the cluster. */
  nodes: RedisNode[];
  username: string | undefined;
  password: string | undefined;
  /** Undefined without TLS. Without `ca`, Node's own list of authorities applies. */
  tls: { ca: string | undefined } | undefined;
  /** The IP version of the address to look up: 4 or 6, or 0 for both. */
  family: number | undefined;
}

/** Where the queues, the broadcasts and the limits of a scaled-out deployment are. */
export type RedisLocation = RedisAccess &
  (
    | { kind: 'single'; db: number }
    | {
        kind: 'sentinel';
        db: number;
        /** The name under which the sentinels watch the master. */
        name: string;
        sentinelUsername: string | undefined;
        sentinelPassword: string | undefined;
      }
    | { kind: 'cluster' }
  );

/** Names the servers of REDIS_URL without a password, for log entries. */
export function formatRedisNodes({ nodes }: Pick<RedisLocation, 'nodes'>): string {
  return nodes.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`).join(',');
}
