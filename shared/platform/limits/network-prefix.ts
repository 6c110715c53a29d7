import { isIPv6 } from 'node:net';
import { parseIpv6Groups } from '../../outbound/addresses.js';

/**
 * Returns the network that limits treat as one client: a whole IPv4 address, or the first 56 bits
 * of an IPv6 address. Providers assign a customer 2^64 or more IPv6 addresses, commonly a /56
 * (RIPE-690, section 4.2). A limit per IPv6 address would therefore not stop an attacker.
 */
export function findNetworkPrefix(address: string): string {
  const { ipv4, groups } = parse(address);
  return ipv4 ?? formatPrefix(groups, 56);
}

/**
 * Returns the block of addresses that one owner can easily control (RIPE-690, section 4.2). It is
 * the first 24 bits of an IPv4 address, or the first 48 bits of an IPv6 address. Limits must not
 * treat the 256 networks in such a block as 256 independent clients.
 */
export function findSitePrefix(address: string): string {
  const { ipv4, groups } = parse(address);
  return ipv4?.replace(/\.\d+$/, '.0/24') ?? formatPrefix(groups, 48);
}

/**
 * Returns `ipv4` for an IPv4 address, for an IPv4 address mapped to IPv6, and for any text that is
 * not an IPv6 address.
 */
function parse(address: string): { ipv4?: string; groups: number[] } {
  const [plain = ''] = address.split('%');
  if (!isIPv6(plain)) return { ipv4: plain, groups: [] };
  const groups = parseIpv6Groups(plain);
  const [, , , , , sixth = 0, seventh = 0, eighth = 0] = groups;
  const isMapped = sixth === 0xffff && groups.slice(0, 5).every((group) => group === 0);
  if (!isMapped) return { groups };
  return { ipv4: [seventh >> 8, seventh & 0xff, eighth >> 8, eighth & 0xff].join('.'), groups };
}

function formatPrefix(groups: readonly number[], bits: 48 | 56): string {
  const [first = 0, second = 0, third = 0, fourth = 0] = groups;
  const kept = bits === 48 ? [first, second, third] : [first, second, third, fourth & 0xff00];
  return `${kept.map((group) => group.toString(16)).join(':')}::/${bits}`;
}
