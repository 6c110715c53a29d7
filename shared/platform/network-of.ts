import { isIPv6 } from 'node:net';
import { groupsOf } from './outbound/addresses.js';

/**
 * The network that limits per address count for: an IPv4 address as it is, of an IPv6 address its
 * first 56 bits. Providers hand a customer 2^64 addresses or more, commonly a /56 (RIPE-690,
 * section 4.2), so that a limit per single address would stop nobody.
 */
export function networkOf(address: string): string {
  const [plain = ''] = address.split('%');
  if (!isIPv6(plain)) return plain;
  const groups = groupsOf(plain);
  const [first = 0, second = 0, third = 0, fourth = 0, , sixth = 0, seventh = 0, eighth = 0] = groups;
  const isMapped = sixth === 0xffff && groups.slice(0, 5).every((group) => group === 0);
  if (isMapped) return [seventh >> 8, seventh & 0xff, eighth >> 8, eighth & 0xff].join('.');
  return `${[first, second, third, fourth & 0xff00].map((group) => group.toString(16)).join(':')}::/56`;
}
