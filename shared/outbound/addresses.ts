import { BlockList, isIPv4, isIPv6 } from 'node:net';

export interface OutboundRules {
  /** Allows 127.0.0.0/8 and ::1, for receivers on a developer's machine. */
  allowLoopback: boolean;
  /** Allows `http:` in addition to `https:`. */
  allowHttp: boolean;
}

/**
 * The IPv4 addresses that requests may not go to: all ranges outside the public internet (IANA
 * special-purpose registry), and one address of Azure.
 */
const REFUSED_V4 = buildBlockList('ipv4', [
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
  // This address is public. Inside Azure, it belongs to the physical host of a virtual machine.
  '168.63.129.16/32',
]);

/**
 * The only IPv6 range that IANA assigns to the public internet. It excludes loopback, link-local,
 * site-local, unique local and multicast addresses. It also excludes the mapped, compatible and
 * NAT64 forms of IPv4 addresses.
 */
const GLOBAL_V6 = buildBlockList('ipv6', ['2000::/3']);

const REFUSED_V6 = buildBlockList('ipv6', [
  // Teredo, benchmarking and ORCHID addresses. Web servers never have such an address.
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
]);

const LOOPBACK_V4 = buildBlockList('ipv4', ['127.0.0.0/8']);
const LOOPBACK_V6 = buildBlockList('ipv6', ['::1/128']);

function buildBlockList(family: 'ipv4' | 'ipv6', list: string[]): BlockList {
  const blockList = new BlockList();
  for (const subnet of list) {
    const [network = '', bits] = subnet.split('/');
    blockList.addSubnet(network, Number(bits), family);
  }
  return blockList;
}

/**
 * True for an IP address that requests may go to. False for names and for addresses with a zone id.
 */
export function isAllowedAddress(address: string, { allowLoopback }: { allowLoopback: boolean }): boolean {
  if (isIPv4(address)) {
    if (LOOPBACK_V4.check(address, 'ipv4')) return allowLoopback;
    return !REFUSED_V4.check(address, 'ipv4');
  }
  if (!isIPv6(address) || address.includes('%')) return false;
  if (LOOPBACK_V6.check(address, 'ipv6')) return allowLoopback;
  return GLOBAL_V6.check(address, 'ipv6') && !REFUSED_V6.check(address, 'ipv6') && !isIsatap(address);
}

export function isLoopback(address: string): boolean {
  return isIPv4(address) ? LOOPBACK_V4.check(address, 'ipv4') : LOOPBACK_V6.check(address, 'ipv6');
}

/**
 * True for an ISATAP address, which ends with the interface id 0:5efe or 200:5efe and an IPv4
 * address. An ISATAP router forwards packets to that IPv4 address, which may be private.
 */
function isIsatap(address: string): boolean {
  const groups = parseIpv6Groups(address);
  const [first = 0, second = 0] = groups.slice(4);
  // The mask ignores the "universal" and "group" bits of the interface id, which may have either
  // value.
  return (first & 0xfcff) === 0 && second === 0x5efe;
}

/** Returns the eight 16-bit groups of an IPv6 address in any notation. */
export function parseIpv6Groups(address: string): number[] {
  // The URL parser writes every notation in hexadecimal, even an embedded IPv4 address.
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::').map((part) => part.split(':').filter(Boolean));
  const filled = tail ? [...head, ...Array(8 - head.length - tail.length).fill('0'), ...tail] : [...head];
  return filled.map((group) => Number.parseInt(group, 16));
}
