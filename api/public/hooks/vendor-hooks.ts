import type { Command } from '../../../shared/contracts/command.js';
import { methodNotAllowed, readUserAgent } from '../../../shared/http/request.js';
import {
  type HookAnswer,
  type InboundNotice,
  sharesHookOfSignIns,
  type TenantVendor,
} from '../../../shared/integrations/contract/vendor.js';
import { AppError } from '../../../shared/platform/errors.js';
import { newId } from '../../../shared/platform/ids.js';
import { receiveNotices } from '../../../shared/resources/connections/commands.js';
import {
  type CalledConnection,
  findConnectionsOfAccount,
  readCalledConnection,
} from '../../../shared/resources/connections/hook-queries.js';
import {
  deriveConnectionsKey,
  deriveHookKey,
  hashExternalAccount,
  openHookToken,
  unsealSecrets,
} from '../../../shared/resources/connections/secrets.js';
import type { ApiContext, ApiMiddleware } from '../../runtime/context.js';
import type { ApiRuntime } from '../../runtime/runtime.js';
import { HookGuard, tooManyWebhooks, unknownAddress } from './hook-guard.js';
import { receivePhone } from './inbound-phone.js';
import type { PhonePart } from './phone-request.js';
import { findAppSecret, readWebhook, verifies, wrongSignature } from './read-webhook.js';
import { commitCommands, prepareCommands, spendLimits } from './store-webhook.js';

const PATH = /^\/hooks\/([a-z][a-z0-9_]{0,63})(?:\/([A-Za-z0-9_-]{1,200})(?:\/(messages|voice|status))?)?$/;
/**
 * Maximum number of vendor accounts that are looked up at the same time. A webhook of 1 MiB can
 * name thousands of accounts.
 */
const LOOKUPS_AT_A_TIME = 10;

/**
 * Handles `/hooks/{vendor}` and `/hooks/{vendor}/{token}`, to which vendors send webhooks without a
 * key. Verifies the signature of the raw bytes, and stores the webhook. A worker then reads the
 * changes from the vendor.
 */
export function serveVendorHooks(api: ApiRuntime): ApiMiddleware {
  const hookKey = deriveHookKey(api.config.secretKey);
  const hooks: Hooks = { api, guard: new HookGuard(api.limiter) };
  return async (ctx, next) => {
    const [path, name = '', token, part] = PATH.exec(ctx.path) ?? [];
    if (!path) return next();
    ctx.state.route = `/hooks/{vendor}${token === undefined ? '' : '/{token}'}${part === undefined ? '' : `/${part}`}`;
    if (ctx.method !== 'POST') throw methodNotAllowed(ctx.method, ['POST']);
    const vendor = api.vendors.find(name);
    const ref = token === undefined ? undefined : openHookToken(hookKey, token);
    const isKnown =
      vendor && (token === undefined ? sharesHookOfSignIns(vendor) : ref && !vendor.inbound.isPerApplication);
    if (!isKnown) return hooks.guard.refuseUnknown(ctx);
    if (part !== undefined && !vendor.phone) return hooks.guard.refuseUnknown(ctx);
    if (!ref) await receiveForAll(hooks, ctx, vendor);
    else if (part === 'messages' || part === 'voice') {
      const { contentType, body } = await receivePhoneFor(hooks, ctx, { vendor, ref, part });
      ctx.set('Content-Type', contentType);
      ctx.body = body;
      return;
    } else await receiveFor(hooks, ctx, { vendor, ref });
    ctx.status = 200;
    ctx.body = '';
  };
}

interface Hooks {
  api: ApiRuntime;
  guard: HookGuard;
}

type ConnectionRef = { tenantId: string; connectionId: string };

/**
 * Reads the connection of an address, and its webhook secret.
 * @throws {AppError} 404 for a connection that does not exist or was disconnected
 */
async function openAddress(
  { api, guard }: Hooks,
  ctx: ApiContext,
  { vendor, ref }: { vendor: TenantVendor; ref: ConnectionRef },
): Promise<{ connection: CalledConnection; secret: string | undefined }> {
  const { connectionId } = ref;
  guard.assertMayCall(ctx, connectionId);
  const connection = await readCalledConnection(api.db, ref);
  if (!connection || connection.vendor !== vendor.manifest.vendor)
    return guard.refuseCall(ctx, connectionId, unknownAddress());
  const key = deriveConnectionsKey(api.config.secretKey);
  const credentials =
    connection.sealed === null ? {} : unsealSecrets(key, connection.id, connection.sealed).credentials;
  const { getSecret = ({ webhook_secret }) => webhook_secret } = vendor.inbound;
  return { connection, secret: getSecret(credentials) ?? findAppSecret(api, vendor) };
}

/** Receives a webhook at the address of one connection. */
async function receiveFor(
  hooks: Hooks,
  ctx: ApiContext,
  { vendor, ref }: { vendor: TenantVendor; ref: ConnectionRef },
): Promise<void> {
  const { api, guard } = hooks;
  const { connection, secret } = await openAddress(hooks, ctx, { vendor, ref });
  const { items, refusal } = await guard.readBody(ctx, (body) =>
    readWebhook(api, ctx, { vendor, body, secret }),
  );
  if (refusal?.code === 'unauthorized') await auditRefusal(api, ctx, connection);
  // Count a correctly signed body in an unknown format as a refusal too. An account that knows its
  // secret could send any number of such bodies.
  if (refusal) return guard.refuseCall(ctx, ref.connectionId, refusal);
  const { isRefused, commands } = await prepareCommands(api, ctx, { connection, items });
  if (isRefused) throw tooManyWebhooks();
  await commitCommands(api, commands);
}

/**
 * Receives a text, or one request of a call, at the address of one connection. Returns the answer.
 */
async function receivePhoneFor(
  hooks: Hooks,
  ctx: ApiContext,
  { vendor, ref, part }: { vendor: TenantVendor; ref: ConnectionRef; part: PhonePart },
): Promise<HookAnswer> {
  const { api, guard } = hooks;
  const { connection, secret } = await openAddress(hooks, ctx, { vendor, ref });
  const verified = await guard.readBody(ctx, (body) =>
    verifies(api, ctx, { vendor, body, secret }) ? Buffer.from(body) : undefined,
  );
  if (!verified) {
    await auditRefusal(api, ctx, connection);
    return guard.refuseCall(ctx, ref.connectionId, wrongSignature());
  }
  if (!(await spendLimits(api, connection, 1))) throw tooManyWebhooks();
  try {
    return await receivePhone(api, ctx, { connection, vendor, part, body: verified });
  } catch (error) {
    if (error instanceof AppError) throw error;
    const refusal = new AppError('invalid_json', `The body is not a request of ${vendor.manifest.label}.`, {
      cause: error,
    });
    return guard.refuseCall(ctx, ref.connectionId, refusal);
  }
}

/**
 * Receives a webhook that the vendor sends once for all connections of the operator's registered
 * app. Its items name accounts at the vendor. Each item is stored for every connection of that
 * account. A connection over its limits is skipped, because a 429 would refuse the items of all
 * other connections too. The next regular pull of a skipped connection reads the changes.
 */
async function receiveForAll({ api, guard }: Hooks, ctx: ApiContext, vendor: TenantVendor): Promise<void> {
  const { items, refusal } = await guard.readBody(ctx, (body) =>
    readWebhook(api, ctx, { vendor, body, secret: findAppSecret(api, vendor) }),
  );
  if (refusal?.code === 'unauthorized') return guard.refuseSignature(ctx, refusal);
  if (refusal) throw refusal;
  const byAccount = [...groupByAccount(items)];
  const commands: Command[] = [];
  for (let start = 0; start < byAccount.length; start += LOOKUPS_AT_A_TIME) {
    const accounts = byAccount.slice(start, start + LOOKUPS_AT_A_TIME);
    const prepared = await Promise.all(
      accounts.map(([account, items]) => prepareForAccount(api, ctx, { vendor, account, items })),
    );
    commands.push(...prepared.flat());
  }
  await commitCommands(api, commands);
}

function groupByAccount(items: readonly InboundNotice[]): Map<string, InboundNotice[]> {
  const byAccount = new Map<string, InboundNotice[]>();
  for (const item of items) {
    const { externalAccount } = item;
    if (externalAccount === null) continue;
    const group = byAccount.get(externalAccount);
    if (group) group.push(item);
    else byAccount.set(externalAccount, [item]);
  }
  return byAccount;
}

async function prepareForAccount(
  api: ApiRuntime,
  ctx: ApiContext,
  { vendor, account, items }: { vendor: TenantVendor; account: string; items: InboundNotice[] },
): Promise<Command[]> {
  const hash = hashExternalAccount(vendor.manifest.vendor, account);
  const connections = await findConnectionsOfAccount(api.db, hash);
  const prepared = await Promise.all(
    connections.map((connection) => prepareCommands(api, ctx, { connection, items })),
  );
  return prepared.flatMap(({ commands }) => commands);
}

/**
 * Stores an audit entry for a wrong signature, at most one a minute per client address and account.
 */
async function auditRefusal(api: ApiRuntime, ctx: ApiContext, connection: CalledConnection): Promise<void> {
  const { tenant_id: tenantId, id: connectionId, vendor } = connection;
  const wish = { name: 'hook-audit', points: 1, perMinute: 1 };
  const { isGranted } = await api.limiter.spendPoints(`${tenantId}/${ctx.ip}`, wish);
  if (!isGranted) return;
  const error = new AppError('unauthorized', 'The signature of a webhook does not match its body.');
  await api.audit.record({
    tenantId,
    id: newId(),
    actor: { type: 'integration', id: connectionId, name: vendor },
    action: receiveNotices.action,
    entityType: 'connection',
    entityId: connectionId,
    outcome: 'denied',
    source: 'webhook',
    tool: null,
    changes: null,
    error: error.toBody(),
    responseStatus: 401,
    requestId: ctx.state.requestId,
    idempotencyKey: null,
    ip: ctx.ip,
    userAgent: readUserAgent(ctx.req),
  });
}
