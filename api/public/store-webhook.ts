import type { Command } from '../../shared/contracts/command.js';
import { readUserAgent } from '../../shared/http/request.js';
import type { InboundNotice } from '../../shared/integrations/contract/vendor.js';
import { storeOperation } from '../../shared/operations/store.js';
import { sha256 } from '../../shared/platform/crypto.js';
import { serviceUnavailable } from '../../shared/platform/errors.js';
import { receiveNotices } from '../../shared/resources/connections/commands.js';
import { type CalledConnection, findStoredNotices } from '../../shared/resources/connections/hook-queries.js';
import { createIntegrationCommand } from '../../shared/resources/connections/integration-command.js';
import type { ApiContext } from '../runtime/context.js';
import type { ApiRuntime } from '../runtime/runtime.js';

/**
 * Maximum new items of one webhook that are stored for a connection. One stored item makes its
 * stream due, and the worker then reads the changes of all items of the stream.
 */
const MAX_ITEMS = 200;
/**
 * Webhooks per connection. A refused webhook loses nothing: the vendor sends it again, and the
 * worker reads the vendor's changes regularly.
 */
const CONNECTION_LIMITS = { minute: 3000, hour: 60_000 };
/**
 * Items per account. Each new item is a row for seven days, and each webhook with new items leaves
 * an audit entry. An account that knows its webhook secret can sign as many as it likes.
 */
const ITEMS_PER_MINUTE = 2000;
/**
 * How long the response waits for the commit, because vendors expect a response within seconds. A
 * slower command is stored as an operation and runs later.
 */
const COMMIT_TIMEOUT_MS = 800;
const OPERATION_LEASE_SECONDS = 5;

type Notice = { dedupe_id: string; stream: string };

/**
 * Prepares the commands that store the items of a webhook for one connection: one, or none if all
 * items are stored. `isRefused` is true if the connection or its account has received too many.
 */
export async function prepareCommands(
  api: ApiRuntime,
  ctx: ApiContext,
  { connection, items }: { connection: CalledConnection; items: readonly InboundNotice[] },
): Promise<{ isRefused: boolean; commands: Command[] }> {
  if (!(await spendLimits(api, connection, items.length))) return { isRefused: true, commands: [] };
  const notices = items.length > 0 ? await findNewNotices(api, connection, items) : [];
  // A repeated webhook runs no command, because every command leaves a permanent audit entry.
  const commands = notices.length > 0 ? [buildCommand(ctx, connection, notices)] : [];
  return { isRefused: false, commands };
}

async function spendLimits(
  { limiter }: ApiRuntime,
  { tenant_id: tenantId, id }: CalledConnection,
  items: number,
): Promise<boolean> {
  const { allowed } = await limiter.consume(`hook:${id}`, CONNECTION_LIMITS);
  if (!allowed || items === 0) return allowed;
  const wish = { name: 'hook-items', points: items, perMinute: ITEMS_PER_MINUTE };
  return (await limiter.spendPoints(tenantId, wish)).isGranted;
}

/** Finds the items that are not stored yet, at most MAX_ITEMS of them, and one of each stream. */
async function findNewNotices(
  { db }: ApiRuntime,
  connection: CalledConnection,
  items: readonly InboundNotice[],
): Promise<Notice[]> {
  const notices = new Map(
    items.map(({ dedupeId, stream }) => [shorten(dedupeId), { dedupe_id: shorten(dedupeId), stream }]),
  );
  const stored = await findStoredNotices(db, connection, [...notices.keys()]);
  for (const id of stored) notices.delete(id);
  const added = [...notices.values()];
  const oneOfEachStream = new Map(added.map((notice) => [notice.stream, notice])).values();
  return [...new Set([...oneOfEachStream, ...added])].slice(0, MAX_ITEMS);
}

/**
 * Replaces a long id by its hash, because a vendor's id may be longer than an index entry allows.
 */
function shorten(dedupeId: string): string {
  return dedupeId.length <= 100 ? dedupeId : sha256(dedupeId).toString('base64url');
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
    source: 'webhook',
    requestId: ctx.state.requestId,
    ip: ctx.ip,
    userAgent: readUserAgent(ctx.req),
  };
}

/**
 * Waits until the commands are committed. Stores those that take too long as operations, which run
 * later.
 * @throws {AppError} 503 if one of them cannot be stored
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
  // The operation runs the command even if its job was lost. If the job runs too, the command still
  // acts only once.
  submitted.catch(() => undefined);
  await storeOperation(api.db, command, OPERATION_LEASE_SECONDS);
}

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms).unref());
