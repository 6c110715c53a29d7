import type { RedisLocation, RedisNode } from './redis-location.js';

type Kind = RedisLocation['kind'];

const SHAPE = /^(rediss?)(?:\+(sentinel|cluster))?:\/\/([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?(#.*)?$/i;
const DEFAULT_PORT: Record<Kind, number> = { single: 6379, sentinel: 26_379, cluster: 6379 };
const PARAMETERS: Record<Kind, readonly string[]> = {
  single: ['db', 'family'],
  sentinel: ['db', 'family', 'sentinel_user', 'sentinel_password'],
  cluster: ['family'],
};
const HOST = /^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?\.?$/;
const IPV6 = /^\[([0-9A-Fa-f:.]+)\]$/;

export const REDIS_SCHEMES =
  'redis://, redis+sentinel:// or redis+cluster://, or with TLS rediss://, rediss+sentinel:// or rediss+cluster://';

/** A location, apart from the certificate authority, which another setting names. */
type ParsedLocation = RedisLocation & { tls: { ca: undefined } | undefined };

/**
 * Parses REDIS_URL. `URL` cannot, because it refuses several addresses. No fault contains a part of
 * the text, because a password that is not percent-encoded can be in any part.
 */
export function parseRedisUrl(text: string): { location?: ParsedLocation; faults: string[] } {
  const [, scheme = '', suffix, authority = '', path = '', query = '', fragment] = SHAPE.exec(text) ?? [];
  if (!scheme) return { faults: [`it must begin with ${REDIS_SCHEMES}`] };
  const kind = (suffix?.toLowerCase() ?? 'single') as Kind;
  const faults: string[] = [];
  if (fragment !== undefined) faults.push('it contains #; write # in a password as %23');
  if (path.includes('@')) faults.push('it contains / before @; write / in a password as %2F');
  const at = authority.lastIndexOf('@');
  const login = parseLogin(at < 0 ? '' : authority.slice(0, at), faults);
  const nodes = parseNodes(authority.slice(at + 1), kind, faults);
  const parameters = parseParameters(query, kind, faults);
  const place = parsePath(path, kind, faults);
  if (place.db !== undefined && parameters.db !== undefined)
    faults.push('it names the database twice: after / and as db');
  if (faults.length > 0) return { faults };
  const access = {
    nodes,
    ...login,
    tls: scheme.toLowerCase() === 'rediss' ? { ca: undefined } : undefined,
    family: parameters.family,
  };
  if (kind === 'cluster') return { faults, location: { ...access, kind } };
  const db = place.db ?? parameters.db ?? 0;
  if (kind === 'single') return { faults, location: { ...access, kind, db } };
  const { sentinelUsername, sentinelPassword } = parameters;
  return { faults, location: { ...access, kind, db, name: place.name, sentinelUsername, sentinelPassword } };
}

interface Login {
  username: string | undefined;
  password: string | undefined;
}

function parseLogin(text: string, faults: string[]): Login {
  if (text.includes('@')) faults.push('it contains @ twice; write @ in a password as %40');
  const colon = text.indexOf(':');
  const username = decode(colon < 0 ? text : text.slice(0, colon), 'user name', faults) || undefined;
  const password = decode(colon < 0 ? '' : text.slice(colon + 1), 'password', faults) || undefined;
  if (username && !password) faults.push('it has a user name without a password; write user:password@');
  return { username, password };
}

function decode(text: string, label: string, faults: string[]): string {
  try {
    return decodeURIComponent(text);
  } catch {
    faults.push(`its ${label} is not percent-encoded; write % as %25`);
    return '';
  }
}

function parseNodes(text: string, kind: Kind, faults: string[]): RedisNode[] {
  if (text === '') {
    faults.push('it names no host');
    return [];
  }
  const parts = text.split(',');
  if (kind === 'single' && parts.length > 1)
    faults.push('it names several addresses; use redis+sentinel:// or redis+cluster:// for them');
  return parts.map((part, nth) => {
    const label = parts.length > 1 ? `address ${nth + 1}` : 'the address';
    const [, name = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(part) ?? [];
    const host = IPV6.exec(name)?.[1] ?? name;
    if (host === '') faults.push(`${label} has no host`);
    else if (host === name && !HOST.test(host)) faults.push(`${label} has a host that is no host name`);
    const isPort =
      port === undefined || (/^\d{1,5}$/.test(port) && Number(port) > 0 && Number(port) < 65_536);
    if (!isPort) faults.push(`${label} has a port that is not between 1 and 65535`);
    return { host, port: Number(port ?? DEFAULT_PORT[kind]) };
  });
}

interface Parameters {
  db?: number;
  family?: number;
  sentinelUsername: string | undefined;
  sentinelPassword: string | undefined;
}

function parseParameters(query: string, kind: Kind, faults: string[]): Parameters {
  // Unlike in a form, + is not a space.
  const parameters = new URLSearchParams(query.replaceAll('+', '%2B'));
  const names = [...parameters.keys()];
  if (names.some((name) => !PARAMETERS[kind].includes(name)))
    faults.push(`after ? it may have only ${PARAMETERS[kind].join(', ')}`);
  if (new Set(names).size < names.length) faults.push('after ? it has a parameter twice');
  const db = parameters.get('db');
  const family = parameters.get('family');
  if (db !== null && !isDatabase(db)) faults.push('db must be the number of a database');
  if (family !== null && !/^[046]$/.test(family)) faults.push('family must be 4, 6 or 0');
  const sentinelUsername = parameters.get('sentinel_user') || undefined;
  const sentinelPassword = parameters.get('sentinel_password') || undefined;
  if (sentinelUsername && !sentinelPassword) faults.push('sentinel_user needs sentinel_password');
  return {
    ...(db !== null && kind !== 'cluster' && { db: Number(db) }),
    ...(family !== null && { family: Number(family) }),
    sentinelUsername,
    sentinelPassword,
  };
}

/** Parses the part after the addresses: a database, or the master's name for sentinels. */
function parsePath(path: string, kind: Kind, faults: string[]): { db?: number; name: string } {
  if (kind === 'sentinel') {
    if (!/^[\w.-]+$/.test(path)) faults.push('after the addresses it must have / and the name of the master');
    return { name: path };
  }
  if (path === '') return { name: '' };
  if (kind === 'cluster') {
    if (path !== '0') faults.push('a cluster has only the database 0');
  } else if (!isDatabase(path)) faults.push('after / it must have the number of a database');
  return { name: '', ...(kind === 'single' && { db: Number(path) }) };
}

function isDatabase(text: string): boolean {
  return /^\d{1,5}$/.test(text);
}
