import { expect } from 'chai';
import { isAllowedAddress } from '../../../shared/outbound/addresses.js';
import { findUrlProblem } from '../../../shared/outbound/target.js';

const PRODUCTION = { allowLoopback: false, allowHttp: false };
const DEVELOPMENT = { allowLoopback: true, allowHttp: true };

/** First, inner and last addresses of each IPv4 range that is not part of the public internet. */
const REFUSED_V4: Record<string, string[]> = {
  'this network 0/8': ['0.0.0.0', '0.0.0.1', '0.255.255.255'],
  'private 10/8': ['10.0.0.0', '10.1.2.3', '10.255.255.255'],
  'carrier NAT 100.64/10': ['100.64.0.0', '100.100.100.200', '100.127.255.255'],
  'link-local 169.254/16, cloud metadata': ['169.254.0.0', '169.254.169.254', '169.254.255.255'],
  'private 172.16/12': ['172.16.0.0', '172.20.1.1', '172.31.255.255'],
  'protocols 192.0.0/24': ['192.0.0.0', '192.0.0.192', '192.0.0.255'],
  'documentation 192.0.2/24': ['192.0.2.0', '192.0.2.255'],
  '6to4 relays 192.88.99/24': ['192.88.99.0', '192.88.99.1', '192.88.99.255'],
  'private 192.168/16': ['192.168.0.0', '192.168.1.1', '192.168.255.255'],
  'benchmarks 198.18/15': ['198.18.0.0', '198.19.255.255'],
  'documentation 198.51.100/24': ['198.51.100.0', '198.51.100.255'],
  'documentation 203.0.113/24': ['203.0.113.0', '203.0.113.255'],
  'multicast 224/4': ['224.0.0.0', '239.255.255.255'],
  'reserved 240/4': ['240.0.0.0', '255.255.255.254'],
  broadcast: ['255.255.255.255'],
  'Azure internal': ['168.63.129.16'],
};
const LOOPBACK = ['127.0.0.0', '127.0.0.1', '127.1.2.3', '127.255.255.255', '::1', '0:0:0:0:0:0:0:1'];
/**
 * Public addresses next to the refused ranges. A mask that is too wide would refuse some of them.
 */
const PUBLIC_V4 = [
  '1.0.0.0',
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '168.63.129.15',
  '168.63.129.17',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '191.255.255.255',
  '192.0.1.0',
  '192.0.3.0',
  '192.88.98.255',
  '192.88.100.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '198.51.99.255',
  '198.51.101.0',
  '203.0.112.255',
  '203.0.114.0',
  '223.255.255.255',
  '93.184.216.34',
];
const REFUSED_V6: Record<string, string[]> = {
  unspecified: ['::', '0:0:0:0:0:0:0:0'],
  'mapped, dotted and hexadecimal': [
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:8.8.8.8',
    '::ffff:a9fe:a9fe',
  ],
  'translated ::ffff:0:0/96': ['::ffff:0:127.0.0.1', '::ffff:0:8.8.8.8'],
  'compatible ::/96': ['::127.0.0.1', '::a9fe:a9fe', '::8.8.8.8', '::2'],
  'NAT64 64:ff9b::/96': ['64:ff9b::', '64:ff9b::127.0.0.1', '64:ff9b::a9fe:a9fe', '64:ff9b::808:808'],
  'local NAT64 64:ff9b:1::/48': ['64:ff9b:1::', '64:ff9b:1::a9fe:a9fe'],
  'discard 100::/64': ['100::', '100::1'],
  'Teredo 2001::/32': ['2001::', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  'protocols 2001::/23': ['2001:2::1', '2001:10::1', '2001:20::1', '2001:1ff:ffff::1'],
  'documentation 2001:db8::/32': ['2001:db8::', '2001:db8:ffff::1'],
  '6to4 2002::/16': ['2002::', '2002:7f00:1::', '2002:a9fe:a9fe::1'],
  'documentation 3fff::/20': ['3fff::', '3fff:fff:ffff::1'],
  'unallocated ranges': ['4000::1', '1fff:ffff::1', '8000::1'],
  'segment routing 5f00::/16': ['5f00::', '5f00::1'],
  'unique local fc00::/7': ['fc00::', 'fd00:ec2::254', 'fdff:ffff::1'],
  'link-local, all of fe80::/10': ['fe80::1', 'fe80:1::1', 'fe90::1', 'febf:ffff::1'],
  'site-local fec0::/10': ['fec0::1', 'feff::1'],
  'multicast ff00::/8': ['ff00::', 'ff02::1', 'ffff::1'],
  'ISATAP behind any prefix': [
    'fe80::5efe:10.0.0.1',
    '2607:f8b0::5efe:a00:1',
    '2607:f8b0:1:2:0:5efe:10.0.0.1',
    '2607:f8b0:1:2:200:5efe:8.8.8.8',
    '2607:f8b0:1:2:300:5efe:808:808',
  ],
  'zone ids': ['fe80::1%eth0', 'fe80::1%1', '2607:f8b0::1%eth0', '::1%lo'],
};
const PUBLIC_V6 = [
  '2000::1',
  '2001:200::1',
  '2001:4860:4860::8888',
  '2001:db7::1',
  '2001:db9::1',
  '2003::1',
  '2606:4700:4700::1111',
  '2607:f8b0:1:2:1:5efe:808:808',
  '2607:f8b0:1:2:0:5eff:808:808',
  '3ffe::1',
  '3fff:1000::1',
  '2620:0:2d0:200::7',
];
const NOT_ADDRESSES = [
  '',
  'localhost',
  'example.com',
  '127.1',
  '2130706433',
  '0x7f.1',
  '1.2.3',
  '1.2.3.4.5',
  '[::1]',
];

describe('addresses for outbound connections', () => {
  for (const [part, addresses] of Object.entries({ ...REFUSED_V4, ...REFUSED_V6 })) {
    it(`is refused even where loopback is allowed: ${part}`, () => {
      for (const address of addresses) {
        expect(isAllowedAddress(address, PRODUCTION), address).to.equal(false);
        expect(isAllowedAddress(address, DEVELOPMENT), address).to.equal(false);
      }
    });
  }

  it('a loopback address is refused unless loopback is allowed', () => {
    for (const address of LOOPBACK) {
      expect(isAllowedAddress(address, PRODUCTION), address).to.equal(false);
      expect(isAllowedAddress(address, DEVELOPMENT), address).to.equal(true);
    }
  });

  it('public addresses are allowed, also next to refused ranges', () => {
    for (const address of [...PUBLIC_V4, ...PUBLIC_V6]) {
      expect(isAllowedAddress(address, PRODUCTION), address).to.equal(true);
    }
  });

  it('text that is not a plain address is refused', () => {
    for (const text of NOT_ADDRESSES) expect(isAllowedAddress(text, DEVELOPMENT), text).to.equal(false);
  });
});

/** Loopback hosts in every notation that the URL parser accepts as an address. */
const HIDDEN_LOOPBACK = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '0x7f.0.0.1',
  '0177.0.0.1',
  '017700000001',
  '127.0.0.1.',
  '%31%32%37.0.0.1',
  '１２７.０.０.１',
  '127。0。0。1',
  '①②⑦.⓪.⓪.①',
  '[::1]',
  '[0:0::1]',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'api.localhost',
  'ｌｏｃａｌｈｏｓｔ',
  'a.b.localhost.',
];
const HIDDEN_PRIVATE = [
  '169.254.169.254',
  '0xa9fea9fe',
  '2852039166',
  '0251.0376.0251.0376',
  '169.254.43518',
  '10.1',
  '0',
  '0.0.0.0',
  '192.168.257',
  '168.63.129.16',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::a9fe:a9fe]',
  '[64:ff9b::7f00:1]',
  '[fd00:ec2::254]',
  '[fe80::1]',
  '[2002:7f00:1::]',
  '[::ffff:93.184.216.34]',
];

describe('outbound URLs', () => {
  it('a URL of this machine is allowed only where loopback is, in any notation', () => {
    for (const host of HIDDEN_LOOPBACK) {
      expect(findUrlProblem(`https://${host}/`, PRODUCTION), host).to.include('public internet');
      expect(findUrlProblem(`https://${host}/`, DEVELOPMENT), host).to.equal(undefined);
    }
  });

  it('a URL of a non-public address is refused, in any notation', () => {
    for (const host of HIDDEN_PRIVATE) {
      for (const rules of [PRODUCTION, DEVELOPMENT]) {
        expect(findUrlProblem(`https://${host}/`, rules), host).to.include('public internet');
      }
    }
  });

  it('a URL with a host name is allowed, because its addresses are checked when it is called', () => {
    for (const host of [
      'example.com',
      'example.com.',
      '127.0.0.1.nip.io',
      'bücher.example',
      'localhost.example.com',
    ]) {
      expect(findUrlProblem(`https://${host}/hooks?x=1#y`, PRODUCTION), host).to.equal(undefined);
    }
    for (const host of ['8.8.8.8', '134744072', '[2606:4700:4700::1111]']) {
      expect(findUrlProblem(`https://${host}/`, PRODUCTION), host).to.equal(undefined);
    }
  });

  it('a URL must be https, or http where that is allowed', () => {
    expect(findUrlProblem('http://example.com/', PRODUCTION)).to.equal('must begin with https://');
    expect(findUrlProblem('http://example.com/', DEVELOPMENT)).to.equal(undefined);
    for (const url of [
      'ftp://example.com/',
      'file:///etc/passwd',
      'gopher://example.com',
      'data:,x',
      'ws://example.com',
    ]) {
      expect(findUrlProblem(url, DEVELOPMENT), url).to.include('must begin with https:// or http://');
    }
  });

  it('text that is not a URL is refused', () => {
    for (const url of [
      '',
      'example.com',
      '//example.com',
      'https://',
      'https://[fe80::1%25eth0]/',
      'https://1.2.3.256/',
    ]) {
      expect(findUrlProblem(url, DEVELOPMENT), url).to.be.a('string');
    }
  });

  it('a URL with a user name or password is refused', () => {
    for (const user of ['me@', 'me:secret@', ':secret@', 'example.com%2F@']) {
      expect(findUrlProblem(`https://${user}example.com/`, DEVELOPMENT), user).to.include('user name');
    }
  });

  it('a URL must use port 80, 443 or 1024 and above, or any port but 0 of an allowed loopback', () => {
    for (const port of [80, 443, 1024, 8443, 65_535]) {
      expect(findUrlProblem(`https://example.com:${port}/`, PRODUCTION), String(port)).to.equal(undefined);
    }
    for (const port of [0, 1, 22, 25, 79, 81, 442, 444, 1023]) {
      expect(findUrlProblem(`https://example.com:${port}/`, DEVELOPMENT), String(port)).to.include(
        'must use port',
      );
      expect(findUrlProblem(`https://8.8.8.8:${port}/`, DEVELOPMENT), String(port)).to.include(
        'must use port',
      );
    }
    for (const host of ['localhost', '127.0.0.1', '[::1]']) {
      expect(findUrlProblem(`http://${host}:25/`, DEVELOPMENT), host).to.equal(undefined);
      expect(findUrlProblem(`http://${host}:0/`, DEVELOPMENT), host).to.include('must use port');
    }
  });
});
