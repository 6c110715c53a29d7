import { createPublicKey, generateKeyPairSync, randomBytes, verify } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { buildSignatureHeader, parseSigningSecret } from '../../../shared/events/signing.js';

/**
 * The delivery that is signed in the published examples of the Standard Webhooks libraries and the
 * Svix server. Keys of both kinds (`V1` and `V1A`) sign it.
 */
const KNOWN = {
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestampSeconds: 1_614_265_330,
  body: '{"test": 2432232314}',
};
const V1 = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};
const V1A = {
  seed: '6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbc=',
  secret: 'whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbfVKIDij2HKpMKkioLlX0dRqSKJp4AJ6p9lMicMFs6Kvg==',
  signature: 'v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg==',
};

const header = (...secrets: string[]) =>
  buildSignatureHeader({ ...KNOWN, secrets: secrets.map(parseSigningSecret) });

describe('webhook-signature header', () => {
  it('the v1 signature equals the published one', () => {
    expect(header(V1.secret)).to.equal(V1.signature);
  });

  it('the v1a signature equals the published one, from the seed with or without its public key', () => {
    expect(header(V1A.secret)).to.equal(V1A.signature);
    expect(header(`whsk_${V1A.seed}`)).to.equal(V1A.signature);
  });

  it('the header lists one signature per secret, in their sequence', () => {
    expect(header(V1A.secret, V1.secret, V1.secret)).to.equal(
      `${V1A.signature} ${V1.signature} ${V1.signature}`,
    );
  });

  it('the signature is the same for a text and for its bytes', () => {
    const text = '{"note":"Zoë’s tow – 5 €"}';
    const both = [text, Buffer.from(text)].map((body) =>
      buildSignatureHeader({
        ...KNOWN,
        body,
        secrets: [parseSigningSecret(V1.secret), parseSigningSecret(V1A.secret)],
      }),
    );
    expect(both[0]).to.equal(both[1]);
  });

  it('any body verifies with the standardwebhooks package and with ed25519, in a mixed list too', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const seed = Buffer.from(privateKey.export({ format: 'jwk' }).d ?? '', 'base64url');
    const whsk = parseSigningSecret(`whsk_${seed.toString('base64')}`);
    const body = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 300 })
      .map((text) => JSON.stringify(text));
    const key = fc.uint8Array({ minLength: 24, maxLength: 64 });
    const property = fc.property(body, key, (text, bytes) => {
      const secret = `whsec_${Buffer.from(bytes).toString('base64')}`;
      const id = randomBytes(12).toString('hex');
      const timestampSeconds = Math.floor(Date.now() / 1000);
      const signature = buildSignatureHeader({
        id,
        timestampSeconds,
        body: text,
        secrets: [whsk, parseSigningSecret(secret)],
      });
      const headers = { 'webhook-id': id, 'webhook-timestamp': `${timestampSeconds}` };
      const verified = new Webhook(secret).verify(text, { ...headers, 'webhook-signature': signature });
      expect(verified).to.equal(JSON.parse(text));
      const [, v1a = ''] = /^v1a,(\S+) v1,\S+$/.exec(signature) ?? [];
      const content = Buffer.from(`${id}.${timestampSeconds}.${text}`);
      expect(verify(null, content, publicKey, Buffer.from(v1a, 'base64'))).to.equal(true);
    });
    fc.assert(property, { numRuns: 50 });
  });
});

describe('parsing of signing secrets', () => {
  it('a v1a secret is parsed to the private key of its seed', () => {
    const { scheme, key } = parseSigningSecret(V1A.secret);
    expect(scheme).to.equal('v1a');
    const { x } = createPublicKey(key as never).export({ format: 'jwk' });
    expect(Buffer.from(x ?? '', 'base64url').toString('base64')).to.equal(
      Buffer.from(V1A.secret.slice(5), 'base64').subarray(32).toString('base64'),
    );
  });

  const base64 = (bytes: number) => Buffer.alloc(bytes, 7).toString('base64');
  for (const [label, text] of Object.entries({
    'without a prefix': V1.secret.slice(6),
    'of a public key': V1A.secret.replace('whsk_', 'whpk_'),
    'with a trailing space': `${V1.secret} `,
    'with a trailing line break': `${V1.secret}\n`,
    'that is not base64': 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa*w',
    'in base64url': 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa-_',
    'without content': 'whsec_',
    'of 23 bytes': `whsec_${base64(23)}`,
    'of 65 bytes': `whsec_${base64(65)}`,
    'of half a seed': `whsk_${base64(16)}`,
    'whose halves belong to two keys': `whsk_${base64(64)}`,
  })) {
    it(`a secret ${label} is refused without showing it`, () => {
      expect(() => parseSigningSecret(text))
        .to.throw(/secret/)
        .with.property('message')
        .that.does.not.include(text.slice(6, 20) || 'whsec');
    });
  }
});
