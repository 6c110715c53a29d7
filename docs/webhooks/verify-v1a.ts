import { createPublicKey, verify } from 'node:crypto';

/**
 * Returns the event if the endpoint's ed25519 key signed the delivery within the last 5 minutes.
 * The public key (`whpk_…`) checks signatures but cannot create them.
 * @throws {Error} for any other delivery
 */
export function verifyV1a(publicKey: string, headers: Record<string, unknown>, body: Buffer) {
  const { 'webhook-id': id, 'webhook-timestamp': sentAt, 'webhook-signature': signatures } = headers;
  const keyBytes = Buffer.from(publicKey.replace('whpk_', ''), 'base64').toString('base64url');
  const key = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x: keyBytes } });
  const content = Buffer.concat([Buffer.from(`${id}.${sentAt}.`), body]);
  const isValid = (signature: string) =>
    verify(null, content, key, Buffer.from(signature.slice('v1a,'.length), 'base64'));
  const isSigned = `${signatures}`
    .split(' ')
    .some((signature) => signature.startsWith('v1a,') && isValid(signature));
  const isFresh = Math.abs(Date.now() / 1000 - Number(sentAt)) <= 300;
  if (!isSigned || !isFresh) throw new Error('not from Tow Dispatch, or too old');
  return JSON.parse(body.toString());
}
