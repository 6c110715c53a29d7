import { expect } from 'chai';
import { findNetworkPrefix, findSitePrefix } from '../../../shared/platform/limits/network-prefix.js';

describe('network prefix of an address', () => {
  for (const [address, network] of [
    ['192.0.2.9', '192.0.2.9'],
    ['::ffff:192.0.2.9', '192.0.2.9'],
    ['::ffff:c000:209', '192.0.2.9'],
    ['2001:db8:1:2f3:4:5:6:7', '2001:db8:1:200::/56'],
    ['2001:db8:1:2ff::1', '2001:db8:1:200::/56'],
    ['2001:DB8:1:300::1', '2001:db8:1:300::/56'],
    ['fe80::1%eth0', 'fe80:0:0:0::/56'],
    ['::1', '0:0:0:0::/56'],
    ['unknown', 'unknown'],
  ] as const) {
    it(`${address} belongs to network ${network}`, () => {
      expect(findNetworkPrefix(address)).to.equal(network);
    });
  }
});

describe('site prefix of an address', () => {
  for (const [address, site] of [
    ['192.0.2.9', '192.0.2.0/24'],
    ['::ffff:192.0.2.9', '192.0.2.0/24'],
    ['2001:db8:1:2f3:4:5:6:7', '2001:db8:1::/48'],
    ['2001:DB8:1:300::1', '2001:db8:1::/48'],
    ['2001:db8:2::1', '2001:db8:2::/48'],
    ['fe80::1%eth0', 'fe80:0:0::/48'],
    ['unknown', 'unknown'],
  ] as const) {
    it(`${address} belongs to site ${site}`, () => {
      expect(findSitePrefix(address)).to.equal(site);
    });
  }
});
