import type { Command } from '../../shared/contracts/command.js';
import { methodNotAllowed, readUserAgent } from '../../shared/http/request.js';
import type { InboundNotice, TenantVendor } from '../../shared/integrations/contract/vendor.js';
import { AppError } from '../../shared/platform/errors.js';
import { newId } from '../../shared/platform/ids.js';
import { receiveNotices } from '../../shared/resources/connections/commands.js';
import {
  type CalledConnection,
  findConnectionsOfAccount,
  readCalledConnection,
} from '../../shared/resources/connections/hook-queries.js';
import {
  deriveConnectionsKey,
  deriveHookKey,
  hashExternalAccount,
  openHookToken,
  unsealSecrets,
} from '../../shared/resources/connections/secrets.js';
import type { ApiContext, ApiMiddleware } from '../runtime/context.js';
import type { ApiRuntime } from '../runtime/runtime.js';
import { HookGuard, tooManyWebhooks, unknownAddress } from './hook-guard.js';
import { commitCommands, prepareCommands } from './store-webhook.js';

const PATH = /^\/hooks\/([a-z][a-z0-9_]{0,63})(?:\/([A-Za-z0-9_-]{1,200}))?$/;
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
    const [path, name = '', token] = PATH.exec(ctx.path) ?? [];
    if (!path) return next();
    ctx.state.route = token === undefined ? '/hooks/{vendor}' : '/hooks/{vendor}/{token}';
    if (ctx.method !== 'POST') throw methodNotAllowed(ctx.method, ['POST']);
    const vendor = api.vendors.find(name);
    const ref = token === undefined ? undefined : openHookToken(hookKey, token);
    if (!vendor || vendor.inbound.isPerApplication !== (token === undefined) || (token && !ref))
      return hooks.guard.refuseUnknown(ctx);
    if (ref) await receiveFor(hooks, ctx, { vendor, ref });
    else await receiveForAll(hooks, ctx, vendor);
    ctx.status = 200;
    ctx.body = '';
  };
}

interface Hooks {
  api: ApiRuntime;
  guard: HookGuard;
}

/**
 * Receives a webhook at the address of one connection.
 * @throws {AppError} 404 for a connection that does not exist or was disconnected
 */
async function receiveFor(
  { api, guard }: Hooks,
  ctx: ApiContext,
  { vendor, ref }: { vendor: TenantVendor; ref: { tenantId: string; connectionId: string } },
): Promise<void> {
  const { connectionId } = ref;
  guard.assertMayCall(ctx, connectionId);
  const connection = await readCalledConnection(api.db, ref);
  if (!connection || connection.vendor !== vendor.manifest.vendor)
    return guard.refuseCall(ctx, connectionId, unknownAddress());
  const key = deriveConnectionsKey(api.config.secretKey);
  const credentials =
    connection.sealed === null ? {} : unsealSecrets(key, connection.id, connection.sealed).credentials;
  const { getSecret = ({ webhook_secret }) => webhook_secret } = vendor.inbound;
  const secret = getSecret(credentials);
  const { items, refusal } = await guard.readBody(ctx, (body) =>
    readWebhook(api, ctx, { vendor, body, secret: secret ?? findAppSecret(api, vendor) }),
  );
  if (refusal?.code === 'unauthorized') await auditRefusal(api, ctx, connection);
  // A correctly signed body in an unknown format counts as a refusal too. The account may know the
  // secret, and could send any number of such bodies.
  if (refusal) return guard.refuseCall(ctx, connectionId, refusal);
  const { isRefused, commands } = await prepareCommands(api, ctx, { connection, items });
  if (isRefused) throw tooManyWebhooks();
  await commitCommands(api, commands);
}

/**
 * Receives a webhook of the operator's application, and stores its items for each connection that
 * the webhook names. Skips connections over their limits, because a 429 would also refuse the items
 * of all other connections. The next regular pull of a skipped connection reads the changes.
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

function findAppSecret({ config }: ApiRuntime, { manifest }: TenantVendor): string | undefined {
  return config.integrations[manifest.vendor]?.webhook_secret;
}

/** The items of a webhook, or the reason why the webhook is refused. */
type Webhook = { items: InboundNotice[]; refusal?: undefined } | { items?: undefined; refusal: AppError };

/** Verifies the signature of a webhook, and splits the webhook into its items. */
function readWebhook(
  { config }: ApiRuntime,
  ctx: ApiContext,
  { vendor, body, secret }: { vendor: TenantVendor; body: Buffer; secret: string | undefined },
): Webhook {
  const { inbound, manifest } = vendor;
  // Some vendors also sign the public URL that they called. Use the configured public URL, because
  // behind a proxy the request's own URL may differ from it.
  const url = `${config.publicUrl}${ctx.originalUrl}`;
  if (secret === undefined || !inbound.verify({ body, headers: ctx.headers, url }, secret))
    return { refusal: new AppError('unauthorized', 'The signature does not match the body.') };
  try {
    return { items: inbound.split(body) };
  } catch (error) {
    const message = `The body is not a webhook of ${manifest.label}.`;
    return { refusal: new AppError('invalid_json', message, { cause: error }) };
  }
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
