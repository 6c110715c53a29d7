import { expect } from 'chai';
import { createOutboundClient } from '../../../../shared/outbound/client.js';
import { createHostnameResolver } from '../../../../shared/outbound/resolve.js';
import { type NameServer, startNameServer } from '../../../support/network/name-server.js';
import { CANARY_ADDRESSES, type NamespaceScenarios } from '../../../support/network/network-namespace.js';
import {
  expectNoInternals,
  expectOutboundError,
  type NamespaceReceiver,
  OUTBOUND_TEST_RULES,
  sendOutbound,
  startCanary,
} from '../../../support/webhooks/receivers.js';

/** All canary servers use this port, so that a hostname or a redirect can lead to any of them. */
const PORT = 8080;
const INSIDE = [...CANARY_ADDRESSES.private, '127.0.0.1', '::1'];
/**
 * Other notations of non-public addresses. A unit test cannot check to which address a notation
 * connects.
 */
const NOTATIONS = [
  '2852039166',
  '0xa9.0xfe.0xa9.0xfe',
  '0251.0376.0251.0376',
  '169.254.43518',
  '10.1',
  '127.1',
  '0',
];
const NOTATIONS_V6 = [
  '::ffff:127.0.0.1',
  '::ffff:a9fe:a9fe',
  '::127.0.0.1',
  '::a9fe:a9fe',
  '::',
  '::ffff:93.184.216.34',
];

interface World {
  names: NameServer;
  outside: Awaited<ReturnType<typeof startCanary>>;
  outsideV6: Awaited<ReturnType<typeof startCanary>>;
  inside: NamespaceReceiver[];
  /**
   * This client is configured as in production, but allows http and uses the namespace's name
   * server.
   */
  client: ReturnType<typeof createOutboundClient>;
}

let started: Promise<World> | undefined;
/**
 * Returns the servers and the client that all scenarios share, and starts them at the first call.
 * Their addresses exist only inside the network namespace.
 */
const getWorld = () => (started ??= startWorld());

async function startWorld(): Promise<World> {
  const names = await startNameServer();
  const outside = await startCanary(CANARY_ADDRESSES.public, PORT, (request, response) => {
    const [, status, location] = /^\/(\d{3})\?(.*)/.exec(request.url ?? '') ?? [];
    response.writeHead(Number(status ?? 200), location ? { location: decodeURIComponent(location) } : {});
    response.end('ok');
  });
  const outsideV6 = await startCanary(CANARY_ADDRESSES.publicV6, PORT);
  const inside = await Promise.all(INSIDE.map((address) => startCanary(address, PORT)));
  const client = createOutboundClient({
    ...OUTBOUND_TEST_RULES,
    resolve: createHostnameResolver([names.address]),
  });
  return { names, outside, outsideV6, inside, client };
}

const buildUrl = (address: string, path = '/') =>
  `http://${address.includes(':') ? `[${address}]` : address}:${PORT}${path}`;

async function expectBlocked(url: string): Promise<void> {
  const { client } = await getWorld();
  const error = await expectOutboundError(sendOutbound(client, url));
  expect(error.kind, url).to.equal('blocked_address');
  expect(error.remoteAddress, url).to.equal(null);
  expectNoInternals(error);
}

async function expectUntouched(): Promise<void> {
  const { inside } = await getWorld();
  for (const { url, connections } of inside) expect(connections.length, url).to.equal(0);
}

export const scenarios: NamespaceScenarios = {
  'the client refuses non-public addresses in any notation, without a DNS query': async () => {
    for (const address of [...INSIDE, ...NOTATIONS, ...NOTATIONS_V6]) await expectBlocked(buildUrl(address));
    await expectUntouched();
  },

  'the client refuses hostnames that resolve to non-public addresses': async () => {
    const { names } = await getWorld();
    for (const [index, address] of INSIDE.entries()) {
      // The name contains the address to which it resolves, like the names of the DNS service
      // nip.io.
      const name = `${address.replaceAll(/[.:]/g, '-')}.n${index}.example`;
      names.setAddresses(name, [address]);
      await expectBlocked(buildUrl(name));
      await expectBlocked(buildUrl(`${name}.`));
    }
    await expectUntouched();
  },

  'the client refuses a hostname if one of its addresses is not public, in either family and any sequence':
    async () => {
      const { names, outside } = await getWorld();
      const addressLists = [
        [CANARY_ADDRESSES.public, '10.0.0.1'],
        ['10.0.0.1', CANARY_ADDRESSES.public],
        [CANARY_ADDRESSES.public, 'fd00:ec2::254'],
        [CANARY_ADDRESSES.publicV6, '169.254.169.254'],
        [
          CANARY_ADDRESSES.public,
          CANARY_ADDRESSES.publicV6,
          CANARY_ADDRESSES.otherPublic,
          '1.1.1.1',
          '1.0.0.1',
          '192.168.1.1',
        ],
      ];
      for (const [index, addresses] of addressLists.entries()) {
        names.setAddresses(`mixed${index}.example`, addresses);
        await expectBlocked(buildUrl(`mixed${index}.example`));
      }
      expect(outside.requests.filter(({ host }) => host?.startsWith('mixed'))).to.deep.equal([]);
      await expectUntouched();
    },

  'the client resolves a hostname once and connects to that address, so that DNS rebinding fails':
    async () => {
      const { names, outside, client } = await getWorld();
      names.setAddresses('rebinding.example', (nth) => [
        nth === 0 ? CANARY_ADDRESSES.public : '169.254.169.254',
      ]);
      const url = buildUrl('rebinding.example', '/first');
      const response = await sendOutbound(client, url, { body: 'first' });
      expect(response).to.include({ status: 200, remoteAddress: CANARY_ADDRESSES.public });
      expect(response.connectMs).to.be.a('number');
      expect(names.countQuestions('rebinding.example'), 'one of each type').to.equal(2);
      // A new client has no open socket, so it resolves the name again and gets the private
      // address.
      const newClient = createOutboundClient({
        ...OUTBOUND_TEST_RULES,
        resolve: createHostnameResolver([names.address]),
      });
      expect((await expectOutboundError(sendOutbound(newClient, url))).kind).to.equal('blocked_address');
      const asked = outside.requests.filter(({ host }) => host === `rebinding.example:${PORT}`);
      expect(asked.map(({ path, body }) => [path, body])).to.deep.equal([['/first', 'first']]);
      await expectUntouched();
    },

  'the client refuses resolver results that are not valid public addresses': async () => {
    for (const address of ['localhost', '127.1', 'fe80::1%lo', '', '::ffff:7f00:1', '0x7f000001']) {
      const client = createOutboundClient({ ...OUTBOUND_TEST_RULES, resolve: async () => [address] });
      expect(
        (await expectOutboundError(sendOutbound(client, buildUrl('odd.example')))).kind,
        address,
      ).to.equal('blocked_address');
    }
    await expectUntouched();
  },

  'the client follows no redirect and returns each 3xx response with its Location': async () => {
    const { client } = await getWorld();
    for (const status of [300, 301, 302, 303, 305, 307, 308]) {
      for (const location of [buildUrl('10.0.0.1'), buildUrl('127.0.0.1'), '//[::1]:8080/']) {
        const url = buildUrl(CANARY_ADDRESSES.public, `/${status}?${encodeURIComponent(location)}`);
        const response = await sendOutbound(client, url);
        expect(response.status).to.equal(status);
        expect(response.headers.location).to.equal(location);
      }
    }
    await expectUntouched();
  },

  'the client keeps the hostname in the Host header, including a final dot or an international name':
    async () => {
      const { names, outside, outsideV6, client } = await getWorld();
      const expectedHosts = { 'plain.example': 'plain.example', 'dotted.example.': 'dotted.example.' };
      for (const [name, host] of Object.entries({
        ...expectedHosts,
        'bücher.example': 'xn--bcher-kva.example',
      })) {
        names.setAddresses(host.replace(/\.$/, ''), [CANARY_ADDRESSES.public]);
        await sendOutbound(client, buildUrl(name, `/host?of=${encodeURIComponent(name)}`));
        const [request] = outside.requests.filter(
          ({ path }) => path === `/host?of=${encodeURIComponent(name)}`,
        );
        expect(request?.host, name).to.equal(`${host}:${PORT}`);
        expect(request?.headers['accept-encoding']).to.equal('identity');
      }
      names.setAddresses('six.example', [CANARY_ADDRESSES.publicV6]);
      expect((await sendOutbound(client, buildUrl('six.example'))).remoteAddress).to.equal(
        CANARY_ADDRESSES.publicV6,
      );
      await sendOutbound(client, buildUrl(CANARY_ADDRESSES.publicV6));
      expect(outsideV6.requests.map(({ host }) => host)).to.deep.equal([
        `six.example:${PORT}`,
        `[${CANARY_ADDRESSES.publicV6}]:${PORT}`,
      ]);
    },

  'the client tries the next address of a hostname when the first refuses the connection': async () => {
    const { names, client } = await getWorld();
    names.setAddresses('two.example', [CANARY_ADDRESSES.otherPublic, CANARY_ADDRESSES.public]);
    expect(await sendOutbound(client, buildUrl('two.example'))).to.include({
      remoteAddress: CANARY_ADDRESSES.public,
    });
    names.setAddresses('nobody.example', [CANARY_ADDRESSES.otherPublic]);
    const error = await expectOutboundError(sendOutbound(client, buildUrl('nobody.example')));
    expect(error).to.include({ kind: 'connect', message: 'The connection was refused.' });
  },

  'the client reports dns for a hostname without an address': async () => {
    const { client } = await getWorld();
    const error = await expectOutboundError(sendOutbound(client, buildUrl('missing.example')));
    expect(error.kind).to.equal('dns');
    expectNoInternals(error);
  },

  'the client refuses forbidden URLs and headers that could change the destination': async () => {
    const { client, outside } = await getWorld();
    const secure = createOutboundClient({ allowLoopback: false, allowHttp: false });
    expect(
      (await expectOutboundError(sendOutbound(secure, buildUrl(CANARY_ADDRESSES.public, '/http')))).kind,
    ).to.equal('invalid_url');
    for (const url of [
      'http://me:secret@plain.example/',
      'http://plain.example:25/',
      'file:///etc/passwd',
      'nonsense',
    ]) {
      expect((await expectOutboundError(sendOutbound(client, url))).kind, url).to.equal('invalid_url');
    }
    const forbiddenHeaders = [
      'Host',
      'connection',
      'Content-Length',
      'transfer-encoding',
      'x y',
      'accept-encoding',
      'Upgrade',
    ];
    for (const name of [...forbiddenHeaders, 'x-split']) {
      const headers = { [name]: name === 'x-split' ? 'a\r\nhost: b' : '1' };
      const error = await expectOutboundError(
        sendOutbound(client, buildUrl(CANARY_ADDRESSES.public, '/headers'), { headers }),
      );
      expect(error.kind, name).to.equal('invalid_url');
    }
    expect(outside.requests.filter(({ path }) => path === '/http' || path === '/headers')).to.deep.equal([]);
  },
};

/**
 * These scenarios connect to loopback. They run after the scenarios above, which assert that
 * nothing connected to loopback.
 */
export const loopbackScenarios: NamespaceScenarios = {
  'the client with allowLoopback connects to loopback addresses and to no other non-public address':
    async () => {
      const { names, inside } = await getWorld();
      await expectUntouched();
      const resolve = createHostnameResolver([names.address]);
      const client = createOutboundClient({ allowLoopback: true, allowHttp: true, resolve });
      names.setAddresses('here.example', ['127.0.0.1', '::1']);
      for (const host of ['127.0.0.1', '[::1]', 'localhost', 'api.localhost', 'here.example', '127.1']) {
        expect((await sendOutbound(client, `http://${host}:${PORT}/`)).status, host).to.equal(200);
      }
      const before = inside.map(({ connections }) => connections.length);
      names.setAddresses('nearly.example', ['127.0.0.1', '10.0.0.1']);
      const refused = [...CANARY_ADDRESSES.private, '0.0.0.0', ...NOTATIONS_V6, 'nearly.example', '0'];
      for (const address of refused) {
        expect((await expectOutboundError(sendOutbound(client, buildUrl(address)))).kind, address).to.equal(
          'blocked_address',
        );
      }
      expect(inside.map(({ connections }) => connections.length)).to.deep.equal(before);
    },
};
