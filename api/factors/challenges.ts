import { deriveKey, seal, unseal } from '../../shared/platform/crypto.js';

/** What the first step of a sign-in returns, after the password was right. */
export interface SignInChallenge {
  tenant_id: string;
  user_id: string;
  /** SHA-256 of the stored password hash, in hex. A new password ends the sign-in. */
  password_mark: string;
  /** The id of the session that the second step creates. So the second step works once. */
  session_id: string;
  /** What a passkey signs. */
  passkey: string;
}

/** What a signed-in person must answer with a proof of a second factor. */
export interface SessionChallenge {
  session_id: string;
  passkey: string;
  /** The time in PostgreSQL. */
  issued_at: string;
}

/**
 * Seals challenges, and opens them until they expire. The server stores no challenge, so that
 * endless requests cannot fill a table.
 */
export interface Challenges<Content> {
  seal: (content: Content) => { challenge: string; expires_at: string };
  /** Returns undefined for an expired challenge, and for one that this service has not made. */
  open: (challenge: string) => Content | undefined;
}

/** How long a person has to answer a challenge. */
export const CHALLENGE_LIFETIME_MS = 5 * 60 * 1000;

/** @param purpose a challenge for one purpose is useless for any other */
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

/** Returns undefined if the text was sealed with another key, as after a change of SECRET_KEY. */
export function tryUnseal(key: Buffer, text: string): string | undefined {
  try {
    return unseal(key, text);
  } catch {
    return undefined;
  }
}
