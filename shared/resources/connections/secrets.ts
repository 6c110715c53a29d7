import { createHash, randomBytes } from 'node:crypto';
import { openIds, sealIds } from '../../contracts/sealed-ids.js';
import { deriveKey, seal, unseal } from '../../platform/crypto.js';

/** The secrets of a connection. They leave the process only encrypted. */
export interface ConnectionSecrets {
  /**
   * `unsealSecrets` checks this id, so that it refuses the encrypted secrets of another connection.
   */
  connectionId: string;
  /** The values that the account entered. */
  credentials: Record<string, string>;
  accessToken?: string;
  refreshToken?: string;
  /**
   * Parameters that the vendor's sign-in page returned besides the code, such as a company's id.
   */
  signInParams?: Record<string, string>;
  /**
   * The parameters that an OAuth sign-in returned. They are stored until the worker exchanges them
   * for tokens.
   */
  authorization?: { code: string; verifier: string; params: Record<string, string> };
}

export function deriveConnectionsKey(secretKey: string): Buffer {
  return deriveKey(secretKey, 'connections');
}

export function sealSecrets(key: Buffer, secrets: ConnectionSecrets): string {
  return seal(key, JSON.stringify(secrets));
}

/**
 * Decrypts the secrets of a connection.
 * @throws if the text was encrypted for another connection
 */
export function unsealSecrets(key: Buffer, connectionId: string, sealed: string): ConnectionSecrets {
  const secrets = JSON.parse(unseal(key, sealed)) as ConnectionSecrets;
  if (secrets.connectionId !== connectionId) throw new Error('sealed secrets of another connection');
  return secrets;
}

/**
 * Derives the key that encrypts the ids in webhook addresses. Vendors send their webhooks to these
 * addresses.
 */
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

/**
 * Hashes a vendor and its account with SHA-256. A webhook names the vendor's account but not the
 * tenant, so the service finds the connection by this hash.
 */
export function hashExternalAccount(vendor: string, externalAccount: string): Buffer {
  return createHash('sha256').update(`${vendor}\n${externalAccount}`).digest();
}

/**
 * A parsed OAuth state. The text of a state consists of the tenant id and the attempt id, both
 * encrypted, and 256 random bits.
 */
export interface OAuthState {
  tenantId: string;
  attemptId: string;
  /** SHA-256 of the state's text, in hexadecimal digits. Only this hash is stored. */
  hash: string;
}

export function deriveOAuthKey(secretKey: string): Buffer {
  return deriveKey(secretKey, 'oauth states');
}

export function createOAuthState(key: Buffer, tenantId: string, attemptId: string) {
  const state = `${sealIds(key, tenantId, attemptId)}.${randomBytes(32).toString('base64url')}`;
  return { state, hash: hashState(state) };
}

/** Parses the state of an OAuth sign-in. Returns undefined if this deployment did not create it. */
export function openOAuthState(key: Buffer, state: string): OAuthState | undefined {
  const [token = '', random = ''] = state.split('.');
  const ids = random.length === 43 ? openIds(key, token) : undefined;
  return ids && { tenantId: ids.tenantId, attemptId: ids.id, hash: hashState(state) };
}

function hashState(state: string): string {
  return createHash('sha256').update(state).digest('hex');
}
