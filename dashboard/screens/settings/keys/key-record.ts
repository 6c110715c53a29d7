import type { Schemas } from '../../../api/records';

/** An API key or an agent key. */
export type AnyKey = Schemas['ApiKey'] | Schemas['AgentKey'];

/** A key with its secret. Only the response to its creation contains the secret. */
export type KeyWithSecret = Schemas['ApiKeyWithSecret'] | Schemas['AgentKeyWithSecret'];

export type KeyState = 'active' | 'expired' | 'revoked';

const UNUSED_MS = 30 * 86_400_000;

export function readKeyState({ revoked_at: revokedAt, expires_at: expiresAt }: AnyKey): KeyState {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && Date.parse(expiresAt) <= Date.now() ? 'expired' : 'active';
}

/** True if the key still works but was not used for 30 days. */
export function isIdle(key: AnyKey): boolean {
  const since = Date.parse(key.last_used_at ?? key.created_at);
  return readKeyState(key) === 'active' && Date.now() - since > UNUSED_MS;
}

/** Returns the visible parts of a key: "tk_live_…T22Z". */
export function maskKey({ prefix, last_four: end }: Pick<AnyKey, 'prefix' | 'last_four'>): string {
  return `${prefix}…${end}`;
}

export function readKeyEnvironment({ prefix }: Pick<AnyKey, 'prefix'>): 'Live' | 'Sandbox' {
  return prefix.includes('test') ? 'Sandbox' : 'Live';
}
