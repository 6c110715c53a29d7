import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { deriveKey, seal } from '../../platform/crypto.js';

/** Encrypts the secrets that sign deliveries. */
export function webhookSecretsKey(secretKey: string): Buffer {
  return deriveKey(secretKey, 'webhook-secrets');
}

/** A secret as it travels and is stored. */
export interface SealedSecret {
  sealed: string;
}

export interface SealedKeyPair extends SealedSecret {
  publicKey: string;
}

/** A secret of 256 random bits for HMAC-SHA256 (Standard Webhooks, v1), in clear text. */
export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** A new secret, sealed. The clear text exists only in the value returned. */
export function mintSecret(sealingKey: Buffer): SealedSecret & { secret: string } {
  const secret = newSecret();
  return { secret, sealed: seal(sealingKey, secret) };
}

/** A key pair for ed25519 (v1a). The secret key is the seed and then the public key, 64 bytes, as most libraries of ed25519 take it. */
export function mintKeyPair(sealingKey: Buffer): SealedKeyPair & { secret: string } {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const [seed, point] = [Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')];
  const secret = `whsk_${Buffer.concat([seed, point]).toString('base64')}`;
  return { secret, publicKey: `whpk_${point.toString('base64')}`, sealed: seal(sealingKey, secret) };
}
