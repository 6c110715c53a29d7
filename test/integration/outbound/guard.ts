import { expect } from 'chai';
import { createOutboundClient } from '../../../shared/platform/outbound/client.js';
import { createResolve } from '../../../shared/platform/outbound/resolve.js';
import { type NameServer, startNameServer } from '../../support/name-server.js';
import { CANARIES, type Scenarios } from '../../support/network-namespace.js';
import { expectSilent, failureOf, type Receiver, RULES, send, startCanary } from '../../support/receivers.js';

/** The same everywhere, so that a name or a redirect leads from the public canary to any other one. */
const PORT = 8080;
const INSIDE = [...CANARIES.private, '127.0.0.1', '::1'];
/** Ways to write some of them that no unit test can follow to a socket. */
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
  inside: Receiver[];
  /** As in production, with the namespace's name server. */
  client: ReturnType<typeof createOutboundClient>;
}

let started: Promise<World> | undefined;
/** One for all scenarios; never before the first of them, for the addresses are in the namespace alone. */
const world = () => (started ??= start());

async function start(): Promise<World> {
  const names = await startNameServer();
  const outside = await startCanary(CANARIES.public, PORT, (request, response) => {
    const [, status, location] = /^\/(\d{3})\?(.*)/.exec(request.url ?? '') ?? [];
    response.writeHead(Number(status ?? 200), location ? { location: decodeURIComponent(location) } : {});
    response.end('ok');
  });
  const outsideV6 = await startCanary(CANARIES.publicV6, PORT);
  const inside = await Promise.all(INSIDE.map((address) => startCanary(address, PORT)));
  const client = createOutboundClient({ ...RULES, resolve: createResolve([names.address]) });
  return { names, outside, outsideV6, inside, client };
}

const urlOf = (address: string, path = '/') =>
  `http://${address.includes(':') ? `[${address}]` : address}:${PORT}${path}`;

async function expectBlocked(url: string): Promise<void> {
  const { client } = await world();
  const error = await failureOf(send(client, url));
  expect(error.kind, url).to.equal('blocked_address');
  expect(error.remoteAddress, url).to.equal(null);
  expectSilent(error);
}

async function expectUntouched(): Promise<void> {
  const { inside } = await world();
  for (const { url, connections } of inside) expect(connections.length, url).to.equal(0);
}

export const scenarios: Scenarios = {
  'refuses addresses that are not public, in any notation, though no name server is asked': async () => {
    for (const address of [...INSIDE, ...NOTATIONS, ...NOTATIONS_V6]) await expectBlocked(urlOf(address));
    await expectUntouched();
  },

  'refuses names that lead to addresses that are not public, however harmless they look': async () => {
    const { names } = await world();
    for (const [index, address] of INSIDE.entries()) {
      // As 127.0.0.1.nip.io does it.
      const name = `${address.replaceAll(/[.:]/g, '-')}.n${index}.example`;
      names.answer(name, [address]);
      await expectBlocked(urlOf(name));
      await expectBlocked(urlOf(`${name}.`));
    }
    await expectUntouched();
  },

  'refuses a name whole when one of its addresses is refused, in either family and any order': async () => {
    const { names, outside } = await world();
    const mixtures = [
      [CANARIES.public, '10.0.0.1'],
      ['10.0.0.1', CANARIES.public],
      [CANARIES.public, 'fd00:ec2::254'],
      [CANARIES.publicV6, '169.254.169.254'],
      [CANARIES.public, CANARIES.publicV6, CANARIES.otherPublic, '1.1.1.1', '1.0.0.1', '192.168.1.1'],
    ];
    for (const [index, mixture] of mixtures.entries()) {
      names.answer(`mixed${index}.example`, mixture);
      await expectBlocked(urlOf(`mixed${index}.example`));
    }
    expect(outside.asked.filter(({ host }) => host?.startsWith('mixed'))).to.deep.equal([]);
    await expectUntouched();
  },

  'asks for a name once and connects to that very answer, so that a rebinding name leads nowhere':
    async () => {
      const { names, outside, client } = await world();
      names.answer('rebinding.example', (nth) => [nth === 0 ? CANARIES.public : '169.254.169.254']);
      const url = urlOf('rebinding.example', '/first');
      const answer = await send(client, url, { body: 'first' });
      expect(answer).to.include({ status: 200, remoteAddress: CANARIES.public });
      expect(answer.connectMs).to.be.a('number');
      expect(names.questions('rebinding.example'), 'one of each type').to.equal(2);
      // Another client has no socket of the first: it must ask, and hears of the address inside.
      const later = createOutboundClient({ ...RULES, resolve: createResolve([names.address]) });
      expect((await failureOf(send(later, url))).kind).to.equal('blocked_address');
      const asked = outside.asked.filter(({ host }) => host === `rebinding.example:${PORT}`);
      expect(asked.map(({ path, body }) => [path, body])).to.deep.equal([['/first', 'first']]);
      await expectUntouched();
    },

  'checks what an answer holds, be it no address at all': async () => {
    for (const answer of ['localhost', '127.1', 'fe80::1%lo', '', '::ffff:7f00:1', '0x7f000001']) {
      const client = createOutboundClient({ ...RULES, resolve: async () => [answer] });
      expect((await failureOf(send(client, urlOf('odd.example')))).kind, answer).to.equal('blocked_address');
    }
    await expectUntouched();
  },

  'follows no redirect: each is an answer, and its Location is left alone': async () => {
    const { client } = await world();
    for (const status of [300, 301, 302, 303, 305, 307, 308]) {
      for (const location of [urlOf('10.0.0.1'), urlOf('127.0.0.1'), '//[::1]:8080/']) {
        const url = urlOf(CANARIES.public, `/${status}?${encodeURIComponent(location)}`);
        const answer = await send(client, url);
        expect(answer.status).to.equal(status);
        expect(answer.headers.location).to.equal(location);
      }
    }
    await expectUntouched();
  },

  'keeps the name in the Host header, the final dot and the international one too': async () => {
    const { names, outside, outsideV6, client } = await world();
    const hosts = { 'plain.example': 'plain.example', 'dotted.example.': 'dotted.example.' };
    for (const [name, host] of Object.entries({ ...hosts, 'bücher.example': 'xn--bcher-kva.example' })) {
      names.answer(host.replace(/\.$/, ''), [CANARIES.public]);
      await send(client, urlOf(name, `/host?of=${encodeURIComponent(name)}`));
      const [asked] = outside.asked.filter(({ path }) => path === `/host?of=${encodeURIComponent(name)}`);
      expect(asked?.host, name).to.equal(`${host}:${PORT}`);
      expect(asked?.headers['accept-encoding']).to.equal('identity');
    }
    names.answer('six.example', [CANARIES.publicV6]);
    expect((await send(client, urlOf('six.example'))).remoteAddress).to.equal(CANARIES.publicV6);
    await send(client, urlOf(CANARIES.publicV6));
    expect(outsideV6.asked.map(({ host }) => host)).to.deep.equal([
      `six.example:${PORT}`,
      `[${CANARIES.publicV6}]:${PORT}`,
    ]);
  },

  'tries the next address of a name when nobody listens at the first': async () => {
    const { names, client } = await world();
    names.answer('two.example', [CANARIES.otherPublic, CANARIES.public]);
    expect(await send(client, urlOf('two.example'))).to.include({ remoteAddress: CANARIES.public });
    names.answer('nobody.example', [CANARIES.otherPublic]);
    const error = await failureOf(send(client, urlOf('nobody.example')));
    expect(error).to.include({ kind: 'connect', message: 'The connection was refused.' });
  },

  'says dns of a name that has no address': async () => {
    const { client } = await world();
    const error = await failureOf(send(client, urlOf('missing.example')));
    expect(error.kind).to.equal('dns');
    expectSilent(error);
  },

  'refuses what the form of a URL forbids, and headers that would lead elsewhere': async () => {
    const { client, outside } = await world();
    const secure = createOutboundClient({ allowLoopback: false, allowHttp: false });
    expect((await failureOf(send(secure, urlOf(CANARIES.public, '/http')))).kind).to.equal('invalid_url');
    for (const url of [
      'http://me:secret@plain.example/',
      'http://plain.example:25/',
      'file:///etc/passwd',
      'nonsense',
    ]) {
      expect((await failureOf(send(client, url))).kind, url).to.equal('invalid_url');
    }
    const wrong = [
      'Host',
      'connection',
      'Content-Length',
      'transfer-encoding',
      'x y',
      'accept-encoding',
      'Upgrade',
    ];
    for (const name of [...wrong, 'x-split']) {
      const headers = { [name]: name === 'x-split' ? 'a\r\nhost: b' : '1' };
      const error = await failureOf(send(client, urlOf(CANARIES.public, '/headers'), { headers }));
      expect(error.kind, name).to.equal('invalid_url');
    }
    expect(outside.asked.filter(({ path }) => path === '/http' || path === '/headers')).to.deep.equal([]);
  },
};

/** Runs after those above: here loopback is called. */
export const loopbackScenarios: Scenarios = {
  'admits loopback by the setting, and still nothing else': async () => {
    const { names, inside } = await world();
    await expectUntouched();
    const resolve = createResolve([names.address]);
    const client = createOutboundClient({ allowLoopback: true, allowHttp: true, resolve });
    names.answer('here.example', ['127.0.0.1', '::1']);
    for (const host of ['127.0.0.1', '[::1]', 'localhost', 'api.localhost', 'here.example', '127.1']) {
      expect((await send(client, `http://${host}:${PORT}/`)).status, host).to.equal(200);
    }
    const before = inside.map(({ connections }) => connections.length);
    names.answer('nearly.example', ['127.0.0.1', '10.0.0.1']);
    const refused = [...CANARIES.private, '0.0.0.0', ...NOTATIONS_V6, 'nearly.example', '0'];
    for (const address of refused) {
      expect((await failureOf(send(client, urlOf(address)))).kind, address).to.equal('blocked_address');
    }
    expect(inside.map(({ connections }) => connections.length)).to.deep.equal(before);
  },
};
