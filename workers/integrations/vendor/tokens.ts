import type { Config, VendorSettings } from '../../../shared/config/config.js';
import { failpoint } from '../../../shared/config/failpoints.js';
import { getVendorAddresses, type TenantVendor } from '../../../shared/integrations/contract/vendor.js';
import { VendorError } from '../../../shared/integrations/contract/vendor-error.js';
import type { Database } from '../../../shared/platform/postgres/database.js';
import type { ConnectionQueueRef } from '../../../shared/queues/integrations.js';
import {
  type ConnectionSecrets,
  deriveConnectionsKey,
  sealSecrets,
  unsealSecrets,
} from '../../../shared/resources/connections/secrets.js';
import {
  countRefusal,
  leaseRefresh,
  readSecrets,
  type SecretRow,
  storeRefreshed,
} from '../../../shared/sync/secret-rows.js';
import type { VendorCaller } from './vendor-caller.js';

/** A token is refreshed this long before it expires. */
const REFRESH_EARLY_MS = 5 * 60_000;
const REFRESH_LEASE_SECONDS = 60;
/** Wait after a failed refresh. */
const REFUSAL_WAIT_MS = 30_000;
const BUSY_WAIT_MS = 1_000;
/** A person must sign in again after this many refusals. */
const MAX_REFUSALS = 2;

export interface TokenParts {
  db: Database;
  config: Config;
  vendor: TenantVendor;
  caller: VendorCaller;
  ref: ConnectionQueueRef;
}

/**
 * Returns a connection's secrets, refreshing the access token first if it is about to expire. Many
 * vendors accept a refresh token only once. So only the worker with the lease refreshes, and it
 * stores the new access and refresh tokens before anyone uses them.
 * @throws {VendorError} `auth` if a person must sign in again, `again` if the step must wait
 */
export async function openSecrets(parts: TokenParts, mustRefresh: boolean): Promise<ConnectionSecrets> {
  const { db, config, vendor, ref } = parts;
  const row = await db.transaction([ref.tenantId], (tx) => readSecrets(tx, ref));
  if (!row) throw new VendorError('No credentials are stored. Connect again.', { kind: 'auth' });
  const key = deriveConnectionsKey(config.secretKey);
  const secrets = unsealSecrets(key, ref.connectionId, row.sealed);
  if (vendor.manifest.auth !== 'oauth2') return secrets;
  const isFresh = row.access_expires_at === null || row.access_expires_at > Date.now() + REFRESH_EARLY_MS;
  if (secrets.accessToken && isFresh && !mustRefresh) return secrets;
  return refresh(parts, row, secrets);
}

async function refresh(
  parts: TokenParts,
  row: SecretRow,
  secrets: ConnectionSecrets,
): Promise<ConnectionSecrets> {
  const { db, config, ref } = parts;
  const { version } = row;
  const isLeased = await db.transaction([ref.tenantId], (tx) =>
    leaseRefresh(tx, ref, { version, leaseSeconds: REFRESH_LEASE_SECONDS }),
  );
  if (!isLeased)
    throw new VendorError('The access is being renewed.', { kind: 'again', retryAfterMs: BUSY_WAIT_MS });
  const tokens = await requestTokens(parts, secrets).catch((error: unknown) =>
    handleRefusal(parts, version, error),
  );
  failpoint(config, 'after_token_request');
  const { authorization: _used, ...kept } = secrets;
  const next: ConnectionSecrets = {
    ...kept,
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token ?? secrets.refreshToken ?? '',
  };
  const toTime = (seconds: number | undefined) =>
    seconds === undefined ? null : Date.now() + seconds * 1000;
  const isStored = await db.transaction([ref.tenantId], (tx) =>
    storeRefreshed(tx, ref, version, {
      sealed: sealSecrets(deriveConnectionsKey(config.secretKey), next),
      accessExpiresAt: toTime(tokens.expires_in),
      refreshExpiresAt: toTime(tokens.refresh_token_expires_in),
    }),
  );
  if (!isStored)
    throw new VendorError('The access was renewed elsewhere.', { kind: 'again', retryAfterMs: BUSY_WAIT_MS });
  return next;
}

interface Tokens {
  access_token: string;
  refresh_token?: string;
  /** In seconds, like `refresh_token_expires_in`. */
  expires_in?: number;
  refresh_token_expires_in?: number;
}

/** Thrown if the token endpoint refused the code or the refresh token. */
class InvalidGrantError extends Error {
  override readonly name = 'InvalidGrantError';
}

async function requestTokens(
  { config, vendor, caller }: TokenParts,
  { authorization, refreshToken }: ConnectionSecrets,
): Promise<Tokens> {
  const settings: VendorSettings = config.integrations[vendor.manifest.vendor] ?? {};
  const grant = authorization
    ? {
        grant_type: 'authorization_code',
        code: authorization.code,
        code_verifier: authorization.verifier,
        redirect_uri: `${config.publicUrl}/integrations/callback`,
      }
    : { grant_type: 'refresh_token', refresh_token: refreshToken ?? '' };
  const { client_id = '', client_secret = '' } = settings;
  const response = await caller.call(getVendorAddresses(vendor, settings).identityUrl, {
    method: 'POST',
    path: vendor.manifest.oauth?.tokenPath ?? '',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
      authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`,
    },
    body: new URLSearchParams(grant).toString(),
    isRepeatable: false,
  });
  if (response.status !== 200) throw new InvalidGrantError('The vendor refused to renew the access.');
  return JSON.parse(response.body.toString('utf8')) as Tokens;
}

/**
 * Counts the refusal and throws the error for the step. The first refusal may be a mistake of the
 * vendor, so a person must sign in again only after the second.
 */
async function handleRefusal({ db, ref }: TokenParts, version: number, error: unknown): Promise<never> {
  const isRefusal =
    error instanceof InvalidGrantError || (error instanceof VendorError && error.kind === 'auth');
  const refusals = await db.transaction([ref.tenantId], (tx) => countRefusal(tx, ref, version, isRefusal));
  if (!isRefusal && error instanceof VendorError)
    throw new VendorError(error.message, { kind: 'again', code: error.code, retryAfterMs: REFUSAL_WAIT_MS });
  if (!isRefusal) throw error;
  if (refusals < MAX_REFUSALS)
    throw new VendorError('The vendor refused to renew the access.', {
      kind: 'again',
      code: 'invalid_grant',
      retryAfterMs: REFUSAL_WAIT_MS,
    });
  throw new VendorError('The vendor refused to renew the access.', { kind: 'auth', code: 'invalid_grant' });
}

/** Asks the vendor to revoke the access of a disconnected connection. */
export async function revokeAccess(
  { config, vendor, caller }: TokenParts,
  { refreshToken, accessToken }: ConnectionSecrets,
): Promise<void> {
  const { vendor: name, oauth } = vendor.manifest;
  const token = refreshToken || accessToken;
  if (!oauth?.revokePath || !token) return;
  const settings: VendorSettings = config.integrations[name] ?? {};
  const { client_id = '', client_secret = '' } = settings;
  await caller.call(getVendorAddresses(vendor, settings).identityUrl, {
    method: 'POST',
    path: oauth.revokePath,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`,
    },
    body: new URLSearchParams({ token }).toString(),
    isRepeatable: true,
  });
}
