import type { Command } from '../../shared/contracts/command.js';
import { methodNotAllowed, readUserAgent } from '../../shared/http/request.js';
import type { InboundNotice, TenantVendor } from '../../shared/integrations/contract/vendor.js';
import { storeOperation } from '../../shared/operations/store.js';
import { sha256 } from '../../shared/platform/crypto.js';
import { AppError, serviceUnavailable } from '../../shared/platform/errors.js';
import { newId } from '../../shared/platform/ids.js';
import { receiveNotices } from '../../shared/resources/connections/commands.js';
import {
  type CalledConnection,
  findConnectionsOfAccount,
  readCalledConnection,
} from '../../shared/resources/connections/hook-queries.js';
import { createIntegrationCommand } from '../../shared/resources/connections/integration-command.js';
import {
  deriveConnectionsKey,
  deriveHookKey,
  hashExternalAccount,
  openHookToken,
  unsealSecrets,
} from '../../shared/resources/connections/secrets.js';
import type { ApiContext, ApiMiddleware } from '../runtime/context.js';
import type { ApiRuntime } from '../runtime/runtime.js';
import { HookGuard, tooManyWebhooks } from './hook-guard.js';

const PATH = /^\/hooks\/([a-z][a-z0-9_]{0,63})(?:\/([A-Za-z0-9_-]{1,200}))?$/;
/**
 * Maximum items of one webhook that are stored. The worker reads every stream regularly, and then
 * finds the changes of the remaining items.
 */
const MAX_ITEMS = 200;
/**
 * If a webhook names more of the vendor's accounts than this, the remaining accounts are ignored.
 */
const MAX_ACCOUNTS = 20;
/**
 * Webhooks per connection. A refused webhook loses nothing: the vendor sends it again, and the
 * worker reads the vendor's changes regularly.
 */
const CONNECTION_LIMITS = { minute: 3000, hour: 60_000 };
/**
 * How long the response waits for the commit, because vendors expect a response within seconds. A
 * slower command is stored as an operation and runs later.
 */
const COMMIT_TIMEOUT_MS = 800;
const OPERATION_LEASE_SECONDS = 5;

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
    hooks.guard.assertMayTry(ctx);
    const notices = ref
      ? await receiveFor(hooks, ctx, { vendor, ref })
      : await receiveForAll(hooks, ctx, vendor);
    await Promise.all(notices.map((received) => store(api, ctx, received)));
    ctx.status = 200;
    ctx.body = '';
  };
}

interface Hooks {
  api: ApiRuntime;
  guard: HookGuard;
}

interface Received {
  connection: CalledConnection;
  items: InboundNotice[];
}

async function receiveFor(
  { api, guard }: Hooks,
  ctx: ApiContext,
  { vendor, ref }: { vendor: TenantVendor; ref: { tenantId: string; connectionId: string } },
): Promise<Received[]> {
  const connection = await readCalledConnection(api.db, ref);
  if (!connection || connection.vendor !== vendor.manifest.vendor) return guard.refuseUnknown(ctx);
  const key = deriveConnectionsKey(api.config.secretKey);
  const secret =
    connection.sealed === null
      ? undefined
      : unsealSecrets(key, connection.id, connection.sealed).credentials.webhook_secret;
  const items = await guard.readBody(ctx, (body) =>
    splitGenuine(api, ctx, { vendor, body, secret: secret ?? findAppSecret(api, vendor) }),
  );
  if (items) return [{ connection, items }];
  await auditRefusal(api, ctx, connection);
  return guard.refuseSignature(ctx);
}

async function receiveForAll(
  { api, guard }: Hooks,
  ctx: ApiContext,
  vendor: TenantVendor,
): Promise<Received[]> {
  const items = await guard.readBody(ctx, (body) =>
    splitGenuine(api, ctx, { vendor, body, secret: findAppSecret(api, vendor) }),
  );
  if (!items) return guard.refuseSignature(ctx);
  const byAccount = new Map<string, InboundNotice[]>();
  for (const item of items) {
    const { externalAccount } = item;
    if (externalAccount === null) continue;
    byAccount.set(externalAccount, [...(byAccount.get(externalAccount) ?? []), item]);
  }
  const received: Received[] = [];
  for (const [account, items] of [...byAccount].slice(0, MAX_ACCOUNTS)) {
    const hash = hashExternalAccount(vendor.manifest.vendor, account);
    const connections = await findConnectionsOfAccount(api.db, hash);
    received.push(...connections.map((connection) => ({ connection, items })));
  }
  return received;
}

function findAppSecret({ config }: ApiRuntime, { manifest }: TenantVendor): string | undefined {
  return config.integrations[manifest.vendor]?.webhook_secret;
}

/**
 * Returns the items of a webhook, or undefined if its signature is wrong.
 * @throws {AppError} 400 for a signed body in an unknown format
 */
function splitGenuine(
  { config }: ApiRuntime,
  ctx: ApiContext,
  { vendor, body, secret }: { vendor: TenantVendor; body: Buffer; secret: string | undefined },
): InboundNotice[] | undefined {
  const { inbound, manifest } = vendor;
  // The vendor's signature covers the public URL, which may differ from the URL behind a proxy.
  const url = `${config.publicUrl}${ctx.originalUrl}`;
  if (secret === undefined || !inbound.verify({ body, headers: ctx.headers, url }, secret)) return undefined;
  try {
    return inbound.split(body);
  } catch (error) {
    const message = `The body is not a webhook of ${manifest.label}.`;
    throw new AppError('invalid_json', message, { cause: error });
  }
}

/**
 * Stores the items of a webhook through a command. If the commit takes too long, stores the command
 * as an operation, which runs later.
 */
async function store(api: ApiRuntime, ctx: ApiContext, { connection, items }: Received): Promise<void> {
  const { tenant_id: tenantId, id: connectionId, vendor, environment } = connection;
  const { allowed } = await api.limiter.consume(`hook:${connectionId}`, CONNECTION_LIMITS);
  if (!allowed) throw tooManyWebhooks();
  if (items.length === 0) return;
  const notices = items
    .slice(0, MAX_ITEMS)
    .map(({ dedupeId, stream }) => ({ dedupe_id: shorten(dedupeId), stream }));
  const command: Command = {
    ...createIntegrationCommand(
      { tenantId, connectionId, vendor, environment },
      { type: receiveNotices.type, entityId: connectionId, input: { notices } },
    ),
    source: 'webhook',
    requestId: ctx.state.requestId,
    ip: ctx.ip,
    userAgent: readUserAgent(ctx.req),
  };
  const submitted = api.submit(command, 0);
  const first = await Promise.race([submitted, wait(COMMIT_TIMEOUT_MS)]);
  if (first) {
    // A 503 makes the vendor send the webhook again.
    if ('ok' in first && !first.ok)
      throw serviceUnavailable('The webhook could not be stored. Send it again.');
    return;
  }
  // The operation runs the command even if its job was lost. If the job runs too, the command still
  // acts only once.
  submitted.catch(() => undefined);
  await storeOperation(api.db, command, OPERATION_LEASE_SECONDS);
}

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms).unref());

/**
 * Replaces a long id by its hash, because a vendor's id may be longer than an index entry allows.
 */
function shorten(dedupeId: string): string {
  return dedupeId.length <= 100 ? dedupeId : sha256(dedupeId).toString('base64url');
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
