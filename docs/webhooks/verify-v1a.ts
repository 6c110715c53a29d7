import { createPublicKey, verify } from 'node:crypto';

/** As verify(), for an endpoint with an ed25519 key: who has the public key (`whpk_…`) can check signatures and make none. */
export function verifyV1a(publicKey: string, headers: Record<string, unknown>, body: Buffer) {
  const { 'webhook-id': id, 'webhook-timestamp': sent, 'webhook-signature': signatures } = headers;
  const x = Buffer.from(publicKey.replace('whpk_', ''), 'base64').toString('base64url');
  const key = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } });
  const content = Buffer.concat([Buffer.from(`${id}.${sent}.`), body]);
  const isOwn = (one: string) => verify(null, content, key, Buffer.from(one.slice('v1a,'.length), 'base64'));
  const isSigned = `${signatures}`.split(' ').some((one) => one.startsWith('v1a,') && isOwn(one));
  const isFresh = Math.abs(Date.now() / 1000 - Number(sent)) <= 300;
  if (!isSigned || !isFresh) throw new Error('not from Tow Dispatch, or too old');
  return JSON.parse(body.toString());
}
