import Joi from 'joi';
import type { Config, VendorSettings } from '../../../shared/config/config.js';
import { failpoint } from '../../../shared/config/failpoints.js';
import type { OAuthManifest, TenantVendor } from '../../../shared/integrations/contract/vendor.js';
import { VendorError } from '../../../shared/integrations/contract/vendor-error.js';
import { getVendorAddresses } from '../../../shared/integrations/vendor-addresses.js';
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
  type SecretRow,
  storeRefreshed,
} from '../../../shared/sync/secret-rows.js';
import type { VendorCaller } from './vendor-caller.js';

/** The worker refreshes a token this long before the token expires. */
const REFRESH_EARLY_MS = 5 * 60_000;
const REFRESH_LEASE_SECONDS = 60;
/** The wait after a failed refresh. */
const REFUSAL_WAIT_MS = 30_000;
const BUSY_WAIT_MS = 1_000;
/** After this many refusals, a person must sign in again. */
const MAX_REFUSALS = 2;

export interface TokenParts {
  db: Database;
  config: Config;
  vendor: TenantVendor;
  caller: VendorCaller;
  ref: ConnectionQueueRef;
  /** The vendor account of the connection. Null until the vendor has named the account. */
  externalAccount: string | null;
  /** The secrets that are stored when the step begins. */
  stored: SecretRow | undefined;
}

export interface OpenSecrets {
  secrets: ConnectionSecrets;
  version: number;
}

/**
 * Returns a connection's secrets. Refreshes the access token first if it is about to expire. Many
 * vendors accept a refresh token only once. So only the worker with the lease refreshes, and it
 * stores the new tokens before it uses them.
 * @param refusedVersion the version of the secrets whose access token the vendor has refused
 * @throws {VendorError} `auth` if a person must sign in again, `again` if the step must wait
 */
export async function openSecrets(parts: TokenParts, refusedVersion: number | null): Promise<OpenSecrets> {
  const { config, ref, stored: row } = parts;
  if (!row) throw new VendorError('No credentials are stored. Connect again.', { kind: 'auth' });
  const key = deriveConnectionsKey(config.secretKey);
  const secrets = unsealSecrets(key, ref.connectionId, row.sealed);
  const { version } = row;
  if (!isSignedIn(secrets)) return { secrets, version };
  const isFresh = row.access_expires_at === null || row.access_expires_at > Date.now() + REFRESH_EARLY_MS;
  if (secrets.accessToken && isFresh && version !== refusedVersion) return { secrets, version };
  return refresh(parts, row, secrets);
}

/** True if a person has connected by a sign-in at the vendor, and not by entering credentials. */
export function isSignedIn({ accessToken, refreshToken, authorization }: ConnectionSecrets): boolean {
  return accessToken !== undefined || refreshToken !== undefined || authorization !== undefined;
}

async function refresh(parts: TokenParts, row: SecretRow, secrets: ConnectionSecrets): Promise<OpenSecrets> {
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
  const { authorization, ...kept } = secrets;
  const next: ConnectionSecrets = {
    ...kept,
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token ?? secrets.refreshToken ?? '',
    signInParams: authorization?.params ?? secrets.signInParams ?? {},
  };
  const toTime = (seconds: number | undefined) =>
    seconds === undefined ? null : Date.now() + seconds * 1000;
  const isStored = await db.transaction([ref.tenantId], (tx) =>
    storeRefreshed(tx, ref, version, {
      sealed: sealSecrets(deriveConnectionsKey(config.secretKey), next),
      accessExpiresAt: toTime(tokens.expires_in),
      refreshExpiresAt: toTime(
        tokens.refresh_token_expires_in ?? parts.vendor.manifest.oauth?.refreshTokenSeconds,
      ),
    }),
  );
  if (!isStored)
    throw new VendorError('The access was renewed elsewhere.', { kind: 'again', retryAfterMs: BUSY_WAIT_MS });
  return { secrets: next, version: version + 1 };
}

const tokenSchema = Joi.object<Tokens>({
  access_token: Joi.string().required(),
  refresh_token: Joi.string().allow(null),
  expires_in: Joi.number().positive(),
  refresh_token_expires_in: Joi.number().positive(),
})
  // Intuit has its own name for this member.
  .rename('x_refresh_token_expires_in', 'refresh_token_expires_in', { ignoreUndefined: true, override: true })
  .unknown();

interface Tokens {
  access_token: string;
  refresh_token?: string | null;
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
  const { oauth } = vendor.manifest;
  const response = await caller.call(getVendorAddresses(vendor, settings).identityUrl, {
    method: 'POST',
    path: oauth?.tokenPath ?? '',
    ...signForm(oauth, settings, grant),
    isRepeatable: false,
  });
  const body = parseJson(response.body.toString('utf8'));
  if (response.status !== 200) throw toTokenError(response.status, body);
  const { error, value } = tokenSchema.validate(body);
  if (!error) return value;
  throw new VendorError('The vendor renewed the access without a usable token.', {
    kind: 'again',
    code: 'invalid_tokens',
  });
}

/** Builds a form with the credentials of the operator's application (RFC 6749, section 2.3.1). */
function signForm(
  oauth: OAuthManifest | undefined,
  { client_id = '', client_secret = '' }: VendorSettings,
  form: Record<string, string>,
): { headers: Record<string, string>; body: string } {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
  if (oauth?.sendsSecretInBody)
    return { headers, body: new URLSearchParams({ ...form, client_id, client_secret }).toString() };
  const basic = Buffer.from(`${client_id}:${client_secret}`).toString('base64');
  return {
    headers: { ...headers, authorization: `Basic ${basic}` },
    body: new URLSearchParams(form).toString(),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Converts an error response of the token endpoint. Only `invalid_grant` means that the vendor
 * refuses this account's access (RFC 6749, section 5.2).
 */
function toTokenError(status: number, body: unknown): Error {
  const { error } = Object(body) as { error?: unknown };
  if (error === 'invalid_grant') return new InvalidGrantError('The vendor refused to renew the access.');
  const code = typeof error === 'string' ? error.slice(0, 100) : `http_${status}`;
  return new VendorError(`The vendor did not renew the access (${code}).`, { kind: 'again', code });
}

/**
 * Ends the lease of a failed refresh, and throws the error for the step. A person must sign in
 * again only after the second `invalid_grant`, because the first may be a mistake of the vendor.
 * Other errors never require a sign-in, because a sign-in would not correct them.
 */
async function handleRefusal({ db, ref }: TokenParts, version: number, error: unknown): Promise<never> {
  const isRefusal = error instanceof InvalidGrantError;
  const refusals = await db.transaction([ref.tenantId], (tx) => countRefusal(tx, ref, version, isRefusal));
  if (!isRefusal) {
    if (!(error instanceof VendorError) || error.kind === 'limit') throw error;
    const { message, code } = error;
    throw new VendorError(message, { kind: 'again', code, retryAfterMs: REFUSAL_WAIT_MS });
  }
  const isFinal = refusals >= MAX_REFUSALS;
  throw new VendorError('The vendor refused to renew the access.', {
    kind: isFinal ? 'auth' : 'again',
    code: 'invalid_grant',
    ...(isFinal ? {} : { retryAfterMs: REFUSAL_WAIT_MS }),
  });
}

/**
 * Asks the vendor to revoke the access of a disconnected connection. Does nothing if the vendor has
 * no revocation endpoint or the connection has no token.
 * @throws {VendorError} if the vendor fails or refuses
 */
export async function revokeAccess(
  { config, vendor, caller, externalAccount }: TokenParts,
  { refreshToken, accessToken }: ConnectionSecrets,
): Promise<void> {
  const { vendor: name, oauth } = vendor.manifest;
  const token = refreshToken || accessToken;
  if (!oauth?.revokePath || !token) return;
  const settings: VendorSettings = config.integrations[name] ?? {};
  const { client_id: clientId = '' } = settings;
  const body = oauth.buildRevocation?.({ clientId, externalAccount: externalAccount ?? '' }) ?? { token };
  const form = signForm(oauth, settings, body);
  const json = {
    headers: { ...form.headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  const { status } = await caller.call(getVendorAddresses(vendor, settings).revokeUrl, {
    method: 'POST',
    path: oauth.revokePath,
    ...(oauth.revokesWithJson ? json : form),
    isRepeatable: true,
  });
  if (status >= 400)
    throw new VendorError(`The vendor answered ${status} to the revocation.`, { kind: 'refused' });
}
