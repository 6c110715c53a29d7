import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { request } from 'node:http';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { StrictReceiver } from '../support/strict-receiver.js';

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const OLD_SECRET = `whsec_${Buffer.alloc(24, 2).toString('base64')}`;
const ed25519 = generateKeyPairSync('ed25519');

const jwkX = (key: KeyObject) => Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url');
const PUBLIC_KEY = `whpk_${jwkX(ed25519.publicKey).toString('base64')}`;

interface Sending {
  id: string;
  timestamp: string;
  body: Buffer;
  /** Made of the three above unless it is set. */
  signature: string;
  secrets: string[];
  isAsymmetric: boolean;
  /** Names and values by turns. */
  headers: string[];
  method: string;
}

/** A request that nothing is wrong with but what is overridden. */
function sendingOf(overrides: Partial<Sending> = {}): Sending {
  const id = overrides.id ?? randomUUID();
  const seconds = Math.floor(Date.now() / 1000);
  const event = { id, type: 'invoice.created', timestamp: new Date().toISOString(), data: { object: {} } };
  const timestamp = overrides.timestamp ?? `${seconds}`;
  const body = overrides.body ?? Buffer.from(JSON.stringify(event));
  const { secrets = [SECRET], isAsymmetric = false } = overrides;
  const signedAt = new Date(Number.parseInt(timestamp, 10) * 1000);
  const content = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
  const signature = [
    ...secrets.map((secret) => new Webhook(secret).sign(id, signedAt, body)),
    ...(isAsymmetric ? [`v1a,${sign(null, content, ed25519.privateKey).toString('base64')}`] : []),
  ].join(' ');
  const made = { id, timestamp, body, secrets, isAsymmetric, signature, method: 'POST', ...overrides };
  const headers = ['webhook-id', id, 'webhook-timestamp', timestamp, 'webhook-signature', made.signature];
  return { headers: [...headers, 'content-type', 'application/json'], ...made };
}

/** Sends it as it is and resolves with the status of the answer. */
function send(url: string, { method, headers, body }: Sending): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers: [...headers, 'host', new URL(url).host], agent: false });
    sent.on('error', reject);
    sent.on('response', (response) => response.resume().on('end', () => resolve(response.statusCode ?? 0)));
    sent.end(body);
  });
}

/** A good request of which something was changed after it was signed. */
const tampered = (change: (good: Sending) => Partial<Sending>) => () => {
  const good = sendingOf();
  return { ...good, ...change(good) };
};
const without = (sending: Sending, name: string): Sending => {
  const at = sending.headers.indexOf(name);
  return { ...sending, headers: sending.headers.toSpliced(at, 2) };
};
const renamed = (sending: Sending, name: string, to: string): Sending => ({
  ...sending,
  headers: sending.headers.map((one) => (one === name ? to : one)),
});
const secondsAgo = (seconds: number) => `${Math.floor(Date.now() / 1000) - seconds}`;
const bodyOf = (value: unknown) => Buffer.from(JSON.stringify(value));
const ID = '0192f1c2-7d3c-7a52-b0a1-0d8a5b6c7d8e';
const EVENT = { id: ID, type: 'invoice.created', timestamp: '2026-11-21T14:30:00Z', data: {} };

describe('the strict receiver', () => {
  let receiver: StrictReceiver;

  before(async () => {
    receiver = await StrictReceiver.start();
  });
  after(() => receiver.stop());

  /** What a new endpoint with this secret says of it. */
  async function faultsOf(
    sending: Sending,
    secrets = [SECRET],
    publicKeys: string[] = [],
  ): Promise<string[]> {
    const endpoint = receiver.add({ secrets, publicKeys });
    await send(endpoint.url, sending);
    return endpoint.requests[0]?.verdict ?? ['not recorded'];
  }

  it('finds no fault in a good request, in a rotated one and in one that is signed both ways', async () => {
    expect(await faultsOf(sendingOf())).to.deep.equal([]);
    expect(await faultsOf(sendingOf({ secrets: [SECRET, OLD_SECRET] }), [SECRET, OLD_SECRET])).to.deep.equal(
      [],
    );
    expect(await faultsOf(sendingOf({ isAsymmetric: true }), [SECRET], [PUBLIC_KEY])).to.deep.equal([]);
    const v1a = sendingOf({ isAsymmetric: true, secrets: [] });
    expect(await faultsOf(v1a, [], [PUBLIC_KEY]), 'v1a alone').to.deep.equal([]);
  });

  const otherEd25519 = generateKeyPairSync('ed25519').publicKey;
  const FAULTS: Record<string, [sending: () => Sending, fault: RegExp, secrets?: string[], keys?: string[]]> =
    {
      'a missing id': [() => without(sendingOf(), 'webhook-id'), /webhook-id is there 0 times/],
      'a missing timestamp': [
        () => without(sendingOf(), 'webhook-timestamp'),
        /webhook-timestamp is there 0/,
      ],
      'a missing signature': [
        () => without(sendingOf(), 'webhook-signature'),
        /webhook-signature is there 0/,
      ],
      'a missing content type': [() => without(sendingOf(), 'content-type'), /content-type is there 0/],
      'another content type': [
        () => renamed(sendingOf(), 'application/json', 'text/json'),
        /content-type is text\/json/,
      ],
      'a header that is there twice': [
        tampered(({ headers, id }) => ({ headers: [...headers, 'webhook-id', id] })),
        /webhook-id is there 2 times/,
      ],
      'a name in capitals': [() => renamed(sendingOf(), 'webhook-id', 'Webhook-Id'), /is written Webhook-Id/],
      'a prefix of a vendor': [() => renamed(sendingOf(), 'webhook-id', 'svix-id'), /webhook-id is there 0/],
      'another method': [() => sendingOf({ method: 'PUT' }), /the method is PUT/],
      'a full stop in the id': [() => sendingOf({ id: 'a.b' }), /webhook-id is a\.b/],
      'text behind the timestamp': [
        () => sendingOf({ timestamp: `${secondsAgo(0)}s` }),
        /timestamp is \d+s$/,
      ],
      'a timestamp with a fraction': [
        () => sendingOf({ timestamp: `${secondsAgo(0)}.5` }),
        /timestamp is \d+\.5$/,
      ],
      'a timestamp in milliseconds': [() => sendingOf({ timestamp: `${Date.now()}` }), /s old$/],
      'a timestamp of over five minutes ago': [
        () => sendingOf({ timestamp: secondsAgo(310) }),
        /is 31\d\.\d s old/,
      ],
      'a timestamp in 8 s': [() => sendingOf({ timestamp: secondsAgo(-8) }), /is -[678]\.\d s old/],
      'a body that is not UTF-8': [
        () => sendingOf({ body: Buffer.from([0x22, 0xff, 0x22]) }),
        /not valid UTF-8/,
      ],
      'a body that is no JSON': [() => sendingOf({ body: Buffer.from('{"id":') }), /is no JSON/],
      'a body that is no object': [() => sendingOf({ body: bodyOf([1]) }), /is no object/],
      'an id that is not the body’s': [
        () => sendingOf({ body: bodyOf(EVENT) }),
        /the id of the body is 0192/,
      ],
      'a type that is none': [
        () => sendingOf({ id: ID, body: bodyOf({ ...EVENT, type: 'paid' }) }),
        /type is paid/,
      ],
      'a time that is none': [
        () => sendingOf({ id: ID, body: bodyOf({ ...EVENT, timestamp: 'today' }) }),
        /timestamp is today/,
      ],
      'a body without data': [
        () => sendingOf({ id: ID, body: bodyOf({ ...EVENT, data: null }) }),
        /data is no/,
      ],
      'a changed body': [
        tampered(({ body }) => ({ body: Buffer.from(`${body} `) })),
        /nothing is signed with whsec_AQEB/,
      ],
      'a changed id': [
        tampered(({ headers }) => ({ headers: headers.with(1, randomUUID()) })),
        /nothing is signed with whsec_AQEB/,
      ],
      'a changed timestamp': [
        tampered(({ headers }) => ({ headers: headers.with(3, secondsAgo(-2)) })),
        /nothing is signed with whsec_AQEB/,
      ],
      'another secret': [() => sendingOf({ secrets: [OLD_SECRET] }), /nothing is signed with whsec_AQEB/],
      'the old secret alone, in a rotation': [
        () => sendingOf({ secrets: [OLD_SECRET] }),
        /nothing is signed with whsec_AQEB/,
        [SECRET, OLD_SECRET],
      ],
      'a secret that has ended': [() => sendingOf({ secrets: [SECRET, OLD_SECRET] }), /is of no known key/],
      'no key to check with': [() => sendingOf(), /no key of this endpoint is known/, []],
      'another ed25519 key': [
        () => sendingOf({ isAsymmetric: true }),
        /nothing is signed with whpk_/,
        [SECRET],
        [`whpk_${jwkX(otherEd25519).toString('base64')}`],
      ],
      'a signature that is there twice': [() => sendingOf({ secrets: [SECRET, SECRET] }), /is there twice/],
      'a list with commas': [
        () =>
          sendingOf({ signature: sendingOf({ secrets: [SECRET, OLD_SECRET] }).signature.replace(' ', ', ') }),
        /webhook-signature is v1,/,
      ],
      'two blanks in the list': [
        () => sendingOf({ signature: 'v1,AAAA  v1,AAAA' }),
        /webhook-signature is v1,AAAA {2}v1/,
      ],
      'an unknown scheme': [() => sendingOf({ signature: 'v2,AAAA' }), /webhook-signature is v2/],
      'a signature in hexadecimal': [
        () => sendingOf({ signature: `v1,${'ab'.repeat(32)}` }),
        /is not the base64 of 32 bytes/,
      ],
      'a signature in base64url': [() => sendingOf({ signature: 'v1,a-_b' }), /webhook-signature is v1,a-_b/],
      'a v1a of half its length': [
        () => sendingOf({ signature: `v1a,${Buffer.alloc(32).toString('base64')}` }),
        /is not the base64 of 64 bytes/,
      ],
    };
  for (const [what, [sending, fault, secrets, keys]] of Object.entries(FAULTS)) {
    it(`finds ${what}`, async () => {
      const faults = await faultsOf(sending(), secrets, keys);
      expect(
        faults.some((one) => fault.test(one)),
        faults.join('; '),
      ).to.equal(true);
    });
  }

  it('hears the second opinion of the package', async () => {
    const faults = await faultsOf(sendingOf({ secrets: [OLD_SECRET] }));
    expect(faults).to.include('standardwebhooks: No matching signature found');
  });

  it('lets what it was told to tolerate sign or not', async () => {
    const endpoint = receiver.add({ secret: SECRET });
    endpoint.tolerated = [OLD_SECRET];
    for (const secrets of [[SECRET], [SECRET, OLD_SECRET]]) await send(endpoint.url, sendingOf({ secrets }));
    expect(endpoint.faults).to.deep.equal([]);
  });

  it('compares the bytes of one id over its attempts, at every endpoint', async () => {
    const [first, second] = [receiver.add({ secret: SECRET }), receiver.add({ secret: SECRET })];
    const sending = sendingOf();
    await send(first.url, sending);
    await send(first.url, sending);
    expect(first.faults).to.deep.equal([]);
    expect(first.requests.map(({ nth }) => nth)).to.deep.equal([1, 2]);
    const other = sendingOf({ id: sending.id, body: Buffer.from(`${sending.body} `) });
    for (const { url } of [first, second]) await send(url, other);
    for (const { faults } of [first, second])
      expect(faults)
        .to.have.length(1)
        .and.to.match(/not the one that this id came with before/);
    expect([first.ids, second.ids]).to.deep.equal([[sending.id], [sending.id]]);
  });

  it('finds a retry that has the timestamp of the attempt before', async () => {
    const endpoint = receiver.add({ secret: SECRET });
    const sending = sendingOf();
    await send(endpoint.url, sending);
    await new Promise((resolve) => setTimeout(resolve, 2100));
    await send(endpoint.url, sendingOf({ id: sending.id, body: sending.body }));
    expect(endpoint.faults, 'renewed').to.deep.equal([]);
    await send(endpoint.url, sending);
    expect(endpoint.faults)
      .to.have.length(1)
      .and.to.match(/that of an earlier attempt/);
  });

  it('finds a request to none of its endpoints, as a followed redirect is', async () => {
    const own = await StrictReceiver.start({ secret: SECRET });
    expect(await send(`${own.origin}/elsewhere`, sendingOf())).to.equal(404);
    expect(own.faults).to.deep.equal(['POST /elsewhere is for no endpoint']);
    await own.stop();
  });
});
