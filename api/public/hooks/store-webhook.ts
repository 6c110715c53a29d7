import type { Command } from '../../../shared/contracts/command.js';
import { readUserAgent } from '../../../shared/http/request.js';
import type { InboundNotice } from '../../../shared/integrations/contract/vendor.js';
import { storeOperation } from '../../../shared/operations/store.js';
import { sha256 } from '../../../shared/platform/crypto.js';
import { serviceUnavailable } from '../../../shared/platform/errors.js';
import { toStorableText } from '../../../shared/platform/storable-text.js';
import { receiveNotices } from '../../../shared/resources/connections/commands.js';
import {
  type CalledConnection,
  findStoredNotices,
} from '../../../shared/resources/connections/hook-queries.js';
import { createIntegrationCommand } from '../../../shared/resources/connections/integration-command.js';
import type { ApiContext } from '../../runtime/context.js';
import type { ApiRuntime } from '../../runtime/runtime.js';

/**
 * Maximum number of items that are stored per webhook and connection. More items are not needed:
 * one stored item makes the worker read all changes of the item's stream.
 */
const MAX_ITEMS = 200;
/** Longer hints are dropped. The item then only says that its stream has changes. */
const MAX_HINT_CHARS = 100;
/**
 * Maximum number of webhooks per connection. A refused webhook loses nothing: the vendor sends it
 * again, and the worker also reads the vendor's changes regularly.
 */
const CONNECTION_LIMITS = { minute: 3000, hour: 60_000 };
/**
 * Maximum number of webhook items per account. An account that knows its webhook secret can sign
 * any number of webhooks, and each new item is stored for seven days.
 */
const ITEMS_PER_MINUTE = 2000;
/**
 * Maximum time that the response waits for the commit. Vendors expect a response within seconds, so
 * a slower command is stored as an operation and runs later.
 */
const COMMIT_TIMEOUT_MS = 800;
const OPERATION_LEASE_SECONDS = 5;

type Notice = { dedupe_id: string; stream: string; hint?: string };

/**
 * Prepares the command that stores the new items of a webhook for one connection. Returns no
 * command if all items are already stored. `isRefused` is true if the connection has received too
 * many webhooks, or its account too many items.
 */
export async function prepareCommands(
  api: ApiRuntime,
  ctx: ApiContext,
  { connection, items }: { connection: CalledConnection; items: readonly InboundNotice[] },
): Promise<{ isRefused: boolean; commands: Command[] }> {
  if (!(await spendLimits(api, connection, items.length))) return { isRefused: true, commands: [] };
  const notices = items.length > 0 ? await findNewNotices(api, connection, items) : [];
  // Run no command for a repeated webhook, because every command leaves a permanent audit entry.
  const commands = notices.length > 0 ? [buildCommand(ctx, connection, notices)] : [];
  return { isRefused: false, commands };
}

/**
 * Returns false if the connection has received too many webhooks, or its account too many items.
 */
export async function spendLimits(
  { limiter }: ApiRuntime,
  { tenant_id: tenantId, id }: CalledConnection,
  items: number,
): Promise<boolean> {
  const { allowed } = await limiter.consume(`hook:${id}`, CONNECTION_LIMITS);
  if (!allowed || items === 0) return allowed;
  const points = { name: 'hook-items', points: items, perMinute: ITEMS_PER_MINUTE };
  return (await limiter.spendPoints(tenantId, points)).isGranted;
}

/**
 * Finds up to MAX_ITEMS items that are not stored yet. Takes one item of each stream first, so that
 * the worker reads every changed stream.
 */
async function findNewNotices(
  { db }: ApiRuntime,
  connection: CalledConnection,
  items: readonly InboundNotice[],
): Promise<Notice[]> {
  const notices = new Map(
    items.map(({ dedupeId, stream, hint }): [string, Notice] => [
      shorten(dedupeId),
      {
        dedupe_id: shorten(dedupeId),
        stream,
        ...(hint === undefined || hint.length > MAX_HINT_CHARS ? {} : { hint }),
      },
    ]),
  );
  const stored = await findStoredNotices(db, connection, [...notices.keys()]);
  for (const id of stored) notices.delete(id);
  const added = [...notices.values()];
  const oneOfEachStream = new Map(added.map((notice) => [notice.stream, notice])).values();
  return [...new Set([...oneOfEachStream, ...added])].slice(0, MAX_ITEMS);
}

/**
 * Replaces an id with its hash if it is too long for an index entry, or if PostgreSQL cannot store
 * it.
 */
function shorten(dedupeId: string): string {
  const isStorable = dedupeId.length <= 100 && toStorableText(dedupeId) === dedupeId;
  return isStorable ? dedupeId : sha256(dedupeId).toString('base64url');
}

function buildCommand(
  ctx: ApiContext,
  { tenant_id: tenantId, id: connectionId, vendor, environment }: CalledConnection,
  notices: Notice[],
): Command {
  return {
    ...createIntegrationCommand(
      { tenantId, connectionId, vendor, environment },
      { type: receiveNotices.type, entityId: connectionId, input: { notices } },
    ),
    ...describeWebhook(ctx),
  };
}

/** Returns the command members that describe the vendor's request. */
export function describeWebhook(ctx: ApiContext) {
  return {
    source: 'webhook' as const,
    requestId: ctx.state.requestId,
    ip: ctx.ip,
    userAgent: readUserAgent(ctx.req),
  };
}

/**
 * Waits until the commands are committed. A command that takes too long is stored as an operation,
 * which runs later.
 * @throws {AppError} 503 if a command fails
 */
export async function commitCommands(api: ApiRuntime, commands: readonly Command[]): Promise<void> {
  await Promise.all(commands.map((command) => commitOne(api, command)));
}

async function commitOne(api: ApiRuntime, command: Command): Promise<void> {
  const submitted = api.submit(command, 0);
  const first = await Promise.race([submitted, wait(COMMIT_TIMEOUT_MS)]);
  if (first) {
    // A 503 makes the vendor send the webhook again.
    if ('ok' in first && !first.ok)
      throw serviceUnavailable('The webhook could not be stored. Send it again.');
    return;
  }
  // The operation runs the command even if the command's job is lost. If the operation and the job
  // both run the command, it acts only once.
  submitted.catch(() => undefined);
  await storeOperation(api.db, command, OPERATION_LEASE_SECONDS);
}

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms).unref());
