import { randomBytes } from 'node:crypto';
import { computeChecksum62, encodeBase62, seal, sha256 } from '../../platform/crypto.js';

export type KeyKind = 'api' | 'agent';

/**
 * The parts of a key that are stored. `sealed` is stored only within the response to the request
 * that created the key. If the client repeats that request with the same Idempotency-Key, the
 * response shows the key again.
 */
export interface KeyMaterial {
  prefix: string;
  lastFour: string;
  /** SHA-256 of the whole key, in hex. */
  hash: string;
  /** The key, encrypted with the deployment's secret. */
  sealed: string;
}

const PREFIXES = {
  live: { api: 'tk_live_', agent: 'tk_agent_' },
  sandbox: { api: 'tk_test_', agent: 'tk_agent_test_' },
} as const;

// 43 base62 characters encode the 256 random bits, and 6 more encode the checksum.
const SHAPE = /^(tk_live_|tk_test_|tk_agent_test_|tk_agent_)([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

/** Creates a key in the format of docs/decisions.md §6. In the result, only `key` is clear text. */
export function mintKey(
  kind: KeyKind,
  environment: 'live' | 'sandbox',
  sealingKey: Buffer,
): { key: string; material: KeyMaterial } {
  const prefix = PREFIXES[environment][kind];
  const body = `${prefix}${encodeBase62(randomBytes(32), 43)}`;
  const key = `${body}${computeChecksum62(body)}`;
  return {
    key,
    material: {
      prefix,
      lastFour: key.slice(-4),
      hash: sha256(key).toString('hex'),
      sealed: seal(sealingKey, key),
    },
  };
}

/** Checks the shape and the checksum of a key, so that a malformed key needs no database lookup. */
export function isWellFormedKey(text: string): boolean {
  const match = SHAPE.exec(text);
  return match !== null && computeChecksum62(`${match[1]}${match[2]}`) === match[3];
}
