import { deriveKey, seal, unseal } from '../../shared/platform/crypto.js';

/** The content of a challenge for a person who has given the right password at sign-in. */
export interface SignInChallenge {
  tenant_id: string;
  user_id: string;
  /**
   * SHA-256 of the stored password hash, in hex. After a password change, this challenge is
   * invalid.
   */
  password_mark: string;
  /**
   * The id of the session that the second step creates. An id can exist only once, so the challenge
   * works only once.
   */
  session_id: string;
  /** The random value that a passkey signs. */
  passkey: string;
}

/** The content of a challenge for a signed-in person, who must prove a second factor. */
export interface SessionChallenge {
  session_id: string;
  passkey: string;
  /** The time according to PostgreSQL. */
  issued_at: string;
}

/**
 * Seals and opens challenges. The server stores no challenge, so endless requests cannot fill a
 * table.
 */
export interface Challenges<Content> {
  seal: (content: Content) => { challenge: string; expires_at: string };
  /** Returns undefined for an expired challenge, and for a challenge of another service. */
  open: (challenge: string) => Content | undefined;
}

/** How long a person has to answer a challenge. */
export const CHALLENGE_LIFETIME_MS = 5 * 60 * 1000;

/** @param purpose part of the key, so a challenge for one purpose does not work for another */
export function createChallenges<Content>(secretKey: string, purpose: string): Challenges<Content> {
  const key = deriveKey(secretKey, purpose);
  return {
    seal: (content) => {
      const expiresAt = new Date(Date.now() + CHALLENGE_LIFETIME_MS).toISOString();
      return { challenge: seal(key, JSON.stringify({ content, expiresAt })), expires_at: expiresAt };
    },
    open: (challenge) => {
      const opened = tryUnseal(key, challenge);
      if (opened === undefined) return undefined;
      const { content, expiresAt } = JSON.parse(opened) as { content: Content; expiresAt: string };
      return Date.parse(expiresAt) > Date.now() ? content : undefined;
    },
  };
}

/**
 * Returns undefined if the text was sealed with another key, for example before SECRET_KEY changed.
 */
export function tryUnseal(key: Buffer, text: string): string | undefined {
  try {
    return unseal(key, text);
  } catch {
    return undefined;
  }
}
