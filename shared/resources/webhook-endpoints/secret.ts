import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { deriveKey, seal } from '../../platform/crypto.js';

/** Derives the key that encrypts webhook secrets. */
export function deriveWebhookSecretsKey(secretKey: string): Buffer {
  return deriveKey(secretKey, 'webhook-secrets');
}

/** A secret as commands and rows hold it: encrypted. */
export interface SealedSecret {
  sealed: string;
}

export interface SealedKeyPair extends SealedSecret {
  publicKey: string;
}

/** Generates a secret of 256 random bits for HMAC-SHA256 (Standard Webhooks, v1), unencrypted. */
export function generateSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** Generates a secret and seals it. Only the returned value holds the plain text. */
export function generateSealedSecret(sealingKey: Buffer): SealedSecret & { secret: string } {
  const secret = generateSecret();
  return { secret, sealed: seal(sealingKey, secret) };
}

/**
 * Generates an ed25519 key pair (v1a). The secret key is the seed followed by the public key, 64
 * bytes, the format of most ed25519 libraries.
 */
export function generateSealedKeyPair(sealingKey: Buffer): SealedKeyPair & { secret: string } {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const [seed, point] = [Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')];
  const secret = `whsk_${Buffer.concat([seed, point]).toString('base64')}`;
  return { secret, publicKey: `whpk_${point.toString('base64')}`, sealed: seal(sealingKey, secret) };
}
