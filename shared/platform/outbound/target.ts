import { isIP } from 'node:net';
import { isAllowedAddress, isLoopback, type OutboundRules } from './addresses.js';
import { OutboundError } from './outbound-error.js';

/** Where a request goes, taken from a URL whose form has been checked. */
export interface Target {
  /** Scheme, host and port: requests of one origin may share a socket. */
  origin: string;
  /** Name or address, without the brackets of IPv6. */
  hostname: string;
  port: number;
  /** Path and query. */
  path: string;
  isSecure: boolean;
}

interface Refusal {
  kind: 'invalid_url' | 'blocked_address';
  why: string;
}

const PRIVILEGED_PORTS: readonly number[] = [80, 443];

/**
 * For the API when an endpoint is saved: the end of a sentence ("must …") when the URL is refused. It sees the form only (scheme, userinfo, port, addresses
 * in every notation, names of this machine); what a name resolves to is decided when it is connected to, each time.
 */
export function refuseUrl(url: string, rules: OutboundRules): string | undefined {
  return URL.canParse(url) ? refusalOf(new URL(url), rules)?.why : NOT_A_URL;
}

/** @throws {OutboundError} when the form of the URL is refused. */
export function targetOf(url: string, rules: OutboundRules): Target {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed) throw new OutboundError('invalid_url', `The address ${NOT_A_URL}.`);
  const refusal = refusalOf(parsed, rules);
  if (refusal) throw new OutboundError(refusal.kind, `The address ${refusal.why}.`);
  return {
    origin: parsed.origin,
    hostname: hostnameOf(parsed),
    port: portOf(parsed),
    path: parsed.pathname + parsed.search,
    isSecure: parsed.protocol === 'https:',
  };
}

/** Names that mean this machine whatever a name server says (RFC 6761). */
export function isLocalhost(hostname: string): boolean {
  return /(^|\.)localhost\.?$/.test(hostname);
}

const NOT_A_URL = 'must be a URL such as https://example.com/hooks';
const NOT_PUBLIC = 'must be reachable over the public internet';

function refusalOf(url: URL, rules: OutboundRules): Refusal | undefined {
  const hostname = hostnameOf(url);
  const isAllowedScheme = url.protocol === 'https:' || (rules.allowHttp && url.protocol === 'http:');
  if (!isAllowedScheme) {
    return { kind: 'invalid_url', why: `must begin with https://${rules.allowHttp ? ' or http://' : ''}` };
  }
  if (url.username || url.password) {
    return { kind: 'invalid_url', why: 'must not hold a user name or password; send them in a header' };
  }
  const isHere = isLocalhost(hostname) || (isIP(hostname) > 0 && isLoopback(hostname));
  if (isHere && !rules.allowLoopback) return { kind: 'blocked_address', why: NOT_PUBLIC };
  if (isIP(hostname) > 0 && !isAllowedAddress(hostname, rules)) {
    return { kind: 'blocked_address', why: NOT_PUBLIC };
  }
  const port = portOf(url);
  // Below are mail, SSH and the like: a POST to them is somebody's attack.
  const isAllowedPort = port >= 1024 || PRIVILEGED_PORTS.includes(port) || (isHere && port > 0);
  if (!isAllowedPort) return { kind: 'invalid_url', why: 'must use port 80, 443 or one from 1024' };
  return undefined;
}

function hostnameOf({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

function portOf({ port, protocol }: URL): number {
  if (port) return Number(port);
  return protocol === 'https:' ? 443 : 80;
}
