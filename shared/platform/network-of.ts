import { isIPv6 } from 'node:net';
import { groupsOf } from './outbound/addresses.js';

/**
 * The network that limits per address count for: an IPv4 address as it is, of an IPv6 address its
 * first 56 bits. Providers hand a customer 2^64 addresses or more, commonly a /56 (RIPE-690,
 * section 4.2), so that a limit per single address would stop nobody.
 */
export function networkOf(address: string): string {
  const { ipv4, groups } = parse(address);
  return ipv4 ?? prefixOf(groups, 56);
}

/**
 * The block of addresses that anyone can easily have as a whole: of IPv4 the first 24 bits, of IPv6
 * the first 48 (RIPE-690, section 4.2). Its 256 networks must not count as 256 strangers.
 */
export function siteOf(address: string): string {
  const { ipv4, groups } = parse(address);
  return ipv4?.replace(/\.\d+$/, '.0/24') ?? prefixOf(groups, 48);
}

/** What is no IPv6 address is taken for one of IPv4. */
function parse(address: string): { ipv4?: string; groups: number[] } {
  const [plain = ''] = address.split('%');
  if (!isIPv6(plain)) return { ipv4: plain, groups: [] };
  const groups = groupsOf(plain);
  const [, , , , , sixth = 0, seventh = 0, eighth = 0] = groups;
  const isMapped = sixth === 0xffff && groups.slice(0, 5).every((group) => group === 0);
  if (!isMapped) return { groups };
  return { ipv4: [seventh >> 8, seventh & 0xff, eighth >> 8, eighth & 0xff].join('.'), groups };
}

function prefixOf(groups: readonly number[], bits: 48 | 56): string {
  const [first = 0, second = 0, third = 0, fourth = 0] = groups;
  const kept = bits === 48 ? [first, second, third] : [first, second, third, fourth & 0xff00];
  return `${kept.map((group) => group.toString(16)).join(':')}::/${bits}`;
}
