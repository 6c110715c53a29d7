import { methodNotAllowed, readUserAgent } from '../../shared/http/request.js';
import { unseal } from '../../shared/platform/crypto.js';
import { findNetworkPrefix } from '../../shared/platform/limits/network-prefix.js';
import { authorizeConnection } from '../../shared/resources/connections/commands.js';
import { type OpenSignIn, readSignIn } from '../../shared/resources/connections/hook-queries.js';
import { createIntegrationCommand } from '../../shared/resources/connections/integration-command.js';
import {
  deriveConnectionsKey,
  deriveOAuthKey,
  openOAuthState,
  sealSecrets,
} from '../../shared/resources/connections/secrets.js';
import { findSession } from '../../shared/resources/sessions/queries.js';
import { readSessionToken } from '../middleware/session-cookie.js';
import type { ApiContext, ApiMiddleware } from '../runtime/context.js';
import type { ApiRuntime } from '../runtime/runtime.js';
import { CALLBACK_PATH } from '../transforms/connection-transforms.js';
import {
  FORM_PAGE_HEADERS,
  PAGE_HEADERS,
  renderConfirmationPage,
  renderExplanationPage,
} from './page-html.js';

const LIMITS = { minute: 60, hour: 600 };
const MAX_CODE_CHARS = 2000;
/**
 * Maximum number of query parameters that are stored in addition to `code` and `state`. Vendors add
 * parameters to the redirect, such as the company that the person chose.
 */
const MAX_PARAMS = 10;

/** The content of a page. A page with a button asks the person to confirm. */
type Page = [status: number, title: string, text: string, button?: string];

const EXPIRED: Page = [
  400,
  'This sign-in has expired',
  'Start it again from the connection. Nothing was connected.',
];

/**
 * Handles the page to which a vendor redirects a person after the sign-in. Stores the authorization
 * code. A worker later exchanges the code for tokens, because only workers call vendors.
 *
 * If an API key started the sign-in, no session proves that the same person now ends it. A GET then
 * only asks the person to connect the account. The button of that page sends a POST, which connects
 * the account.
 */
export function serveOAuthCallback(api: ApiRuntime): ApiMiddleware {
  return async (ctx, next) => {
    if (ctx.path !== CALLBACK_PATH) return next();
    ctx.state.route = CALLBACK_PATH;
    ctx.set(PAGE_HEADERS);
    if (ctx.method !== 'GET' && ctx.method !== 'POST') throw methodNotAllowed(ctx.method, ['GET', 'POST']);
    const [status, title, text, button] = await handleReturn(api, ctx);
    ctx.status = status;
    ctx.type = 'text/html';
    if (button) ctx.set(FORM_PAGE_HEADERS);
    ctx.body = button ? renderConfirmationPage(title, text, button) : renderExplanationPage(title, text);
  };
}

async function handleReturn(api: ApiRuntime, ctx: ApiContext): Promise<Page> {
  const { allowed } = await api.limiter.consume(`callback:${findNetworkPrefix(ctx.ip)}`, LIMITS);
  if (!allowed) return [429, 'Too many requests', 'Wait a minute, then sign in again.'];
  const params = new URLSearchParams(ctx.querystring);
  const state = openOAuthState(deriveOAuthKey(api.config.secretKey), params.get('state') ?? '');
  const signIn = state && (await readSignIn(api.db, state));
  if (!state || !signIn || !(await isSamePerson(api, ctx, signIn))) return EXPIRED;
  const code = params.get('code');
  if (!code || code.length > MAX_CODE_CHARS)
    return [400, 'Not connected', 'The sign-in was cancelled at the vendor. Nothing was connected.'];
  if (signIn.session_id === null && ctx.method === 'GET') return askToConfirm(api, signIn);
  const { connection_id: connectionId, vendor, environment } = signIn;
  const key = deriveConnectionsKey(api.config.secretKey);
  const others = [...params].filter(([name]) => name !== 'code' && name !== 'state').slice(0, MAX_PARAMS);
  const sealed = sealSecrets(key, {
    connectionId,
    credentials: {},
    authorization: {
      code,
      verifier: unseal(key, signIn.verifier_sealed),
      params: Object.fromEntries(others.map(([name, value]) => [name, value.slice(0, 200)])),
    },
  });
  const command = {
    ...createIntegrationCommand(
      { tenantId: state.tenantId, connectionId, vendor, environment },
      {
        type: authorizeConnection.type,
        entityId: connectionId,
        input: { attempt_id: state.attemptId, secrets_sealed: sealed },
      },
    ),
    source: 'webhook' as const,
    requestId: ctx.state.requestId,
    ip: ctx.ip,
    userAgent: readUserAgent(ctx.req),
  };
  const submitted = await api.submit(command, 0);
  if ('ok' in submitted && !submitted.ok) return EXPIRED;
  return [200, 'Connected', 'You can close this window. The connection is active in a moment.'];
}

/**
 * Asks the person whether to connect this account. Otherwise an attacker could start a sign-in and
 * send its link to a person. The attacker's account would then get access to that person's account
 * at the vendor. Another site cannot send the POST for the person, because only the redirected
 * browser has the code.
 */
function askToConfirm({ vendors }: ApiRuntime, { vendor, account, environment }: OpenSignIn): Page {
  const label = vendors.find(vendor)?.manifest.label ?? vendor;
  const name = environment === 'sandbox' ? `${account} (sandbox)` : account;
  const text =
    `The account ${name} asks for access to your account at ${label}. ` +
    `Go on only if you work for ${name}. Otherwise close this window, and nothing is connected.`;
  return [200, `Connect ${label} to ${name}?`, text, `Connect ${name}`];
}

/**
 * True if the request has the session that started the sign-in, or if an API key started it.
 * Without this check, an attacker could start a sign-in and send its link to another person. That
 * person's account at the vendor would then be connected to the attacker's account.
 */
async function isSamePerson(api: ApiRuntime, ctx: ApiContext, { session_id }: OpenSignIn): Promise<boolean> {
  if (session_id === null) return true;
  const token = readSessionToken(api, ctx);
  const found = token ? await findSession(api.db, { token, environment: 'live' }) : undefined;
  if (!found || found.revoked || (found.expiresAt ?? 0) < Date.now()) return false;
  // The person may no longer be an admin.
  return found.permissions.includes('admin') && found.session?.id === session_id;
}
