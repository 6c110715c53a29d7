import { createHash, randomBytes } from 'node:crypto';
import Joi from 'joi';
import type { Command } from '../../shared/contracts/command.js';
import type { ConnectionCreate, ConnectionPatch } from '../../shared/contracts/generated.js';
import { createValidationError, validate } from '../../shared/contracts/schemas/validate.js';
import { SWEEP_STREAM } from '../../shared/integrations/contract/books/sweep-stream.js';
import {
  offersSignIn,
  sharesHookOfSignIns,
  type TenantVendor,
} from '../../shared/integrations/contract/vendor.js';
import { getVendorAddresses } from '../../shared/integrations/vendor-addresses.js';
import { hmacSha256, seal, unseal } from '../../shared/platform/crypto.js';
import { AppError, notFound } from '../../shared/platform/errors.js';
import { newId } from '../../shared/platform/ids.js';
import type {
  ConnectionChange,
  ConnectionCreation,
  SignInStart,
} from '../../shared/resources/connections/commands.js';
import { readCalledConnection } from '../../shared/resources/connections/hook-queries.js';
import {
  createOAuthState,
  deriveConnectionsKey,
  deriveHookKey,
  deriveOAuthKey,
  sealHookToken,
  sealSecrets,
  unsealSecrets,
} from '../../shared/resources/connections/secrets.js';
import type { ApiContext } from '../runtime/context.js';
import type { ApiRuntime } from '../runtime/runtime.js';

/** Path of the page to which vendors send people back after their sign-in. */
export const CALLBACK_PATH = '/integrations/callback';

/**
 * Creates the functions that prepare the input of connection commands. These functions validate the
 * input against the vendor's manifest and encrypt the credentials. `showSignIn` decrypts the URL of
 * the vendor's sign-in page for the one response that shows it.
 */
export function createConnectionTransforms(api: ApiRuntime) {
  return {
    created: (input: ConnectionCreation, ctx: ApiContext) => prepareCreation(api, input, ctx),
    hasCredentials: (input: ConnectionChange) => (input as ConnectionPatch).credentials !== undefined,
    changed: async (input: ConnectionChange, ctx: ApiContext): Promise<ConnectionChange> => {
      const { credentials, settings, ...rest } = input as ConnectionPatch;
      if (credentials === undefined && settings === undefined) return input;
      const vendor = await findVendor(api, ctx);
      if (credentials !== undefined && vendor.manifest.auth === 'oauth2') throw refuseCredentials(vendor);
      const merged = credentials && { ...(await readCredentials(api, ctx)), ...credentials };
      const checked = checkInput(vendor, { credentials: merged, settings });
      return {
        ...rest,
        ...(checked.settings ? { settings: checked.settings } : {}),
        ...(checked.credentials
          ? { secrets_sealed: sealCredentials(api, vendor, { credentials: checked.credentials, ctx }) }
          : {}),
      };
    },
    reconnected: async (_input: { sign_in?: SignInStart }, ctx: ApiContext) => {
      const vendor = await findVendor(api, ctx);
      if (offersSignIn(vendor, api.config.integrations[vendor.manifest.vendor]))
        return { sign_in: beginSignIn(api, vendor, ctx) };
      const { label } = vendor.manifest;
      throw new AppError(
        'conflict',
        `${label} has no sign-in. Change the credentials of the connection instead.`,
      );
    },
    showSignIn: (body: string, { input }: Command<{ sign_in?: SignInStart }>): string => {
      const record = JSON.parse(body) as { authorize_url?: string | null };
      const { authorize_url: sealed = input.sign_in?.url_sealed ?? null } = record;
      return JSON.stringify({
        ...record,
        authorize_url: sealed && unseal(deriveConnectionsKey(api.config.secretKey), sealed),
      });
    },
    // Replaces credentials by keyed hashes before the body is hashed for idempotency. From unkeyed
    // hashes, an attacker could guess credentials at a million tries per second.
    concealed: (body: unknown): unknown => {
      const { credentials } = Object(body) as ConnectionCreate;
      if (!credentials) return body;
      const values = Object.entries(credentials).map(([name, value]) => [
        name,
        hmacSha256(api.sealingKey, String(value)).toString('base64url'),
      ]);
      return { ...Object(body), credentials: Object.fromEntries(values) };
    },
  };
}

function prepareCreation(api: ApiRuntime, input: ConnectionCreation, ctx: ApiContext): ConnectionCreation {
  const { vendors, config } = api;
  const { vendor: name, label, credentials, settings = {} } = input as unknown as ConnectionCreate;
  const vendor = vendors.find(name);
  if (!vendor) throw refuseVendor(name, vendors.tenantVendors);
  const { manifest, inbound } = vendor;
  const isSignIn =
    manifest.auth === 'oauth2' ||
    (credentials === undefined && offersSignIn(vendor, config.integrations[manifest.vendor]));
  const entered = isSignIn && manifest.auth !== 'oauth2' ? undefined : (credentials ?? {});
  const checked = checkInput(vendor, { credentials: entered, settings });
  const isShared = inbound.isPerApplication || (isSignIn && sharesHookOfSignIns(vendor));
  const hookKey = deriveHookKey(config.secretKey);
  // The worker that describes the account adds the sweep, due only later. During a release, a
  // worker of the version before may get the new connection, and does not know the sweep.
  const { [SWEEP_STREAM]: _sweep, ...streams } = manifest.streams;
  const token = sealHookToken(hookKey, ctx.state.key.tenantId, ctx.state.targetId as string);
  return {
    vendor: manifest.vendor,
    ...(label === undefined ? {} : { label }),
    settings: checked.settings ?? {},
    kind: manifest.kind,
    webhook_url: `${config.publicUrl}/hooks/${manifest.vendor}${isShared ? '' : `/${token}`}`,
    scopes: [...(manifest.oauth?.scopes ?? [])],
    streams,
    ...(isSignIn
      ? { sign_in: beginSignIn(api, vendor, ctx) }
      : { secrets_sealed: sealCredentials(api, vendor, { credentials: checked.credentials ?? {}, ctx }) }),
  };
}

function beginSignIn(api: ApiRuntime, vendor: TenantVendor, ctx: ApiContext): SignInStart {
  const { tenantId, session } = ctx.state.key;
  const { secretKey } = api.config;
  const id = newId();
  const verifier = randomBytes(32).toString('base64url');
  const { state, hash } = createOAuthState(deriveOAuthKey(secretKey), tenantId, id);
  const url = buildSignInUrl(api, vendor, { state, verifier });
  const key = deriveConnectionsKey(secretKey);
  return {
    id,
    state_hash: hash,
    verifier_sealed: seal(key, verifier),
    session_id: session?.id ?? null,
    url_sealed: seal(key, url),
  };
}

function sealCredentials(
  api: ApiRuntime,
  vendor: TenantVendor,
  { credentials, ctx }: { credentials: Record<string, string>; ctx: ApiContext },
): string {
  assertEnvironment(api, vendor, { credentials, environment: ctx.state.key.environment });
  const key = deriveConnectionsKey(api.config.secretKey);
  return sealSecrets(key, { connectionId: ctx.state.targetId as string, credentials });
}

/**
 * Reads the stored credentials of the connection in the path. So a client may send only the
 * credentials that it changes.
 */
async function readCredentials({ db, config }: ApiRuntime, ctx: ApiContext): Promise<Record<string, string>> {
  const connectionId = ctx.state.targetId as string;
  const connection = await readCalledConnection(db, { tenantId: ctx.state.key.tenantId, connectionId });
  if (!connection?.sealed) return {};
  return unsealSecrets(deriveConnectionsKey(config.secretKey), connectionId, connection.sealed).credentials;
}

/**
 * Finds the vendor of the connection in the path.
 * @throws {AppError} 404
 */
async function findVendor({ db, vendors }: ApiRuntime, ctx: ApiContext): Promise<TenantVendor> {
  const [row] = await db.read<{ vendor: string }>(ctx.state.key.tenantId, {
    name: 'read-connection-vendor',
    text: 'select vendor from connections where tenant_id = $1 and id = $2',
    values: [ctx.state.key.tenantId, ctx.state.targetId],
  });
  const vendor = row && vendors.find(row.vendor);
  if (!vendor) throw notFound('connection');
  return vendor;
}

function refuseVendor(name: string, known: readonly TenantVendor[]): AppError {
  const names = known.map(({ manifest }) => manifest.vendor).join(', ') || 'none';
  const message = `vendor ${name} cannot be connected here; available: ${names}`;
  return createValidationError([{ field: 'vendor', code: 'unknown', message }]);
}

/**
 * Builds the error for credentials that were entered for a vendor with OAuth. Only a sign-in may
 * replace the tokens of such a connection.
 */
function refuseCredentials({ manifest: { label } }: TenantVendor): AppError {
  const message = `${label} has no credentials to enter. POST /connections/{id}/reconnect signs in again.`;
  return createValidationError([{ field: 'credentials', code: 'unknown', message }]);
}

/** Validates credentials and settings against the vendor's manifest. Skips undefined arguments. */
function checkInput(
  { manifest }: TenantVendor,
  input: { credentials?: object | undefined; settings?: object | undefined },
) {
  const schema = Joi.object({
    ...(input.credentials ? { credentials: manifest.credentialsSchema.required() } : {}),
    ...(input.settings ? { settings: manifest.settingsSchema.required() } : {}),
  });
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  return validate<{ credentials?: Record<string, string>; settings?: Record<string, unknown> }>(
    schema,
    given,
    'refused',
  );
}

/**
 * Refuses live credentials in a sandbox, and test credentials in a live account, if the vendor can
 * recognize them. Accepts all credentials if the setting `base_url` replaces the vendor by a test
 * double. In production, the configuration must not contain this setting.
 */
function assertEnvironment(
  { config }: ApiRuntime,
  { manifest, readEnvironment }: TenantVendor,
  { credentials, environment }: { credentials: Record<string, string>; environment: 'live' | 'sandbox' },
): void {
  const found = readEnvironment?.(credentials);
  if (!found || found === environment || config.integrations[manifest.vendor]?.base_url) return;
  const message = `credentials are ${found} ones, but this is the ${environment} account`;
  throw createValidationError([{ field: 'credentials', code: 'wrong_environment', message }]);
}

/** Builds the URL of the vendor's sign-in page, with PKCE (RFC 7636, method S256). */
function buildSignInUrl(
  { config }: ApiRuntime,
  vendor: TenantVendor,
  { state, verifier }: { state: string; verifier: string },
): string {
  const { vendor: name, label, oauth } = vendor.manifest;
  const settings = config.integrations[name];
  if (!oauth || !settings?.client_id)
    throw new AppError(
      'conflict',
      `This service has no application at ${label}. Ask its operator to set INTEGRATIONS.`,
    );
  const url = new URL(oauth.authorizePath, getVendorAddresses(vendor, settings).signInUrl);
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: settings.client_id,
    redirect_uri: `${config.publicUrl}${CALLBACK_PATH}`,
    scope: oauth.scopes.join(' '),
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  }).toString();
  return url.href;
}
