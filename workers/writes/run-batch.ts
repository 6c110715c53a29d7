import type { Config } from '../../shared/config/config.js';
import type {
  Command,
  CommandDefinition,
  CommandOutcome,
  CommandResult,
} from '../../shared/contracts/command.js';
import { deleteExpiredRecords } from '../../shared/operations/idempotency-records.js';
import { getErrorCode } from '../../shared/platform/errors.js';
import type { FairLimit } from '../../shared/platform/limits/fair-limit.js';
import type { Logger } from '../../shared/platform/logger.js';
import type { Database, Transaction } from '../../shared/platform/postgres/database.js';
import { listPrompts, type QueuePrompt } from '../../shared/queues/prompts-at-commit.js';
import type { EndpointQueueRef } from '../../shared/queues/webhooks.js';
import { acquireAgentLocks } from '../../shared/records/agent-locks.js';
import { getCommandDefinition } from '../../shared/registry/resources.js';
import {
  buildCommandAuditInsert,
  buildLocation,
  type CompletedCommand,
  getHttpStatus,
  hasNoEffect,
} from './completed-command.js';
import type { ConflictMonitor } from './conflict-monitor.js';
import { type EarlierResults, findEarlierResults } from './earlier-results.js';
import { getCommandHandler } from './handlers.js';
import { checkPreconditions } from './preconditions.js';
import { type RenderedResponses, renderResponses, storeOutcomes } from './store-outcomes.js';
import { groupByType, splitIntoWaves } from './waves.js';

export interface CommittedBatch {
  completed: CompletedCommand[];
  /** The queues of the endpoints that receive events from this batch. */
  endpointQueues: EndpointQueueRef[];
  /** Further work that the batch has created, besides that which the outcomes name. */
  prompts: readonly QueuePrompt[];
}

export interface BatchContext {
  config: Config;
  db: Database;
  logger: Logger;
  /** Called when all handlers have run, while the transaction is still open. */
  beforeCommit: (commands: Command[]) => void;
  /** Called after the commit, unless the process dies first. */
  afterCommit?: (committed: CommittedBatch) => void;
  conflictMonitor: ConflictMonitor;
  /**
   * Allows only one running job with suspected commands. If two such jobs ran at once, a crash
   * would count against the commands of both, although only one of them killed the worker.
   */
  suspectLimit: FairLimit<'suspects'>;
}

export interface BatchOptions {
  /**
   * True to search for existing results first. Without the search, a repeated command or a used
   * Idempotency-Key makes the whole batch fail with a unique violation (23505). The batch must then
   * run again with the search.
   */
  shouldSearchEarlier: boolean;
}

/**
 * Runs a batch in one transaction, wave by wave. Changes, audit entries, events and idempotency
 * records are committed together. The results have no particular sequence.
 * @throws if PostgreSQL or a handler fails unexpectedly. The batch is then rolled back, with one
 *   exception: it may be committed if the connection broke during the commit. A second run then
 *   finds its results
 */
export async function runBatch(
  context: BatchContext,
  commands: Command[],
  options: BatchOptions = { shouldSearchEarlier: true },
): Promise<CommandResult[]> {
  if (commands.length === 0) return [];
  const tenants = [...new Set(commands.flatMap(listTenantIds))];
  const { waveResults, prompts } = await context.db.transaction(tenants, async (tx) => {
    await acquireAgentLocks(tx, commands);
    const waveResults = await runWaves(tx, splitIntoWaves(commands), { ...options, config: context.config });
    context.beforeCommit(commands);
    return { waveResults, prompts: listPrompts(tx) };
  });
  context.afterCommit?.({
    completed: waveResults.flatMap(({ completed }) => completed),
    endpointQueues: waveResults.flatMap(({ rendered }) => rendered.endpointQueues),
    prompts,
  });
  return waveResults.flatMap(({ completed, rendered, earlier }) => [
    ...earlier,
    ...completed.map((one) => buildResult(one, rendered)),
  ]);
}

/** Lists the tenants whose rows the command may write. */
export function listTenantIds({ type, tenantId, input }: Command): string[] {
  const { otherTenantIds } = getCommandDefinition(type) as CommandDefinition;
  return [tenantId, ...(otherTenantIds?.(input) ?? [])];
}

/**
 * The results of a wave. `rendered` is complete only after the commit, because the last wave's
 * queries run at the commit.
 */
interface WaveResult {
  earlier: CommandResult[];
  completed: CompletedCommand[];
  rendered: RenderedResponses;
}

async function runWaves(
  tx: Transaction,
  waves: Command[][],
  { shouldSearchEarlier, config }: WaveOptions,
): Promise<WaveResult[]> {
  const waveResults: WaveResult[] = [];
  for (const [index, wave] of waves.entries()) {
    const isLast = index === waves.length - 1;
    // Later waves always search. Their commands share a conflict key with an earlier wave, for
    // example an Idempotency-Key, so the earlier wave may have stored their results.
    const { results, completed } = await runWave(tx, wave, {
      shouldSearchEarlier: shouldSearchEarlier || index > 0,
      config,
    });
    const sent: Promise<void>[] = [];
    const rendered = storeOutcomes(completed, (query, onRows) => {
      // Only the last wave's queries may run at the commit. The queries of other waves run now,
      // because the next wave reads the stored rows.
      if (isLast) tx.queryAtCommit(query, onRows);
      else sent.push(tx.query<never>(query).then(onRows));
    });
    await Promise.all(sent);
    waveResults.push({ earlier: results, completed, rendered });
  }
  return waveResults;
}

interface WaveOptions extends BatchOptions {
  config: Config;
}

const NO_EARLIER_RESULTS: EarlierResults = { results: new Map(), expiredKeys: [] };

async function runWave(
  tx: Transaction,
  wave: Command[],
  { shouldSearchEarlier, config }: WaveOptions,
): Promise<{ results: CommandResult[]; completed: CompletedCommand[] }> {
  const earlier = shouldSearchEarlier ? await findEarlierResults(tx, wave) : NO_EARLIER_RESULTS;
  const fresh = wave.filter((command) => !earlier.results.has(command.id));
  if (earlier.expiredKeys.length > 0) await deleteExpiredRecords(tx, earlier.expiredKeys);
  const ran = await runHandlers(tx, fresh, config);
  const overtaken = await findOvertaken(tx, ran);
  return {
    results: [...earlier.results.values(), ...overtaken.values()],
    completed: ran.filter(({ command }) => !overtaken.has(command.id)),
  };
}

/**
 * Finds the results of failed commands whose request was sent twice. If another worker has just
 * committed the first request, the second fails, for example because its invoice number is now in
 * use. The committed result answers both requests. This query can read it because the transaction
 * is READ COMMITTED.
 */
async function findOvertaken(tx: Transaction, ran: CompletedCommand[]): Promise<Map<string, CommandResult>> {
  const failed = ran.filter(({ command, outcome }) => !outcome.ok && command.idempotency);
  if (failed.length === 0) return new Map();
  const earlier = await findEarlierResults(
    tx,
    failed.map(({ command }) => command),
  );
  return earlier.results;
}

async function runHandlers(
  tx: Transaction,
  commands: Command[],
  config: Config,
): Promise<CompletedCommand[]> {
  const completed: CompletedCommand[] = [];
  for (const [type, group] of groupByType(commands)) {
    // Check preconditions just before each type's handler, because an earlier handler may have
    // changed the record. For example, a claim can change an invoice that its command does not
    // name.
    const refused = await checkPreconditions(tx, group);
    for (const command of group) {
      const outcome = refused.get(command.id);
      if (outcome) completed.push({ command, outcome });
    }
    const allowed = group.filter((command) => !refused.has(command.id));
    if (allowed.length === 0) continue;
    const outcomes: CommandOutcome[] = await getCommandHandler(type)(tx, allowed as Command<never>[], config);
    for (const [index, command] of allowed.entries()) {
      completed.push({ command, outcome: outcomes[index] as CommandOutcome });
    }
  }
  return completed;
}

function buildResult(one: CompletedCommand, { bodies }: RenderedResponses): CommandResult {
  const { command, outcome } = one;
  if (!outcome.ok) return { id: command.id, ok: false, error: outcome.error };
  const location = buildLocation(one);
  const body = bodies.get(command.id) as string;
  const isOwnChange = getCommandDefinition(command.type).creates || !hasNoEffect(outcome);
  return {
    id: command.id,
    ok: true,
    status: getHttpStatus(one),
    body,
    location,
    replayed: false,
    isOwnChange,
  };
}

/**
 * Runs one command with its real handler in a transaction that is rolled back (docs/decisions.md
 * §5, Dry run). Then commits an audit entry for the dry run. The result's body becomes the `data`
 * of the preview.
 */
export async function runDryRun({ db, config }: BatchContext, command: Command): Promise<CommandResult> {
  const { completed, rendered } = await db.runAndRollBack([command.tenantId], async (tx) => {
    const [one] = await runHandlers(tx, [command], config);
    if (!one) throw new Error('a handler returned no outcome');
    return { completed: one, rendered: await renderResponses(tx, [one]) };
  });
  await db
    .transaction([command.tenantId], async (tx) =>
      tx.queryAtCommit(buildCommandAuditInsert([completed], 'dry_run')),
    )
    .catch((error: unknown) => {
      // A unique violation means that an earlier run of this job has inserted the audit entry.
      if (getErrorCode(error) !== '23505') throw error;
    });
  const result = buildResult(completed, rendered);
  if (!result.ok) return result;
  // A dry run of a change does not count as the caller's own change. Otherwise a caller who may
  // change a record, but not read it, could read the record by a dry run.
  const isHeld = completed.outcome.ok && completed.outcome.held === true;
  const isOwnChange = isHeld || getCommandDefinition(command.type).creates;
  return { ...result, status: 200, location: null, isOwnChange };
}
