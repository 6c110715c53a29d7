import { randomInt } from 'node:crypto';
import { hmacSha256, seal, unseal } from '../../shared/platform/crypto.js';
import type { NewCodes } from '../../shared/resources/factors/commands.js';

const CODES = 10;
/**
 * The alphabet has no letters or digits that look alike. A code of 16 characters has 79 random
 * bits.
 */
const ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz';
const GROUPS = 4;
const GROUP_LENGTH = 4;

/** Creates the recovery codes of a person. */
export function createRecoveryCodes(key: Buffer, userId: string): NewCodes {
  const codes = Array.from({ length: CODES }, createCode);
  return {
    sealed: seal(key, JSON.stringify(codes)),
    hashes: codes.map((code) => hashRecoveryCode(key, userId, code)),
  };
}

function createCode(): string {
  const createGroup = () =>
    Array.from({ length: GROUP_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return Array.from({ length: GROUPS }, createGroup).join('-');
}

/** Ignores case, blanks and hyphens, because people type these codes. */
export function hashRecoveryCode(key: Buffer, userId: string, code: string): string {
  const plain = code.toLowerCase().replace(/[^a-z0-9]/g, '');
  return hmacSha256(key, `recovery-code ${userId} ${plain}`).toString('base64url');
}

export function unsealRecoveryCodes(key: Buffer, sealed: string): string[] {
  return JSON.parse(unseal(key, sealed)) as string[];
}
