import { createHash, randomBytes } from 'node:crypto';
import { openIds, sealIds } from '../../contracts/sealed-ids.js';
import { deriveKey, seal, unseal } from '../../platform/crypto.js';

/** The secrets of a connection, which leave the process only sealed. */
export interface ConnectionSecrets {
  /** Compared on unsealing, so that the sealed secrets of another connection are refused. */
  connectionId: string;
  /** The values that the account entered. */
  credentials: Record<string, string>;
  accessToken?: string;
  refreshToken?: string;
  /** What the vendor's sign-in page returned beside the code, such as the id of a company. */
  signInParams?: Record<string, string>;
  /** The result of an OAuth sign-in, until the worker exchanges it for tokens. */
  authorization?: { code: string; verifier: string; params: Record<string, string> };
}

export function deriveConnectionsKey(secretKey: string): Buffer {
  return deriveKey(secretKey, 'connections');
}

export function sealSecrets(key: Buffer, secrets: ConnectionSecrets): string {
  return seal(key, JSON.stringify(secrets));
}

/** @throws if the text was sealed for another connection */
export function unsealSecrets(key: Buffer, connectionId: string, sealed: string): ConnectionSecrets {
  const secrets = JSON.parse(unseal(key, sealed)) as ConnectionSecrets;
  if (secrets.connectionId !== connectionId) throw new Error('sealed secrets of another connection');
  return secrets;
}

/** The key that seals the addresses to which vendors send their webhooks. */
export function deriveHookKey(secretKey: string): Buffer {
  return deriveKey(secretKey, 'connection hooks');
}

export function sealHookToken(key: Buffer, tenantId: string, connectionId: string): string {
  return sealIds(key, tenantId, connectionId);
}

export function openHookToken(key: Buffer, token: string) {
  const ids = openIds(key, token);
  return ids && { tenantId: ids.tenantId, connectionId: ids.id };
}

/** SHA-256 of a vendor and its account, to find a connection before its tenant is known. */
export function hashExternalAccount(vendor: string, externalAccount: string): Buffer {
  return createHash('sha256').update(`${vendor}\n${externalAccount}`).digest();
}

/** The state of an OAuth sign-in: the ids of its attempt, and 256 random bits. */
export interface OAuthState {
  tenantId: string;
  attemptId: string;
  /** SHA-256 of the state. Only the hash is stored. */
  hash: string;
}

export function deriveOAuthKey(secretKey: string): Buffer {
  return deriveKey(secretKey, 'oauth states');
}

export function createOAuthState(key: Buffer, tenantId: string, attemptId: string) {
  const state = `${sealIds(key, tenantId, attemptId)}.${randomBytes(32).toString('base64url')}`;
  return { state, hash: hashState(state) };
}

/** Returns undefined for a state that this deployment did not create. */
export function openOAuthState(key: Buffer, state: string): OAuthState | undefined {
  const [token = '', random = ''] = state.split('.');
  const ids = random.length === 43 ? openIds(key, token) : undefined;
  return ids && { tenantId: ids.tenantId, attemptId: ids.id, hash: hashState(state) };
}

function hashState(state: string): string {
  return createHash('sha256').update(state).digest('hex');
}
