import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** What this process may call. */
export interface OutboundRules {
  /** 127.0.0.0/8 and ::1, for receivers on a developer's machine; nothing else that is not public. */
  allowLoopback: boolean;
  /** `http:` beside `https:`. */
  allowHttp: boolean;
}

/** Everything of IPv4 that is not the public internet (IANA's special purposes), and the one public address that is a cloud's inside. */
const REFUSED_V4 = subnets('ipv4', [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Azure answers there as the host of the machine that asks.
  '168.63.129.16/32',
]);

/**
 * The only part of IPv6 that is given out. All forms that carry an IPv4 address elsewhere (mapped, compatible, NAT64) lie outside, as do loopback,
 * link-local, site-local, unique local and multicast.
 */
const GLOBAL_V6 = subnets('ipv6', ['2000::/3']);

const REFUSED_V6 = subnets('ipv6', [
  // Teredo, benchmarking, ORCHID: protocols' own addresses, nobody's web server.
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
]);

const LOOPBACK_V4 = subnets('ipv4', ['127.0.0.0/8']);
const LOOPBACK_V6 = subnets('ipv6', ['::1/128']);

function subnets(family: 'ipv4' | 'ipv6', list: string[]): BlockList {
  const found = new BlockList();
  for (const subnet of list) {
    const [network = '', bits] = subnet.split('/');
    found.addSubnet(network, Number(bits), family);
  }
  return found;
}

/** Whether a socket may be connected to this address. What is no plain IP address (a name, a zone id) is never allowed. */
export function isAllowedAddress(address: string, { allowLoopback }: { allowLoopback: boolean }): boolean {
  if (isIPv4(address)) {
    if (LOOPBACK_V4.check(address, 'ipv4')) return allowLoopback;
    return !REFUSED_V4.check(address, 'ipv4');
  }
  if (!isIPv6(address) || address.includes('%')) return false;
  if (LOOPBACK_V6.check(address, 'ipv6')) return allowLoopback;
  return GLOBAL_V6.check(address, 'ipv6') && !REFUSED_V6.check(address, 'ipv6') && !isIsatap(address);
}

/** Whether an IP address is this very machine. */
export function isLoopback(address: string): boolean {
  return isIPv4(address) ? LOOPBACK_V4.check(address, 'ipv4') : LOOPBACK_V6.check(address, 'ipv6');
}

/** ISATAP: any prefix whose interface id is 0:5efe or 200:5efe and an IPv4 address; a router of the site sends it on to that one. */
function isIsatap(address: string): boolean {
  const groups = groupsOf(address);
  const [first = 0, second = 0] = groups.slice(4);
  // The bits "universal" and "group" of an interface id may be either.
  return (first & 0xfcff) === 0 && second === 0x5efe;
}

/** The eight numbers of an IPv6 address. */
export function groupsOf(address: string): number[] {
  // The URL parser writes all forms as one: hexadecimal, the IPv4 ending too.
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::').map((part) => part.split(':').filter(Boolean));
  const filled = tail ? [...head, ...Array(8 - head.length - tail.length).fill('0'), ...tail] : [...head];
  return filled.map((group) => Number.parseInt(group, 16));
}
