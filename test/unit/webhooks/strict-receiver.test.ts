import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { request } from 'node:http';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { StrictReceiver } from '../../support/webhooks/strict-receiver.js';

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const OLD_SECRET = `whsec_${Buffer.alloc(24, 2).toString('base64')}`;
const ed25519 = generateKeyPairSync('ed25519');

const jwkX = (key: KeyObject) => Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url');
const PUBLIC_KEY = `whpk_${jwkX(ed25519.publicKey).toString('base64')}`;

interface SignedRequest {
  id: string;
  timestamp: string;
  body: Buffer;
  /** Computed from `id`, `timestamp` and `body`, unless a test sets it. */
  signature: string;
  secrets: string[];
  isAsymmetric: boolean;
  /** Header names and values, alternating. */
  headers: string[];
  method: string;
}

function createSignedRequest(overrides: Partial<SignedRequest> = {}): SignedRequest {
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
  const merged = { id, timestamp, body, secrets, isAsymmetric, signature, method: 'POST', ...overrides };
  const headers = ['webhook-id', id, 'webhook-timestamp', timestamp, 'webhook-signature', merged.signature];
  return { headers: [...headers, 'content-type', 'application/json'], ...merged };
}

/** Sends the request unchanged, and returns the response's status. */
function send(url: string, { method, headers, body }: SignedRequest): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers: [...headers, 'host', new URL(url).host], agent: false });
    sent.on('error', reject);
    sent.on('response', (response) => response.resume().on('end', () => resolve(response.statusCode ?? 0)));
    sent.end(body);
  });
}

/** Returns a function that creates a signed request and changes it after signing. */
const tamper = (change: (good: SignedRequest) => Partial<SignedRequest>) => () => {
  const good = createSignedRequest();
  return { ...good, ...change(good) };
};
const removeHeader = (signedRequest: SignedRequest, name: string): SignedRequest => {
  const at = signedRequest.headers.indexOf(name);
  return { ...signedRequest, headers: signedRequest.headers.toSpliced(at, 2) };
};
const replaceHeader = (signedRequest: SignedRequest, name: string, to: string): SignedRequest => ({
  ...signedRequest,
  headers: signedRequest.headers.map((one) => (one === name ? to : one)),
});
const secondsAgo = (seconds: number) => `${Math.floor(Date.now() / 1000) - seconds}`;
const toBody = (value: unknown) => Buffer.from(JSON.stringify(value));
const ID = '0192f1c2-7d3c-7a52-b0a1-0d8a5b6c7d8e';
const EVENT = { id: ID, type: 'invoice.created', timestamp: '2026-11-21T14:30:00Z', data: {} };

describe('strict receiver: verdicts', () => {
  let receiver: StrictReceiver;

  before(async () => {
    receiver = await StrictReceiver.start();
  });
  after(() => receiver.stop());

  /**
   * Sends the request to a new endpoint with these secrets, and returns the problems that the
   * receiver found.
   */
  async function findProblems(
    signedRequest: SignedRequest,
    secrets = [SECRET],
    publicKeys: string[] = [],
  ): Promise<string[]> {
    const endpoint = receiver.add({ secrets, publicKeys });
    await send(endpoint.url, signedRequest);
    return endpoint.requests[0]?.problems ?? ['not recorded'];
  }

  it('the receiver accepts a valid request, one during secret rotation and one signed both ways', async () => {
    expect(await findProblems(createSignedRequest())).to.deep.equal([]);
    expect(
      await findProblems(createSignedRequest({ secrets: [SECRET, OLD_SECRET] }), [SECRET, OLD_SECRET]),
    ).to.deep.equal([]);
    expect(
      await findProblems(createSignedRequest({ isAsymmetric: true }), [SECRET], [PUBLIC_KEY]),
    ).to.deep.equal([]);
    const v1a = createSignedRequest({ isAsymmetric: true, secrets: [] });
    expect(await findProblems(v1a, [], [PUBLIC_KEY]), 'v1a alone').to.deep.equal([]);
  });

  const otherEd25519 = generateKeyPairSync('ed25519').publicKey;
  const INVALID_REQUESTS: Record<
    string,
    [signedRequest: () => SignedRequest, expected: RegExp, secrets?: string[], keys?: string[]]
  > = {
    'a missing id': [() => removeHeader(createSignedRequest(), 'webhook-id'), /webhook-id is there 0 times/],
    'a missing timestamp': [
      () => removeHeader(createSignedRequest(), 'webhook-timestamp'),
      /webhook-timestamp is there 0/,
    ],
    'a missing signature': [
      () => removeHeader(createSignedRequest(), 'webhook-signature'),
      /webhook-signature is there 0/,
    ],
    'a missing content type': [
      () => removeHeader(createSignedRequest(), 'content-type'),
      /content-type is there 0/,
    ],
    'another content type': [
      () => replaceHeader(createSignedRequest(), 'application/json', 'text/json'),
      /content-type is text\/json/,
    ],
    'a repeated header': [
      tamper(({ headers, id }) => ({ headers: [...headers, 'webhook-id', id] })),
      /webhook-id is there 2 times/,
    ],
    'a header name in upper case': [
      () => replaceHeader(createSignedRequest(), 'webhook-id', 'Webhook-Id'),
      /is written Webhook-Id/,
    ],
    'a vendor prefix': [
      () => replaceHeader(createSignedRequest(), 'webhook-id', 'svix-id'),
      /webhook-id is there 0/,
    ],
    'another method': [() => createSignedRequest({ method: 'PUT' }), /the method is PUT/],
    'a full stop in the id': [() => createSignedRequest({ id: 'a.b' }), /webhook-id is a\.b/],
    'text after the timestamp': [
      () => createSignedRequest({ timestamp: `${secondsAgo(0)}s` }),
      /timestamp is \d+s$/,
    ],
    'a timestamp with a fraction': [
      () => createSignedRequest({ timestamp: `${secondsAgo(0)}.5` }),
      /timestamp is \d+\.5$/,
    ],
    'a timestamp in milliseconds': [() => createSignedRequest({ timestamp: `${Date.now()}` }), /s old$/],
    'a timestamp older than five minutes': [
      () => createSignedRequest({ timestamp: secondsAgo(310) }),
      /is 31\d\.\d s old/,
    ],
    'a timestamp 8 s in the future': [
      () => createSignedRequest({ timestamp: secondsAgo(-8) }),
      /is -[678]\.\d s old/,
    ],
    'a body that is not UTF-8': [
      () => createSignedRequest({ body: Buffer.from([0x22, 0xff, 0x22]) }),
      /not valid UTF-8/,
    ],
    'a body that is not JSON': [() => createSignedRequest({ body: Buffer.from('{"id":') }), /is no JSON/],
    'a body that is not an object': [() => createSignedRequest({ body: toBody([1]) }), /is no object/],
    'an id that differs from the body’s id': [
      () => createSignedRequest({ body: toBody(EVENT) }),
      /the id of the body is 0192/,
    ],
    'an invalid event type': [
      () => createSignedRequest({ id: ID, body: toBody({ ...EVENT, type: 'paid' }) }),
      /type is paid/,
    ],
    'an invalid event time': [
      () => createSignedRequest({ id: ID, body: toBody({ ...EVENT, timestamp: 'today' }) }),
      /timestamp is today/,
    ],
    'a body without data': [
      () => createSignedRequest({ id: ID, body: toBody({ ...EVENT, data: null }) }),
      /data is no/,
    ],
    'a changed body': [
      tamper(({ body }) => ({ body: Buffer.from(`${body} `) })),
      /nothing is signed with whsec_AQEB/,
    ],
    'a changed id': [
      tamper(({ headers }) => ({ headers: headers.with(1, randomUUID()) })),
      /nothing is signed with whsec_AQEB/,
    ],
    'a changed timestamp': [
      tamper(({ headers }) => ({ headers: headers.with(3, secondsAgo(-2)) })),
      /nothing is signed with whsec_AQEB/,
    ],
    'another secret': [
      () => createSignedRequest({ secrets: [OLD_SECRET] }),
      /nothing is signed with whsec_AQEB/,
    ],
    'only the old secret during a rotation': [
      () => createSignedRequest({ secrets: [OLD_SECRET] }),
      /nothing is signed with whsec_AQEB/,
      [SECRET, OLD_SECRET],
    ],
    'an expired secret': [() => createSignedRequest({ secrets: [SECRET, OLD_SECRET] }), /is of no known key/],
    'a missing verification key': [() => createSignedRequest(), /no key of this endpoint is known/, []],
    'another ed25519 key': [
      () => createSignedRequest({ isAsymmetric: true }),
      /nothing is signed with whpk_/,
      [SECRET],
      [`whpk_${jwkX(otherEd25519).toString('base64')}`],
    ],
    'a repeated signature': [() => createSignedRequest({ secrets: [SECRET, SECRET] }), /is there twice/],
    'a list with commas': [
      () =>
        createSignedRequest({
          signature: createSignedRequest({ secrets: [SECRET, OLD_SECRET] }).signature.replace(' ', ', '),
        }),
      /webhook-signature is v1,/,
    ],
    'two spaces in the list': [
      () => createSignedRequest({ signature: 'v1,AAAA  v1,AAAA' }),
      /webhook-signature is v1,AAAA {2}v1/,
    ],
    'an unknown scheme': [() => createSignedRequest({ signature: 'v2,AAAA' }), /webhook-signature is v2/],
    'a signature in hexadecimal': [
      () => createSignedRequest({ signature: `v1,${'ab'.repeat(32)}` }),
      /is not the base64 of 32 bytes/,
    ],
    'a signature in base64url': [
      () => createSignedRequest({ signature: 'v1,a-_b' }),
      /webhook-signature is v1,a-_b/,
    ],
    'a v1a signature of half its length': [
      () => createSignedRequest({ signature: `v1a,${Buffer.alloc(32).toString('base64')}` }),
      /is not the base64 of 64 bytes/,
    ],
  };
  for (const [label, [signedRequest, expected, secrets, keys]] of Object.entries(INVALID_REQUESTS)) {
    it(`the receiver finds ${label}`, async () => {
      const problems = await findProblems(signedRequest(), secrets, keys);
      expect(
        problems.some((one) => expected.test(one)),
        problems.join('; '),
      ).to.equal(true);
    });
  }

  it('the receiver also reports the verdict of the standardwebhooks package', async () => {
    const problems = await findProblems(createSignedRequest({ secrets: [OLD_SECRET] }));
    expect(problems).to.include('standardwebhooks: No matching signature found');
  });

  it('the receiver ignores signatures by a tolerated secret', async () => {
    const endpoint = receiver.add({ secret: SECRET });
    endpoint.tolerated = [OLD_SECRET];
    for (const secrets of [[SECRET], [SECRET, OLD_SECRET]])
      await send(endpoint.url, createSignedRequest({ secrets }));
    expect(endpoint.problems).to.deep.equal([]);
  });

  it('the receiver finds a body that differs between attempts of one id, across endpoints', async () => {
    const [first, second] = [receiver.add({ secret: SECRET }), receiver.add({ secret: SECRET })];
    const signedRequest = createSignedRequest();
    await send(first.url, signedRequest);
    await send(first.url, signedRequest);
    expect(first.problems).to.deep.equal([]);
    expect(first.requests.map(({ nth }) => nth)).to.deep.equal([1, 2]);
    const other = createSignedRequest({ id: signedRequest.id, body: Buffer.from(`${signedRequest.body} `) });
    for (const { url } of [first, second]) await send(url, other);
    for (const { problems } of [first, second])
      expect(problems)
        .to.have.length(1)
        .and.to.match(/not the one that this id came with before/);
    expect([first.ids, second.ids]).to.deep.equal([[signedRequest.id], [signedRequest.id]]);
  });

  it('the receiver finds a retry with the timestamp of an earlier attempt', async () => {
    const endpoint = receiver.add({ secret: SECRET });
    const signedRequest = createSignedRequest();
    await send(endpoint.url, signedRequest);
    await new Promise((resolve) => setTimeout(resolve, 2100));
    await send(endpoint.url, createSignedRequest({ id: signedRequest.id, body: signedRequest.body }));
    expect(endpoint.problems, 'renewed').to.deep.equal([]);
    await send(endpoint.url, signedRequest);
    expect(endpoint.problems)
      .to.have.length(1)
      .and.to.match(/that of an earlier attempt/);
  });

  it('the receiver finds a request to an unknown path, such as after a followed redirect', async () => {
    const own = await StrictReceiver.start({ secret: SECRET });
    expect(await send(`${own.origin}/elsewhere`, createSignedRequest())).to.equal(404);
    expect(own.problems).to.deep.equal(['POST /elsewhere is for no endpoint']);
    await own.stop();
  });
});
