import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { deriveKey, seal } from '../../platform/crypto.js';

/** Derives the key that encrypts webhook secrets. */
export function deriveWebhookSecretsKey(secretKey: string): Buffer {
  return deriveKey(secretKey, 'webhook-secrets');
}

/** An encrypted secret, as commands and rows contain it. */
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

/** Generates a secret, and returns it both in plain text and encrypted. */
export function generateSealedSecret(sealingKey: Buffer): SealedSecret & { secret: string } {
  const secret = generateSecret();
  return { secret, sealed: seal(sealingKey, secret) };
}

/**
 * Generates an ed25519 key pair (v1a). The secret key has 64 bytes: the seed followed by the public
 * key, as most ed25519 libraries expect.
 */
export function generateSealedKeyPair(sealingKey: Buffer): SealedKeyPair & { secret: string } {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const [seed, point] = [Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')];
  const secret = `whsk_${Buffer.concat([seed, point]).toString('base64')}`;
  return { secret, publicKey: `whpk_${point.toString('base64')}`, sealed: seal(sealingKey, secret) };
}
