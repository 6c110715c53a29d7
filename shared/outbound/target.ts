import { isIP } from 'node:net';
import { isAllowedAddress, isLoopback, type OutboundRules } from './addresses.js';
import { OutboundError } from './outbound-error.js';

export interface Target {
  /** Scheme, host and port. Requests to one origin may share a socket. */
  origin: string;
  /** Name or IP address; IPv6 without brackets. */
  hostname: string;
  port: number;
  path: string;
  isSecure: boolean;
}

interface Refusal {
  kind: 'invalid_url' | 'blocked_address';
  reason: string;
}

const ALLOWED_LOW_PORTS: readonly number[] = [80, 443];

/**
 * Checks the text of a URL: scheme, user name, port, IP addresses in every notation and names of
 * this machine. The API calls this function when it stores an endpoint. The client checks the
 * resolved addresses at each connection.
 * @returns the end of a sentence ("must …"), or undefined if the URL is allowed
 */
export function findUrlProblem(url: string, rules: OutboundRules): string | undefined {
  return URL.canParse(url) ? findRefusal(new URL(url), rules)?.reason : NOT_A_URL;
}

/** @throws {OutboundError} if the URL is refused */
export function parseTarget(url: string, rules: OutboundRules): Target {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed) throw new OutboundError('invalid_url', `The address ${NOT_A_URL}.`);
  const refusal = findRefusal(parsed, rules);
  if (refusal) throw new OutboundError(refusal.kind, `The address ${refusal.reason}.`);
  return {
    origin: parsed.origin,
    hostname: parseHostname(parsed),
    port: parsePort(parsed),
    path: parsed.pathname + parsed.search,
    isSecure: parsed.protocol === 'https:',
  };
}

/**
 * True for `localhost` and names that end with `.localhost`, which mean this machine whatever DNS
 * says (RFC 6761).
 */
export function isLocalhost(hostname: string): boolean {
  return /(^|\.)localhost\.?$/.test(hostname);
}

const NOT_A_URL = 'must be a URL such as https://example.com/hooks';
const NOT_PUBLIC = 'must be reachable over the public internet';

function findRefusal(url: URL, rules: OutboundRules): Refusal | undefined {
  const hostname = parseHostname(url);
  const isAllowedScheme = url.protocol === 'https:' || (rules.allowHttp && url.protocol === 'http:');
  if (!isAllowedScheme) {
    return { kind: 'invalid_url', reason: `must begin with https://${rules.allowHttp ? ' or http://' : ''}` };
  }
  if (url.username || url.password) {
    return { kind: 'invalid_url', reason: 'must not contain a user name or password; send them in a header' };
  }
  const isThisMachine = isLocalhost(hostname) || (isIP(hostname) > 0 && isLoopback(hostname));
  if (isThisMachine && !rules.allowLoopback) return { kind: 'blocked_address', reason: NOT_PUBLIC };
  if (isIP(hostname) > 0 && !isAllowedAddress(hostname, rules)) {
    return { kind: 'blocked_address', reason: NOT_PUBLIC };
  }
  const port = parsePort(url);
  // Lower ports belong to services such as mail and SSH, which a tenant could attack with a POST.
  const isAllowedPort = port >= 1024 || ALLOWED_LOW_PORTS.includes(port) || (isThisMachine && port > 0);
  if (!isAllowedPort) return { kind: 'invalid_url', reason: 'must use port 80, 443 or a port from 1024' };
  return undefined;
}

function parseHostname({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

function parsePort({ port, protocol }: URL): number {
  if (port) return Number(port);
  return protocol === 'https:' ? 443 : 80;
}
