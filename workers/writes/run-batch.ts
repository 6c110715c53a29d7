import type { Command, CommandResult, Outcome } from '../../shared/contracts/command.js';
import type { Config } from '../../shared/platform/config.js';
import { errorCodeOf } from '../../shared/platform/errors.js';
import type { FairLimit } from '../../shared/platform/fair-limit.js';
import type { Logger } from '../../shared/platform/logger.js';
import type { Database, Transaction } from '../../shared/platform/postgres.js';
import type { LaneRef } from '../../shared/queues/webhooks.js';
import { takeAgentTurns } from '../../shared/resources/approvals/agent-turns.js';
import { commandOfType } from '../../shared/resources/index.js';
import { recordset } from '../../shared/resources/sets.js';
import { type Earlier, findEarlier } from './earlier.js';
import { handlerOf } from './handlers.js';
import { checkPreconditions } from './preconditions.js';
import { auditStatement, locationOf, type Settled, statusOf } from './record.js';
import type { Repeats } from './repeats.js';
import { type Rendered, renderAnswers, settle } from './settle.js';
import { groupByType, splitIntoWaves } from './waves.js';

/** What a batch came to. */
export interface Committed {
  settled: Settled[];
  /** Endpoints that its events are delivered to. */
  lanes: LaneRef[];
}

/** What a batch runs with. */
export interface BatchContext {
  config: Config;
  db: Database;
  logger: Logger;
  /** Called with the transaction open and all effects made. */
  beforeCommit: (commands: Command[]) => void;
  /** Called with what has just been committed; a process that dies instead loses the call. */
  afterCommit?: (committed: Committed) => void;
  repeats: Repeats;
  /** Lets one job of suspects in at a time: what a killer takes down with it must not be a neighbour of another job, counted as its try. */
  suspects: FairLimit<'suspects'>;
}

/** How a batch is run. */
export interface BatchOptions {
  /**
   * Look first for what has been done already. Without it a batch that holds a repeated command or a used Idempotency-Key fails on its primary keys,
   * whole and with 23505, and is to be run again with it.
   */
  lookFirst: boolean;
}

/**
 * Runs a batch in one transaction, set by set, and commits it: effects, audit entries, events and idempotent answers stand or fall together.
 * Results are in no particular order. Throws when the database did something unexpected; then nothing of the batch has happened, unless the
 * connection broke at the commit: running it again finds out.
 */
export async function runBatch(
  context: BatchContext,
  commands: Command[],
  options: BatchOptions = { lookFirst: true },
): Promise<CommandResult[]> {
  if (commands.length === 0) return [];
  const tenants = [...new Set(commands.map((command) => command.tenantId))];
  const answers = await context.db.transaction(tenants, async (tx) => {
    await takeAgentTurns(tx, commands);
    const found = await runWaves(tx, splitIntoWaves(commands), { ...options, config: context.config });
    context.beforeCommit(commands);
    return found;
  });
  context.afterCommit?.({
    settled: answers.flatMap(({ settled }) => settled),
    lanes: answers.flatMap(({ rendered }) => rendered.lanes),
  });
  return answers.flatMap(({ settled, rendered, earlier }) => [
    ...earlier,
    ...settled.map((one) => resultOf(one, rendered)),
  ]);
}

/** What a wave came to. What was rendered is there once the transaction has been committed. */
interface WaveAnswers {
  earlier: CommandResult[];
  settled: Settled[];
  rendered: Rendered;
}

async function runWaves(
  tx: Transaction,
  waves: Command[][],
  { lookFirst, config }: WaveOptions,
): Promise<WaveAnswers[]> {
  const answers: WaveAnswers[] = [];
  for (const [index, wave] of waves.entries()) {
    const isLast = index === waves.length - 1;
    // A later wave repeats something of an earlier one.
    const { results, settled } = await runWave(tx, wave, { lookFirst: lookFirst || index > 0, config });
    const sent: Promise<void>[] = [];
    const rendered = settle(settled, (statement, onRows) => {
      // The last wave's records leave with the commit; an earlier wave's must be seen by the next.
      if (isLast) tx.queryAtCommit(statement, onRows);
      else sent.push(tx.query<never>(statement).then(onRows));
    });
    await Promise.all(sent);
    answers.push({ earlier: results, settled, rendered });
  }
  return answers;
}

interface WaveOptions extends BatchOptions {
  config: Config;
}

const NOTHING_EARLIER: Earlier = { results: new Map(), expired: [] };

async function runWave(
  tx: Transaction,
  wave: Command[],
  { lookFirst, config }: WaveOptions,
): Promise<{ results: CommandResult[]; settled: Settled[] }> {
  const earlier = lookFirst ? await findEarlier(tx, wave) : NOTHING_EARLIER;
  const fresh = wave.filter((command) => !earlier.results.has(command.id));
  if (earlier.expired.length > 0) await forgetKeys(tx, earlier.expired);
  const ran = await runHandlers(tx, fresh, config);
  const overtaken = await findOvertaken(tx, ran);
  return {
    results: [...earlier.results.values(), ...overtaken.values()],
    settled: ran.filter(({ command }) => !overtaken.has(command.id)),
  };
}

/**
 * Results of commands that failed only because the same request, sent again and run by another worker at this very moment, has won: it holds the
 * number that this one wanted. Its answer is the answer to both; statements see what others commit, so it can be read by now.
 */
async function findOvertaken(tx: Transaction, ran: Settled[]): Promise<Map<string, CommandResult>> {
  const failed = ran.filter(({ command, outcome }) => !outcome.ok && command.idempotency);
  if (failed.length === 0) return new Map();
  const earlier = await findEarlier(
    tx,
    failed.map(({ command }) => command),
  );
  return earlier.results;
}

async function runHandlers(tx: Transaction, commands: Command[], config: Config): Promise<Settled[]> {
  const settled: Settled[] = [];
  for (const [type, group] of groupByType(commands)) {
    // For each type anew: a claim or a suggestion changes an invoice that its command does not name, and so in the same wave.
    const refused = await checkPreconditions(tx, group);
    for (const command of group) {
      const outcome = refused.get(command.id);
      if (outcome) settled.push({ command, outcome });
    }
    const allowed = group.filter((command) => !refused.has(command.id));
    if (allowed.length === 0) continue;
    const outcomes: Outcome[] = await handlerOf(type)(tx, allowed as Command<never>[], config);
    for (const [index, command] of allowed.entries()) {
      settled.push({ command, outcome: outcomes[index] as Outcome });
    }
  }
  return settled;
}

async function forgetKeys(tx: Transaction, keys: { tenant_id: string; key: string }[]): Promise<void> {
  await tx.query({
    text: `delete from idempotency_keys k using ${recordset('tenant_id uuid, key uuid')}
           where k.tenant_id = r.tenant_id and k.key = r.key and k.created_at < now() - interval '24 hours'`,
    values: [JSON.stringify(keys)],
  });
}

function resultOf(one: Settled, { bodies }: Rendered): CommandResult {
  const { command, outcome } = one;
  if (!outcome.ok) return { id: command.id, ok: false, error: outcome.error };
  const location = locationOf(one);
  const body = bodies.get(command.id) as string;
  const isOwnChange = commandOfType(command.type).creates || !isWithoutEffect(outcome);
  return { id: command.id, ok: true, status: statusOf(one), body, location, replayed: false, isOwnChange };
}

function isWithoutEffect({
  held,
  changes,
  events,
  ran,
  answerExtra,
}: Extract<Outcome, { ok: true }>): boolean {
  return !held && !ran && !answerExtra && changes.length + events.length === 0;
}

/**
 * Runs one command through its real handler in a transaction that is rolled back (decisions 5, Dry run), then writes the audit entry of the
 * rehearsal. The result's body is the preview's `data`.
 */
export async function rehearse({ db, config }: BatchContext, command: Command): Promise<CommandResult> {
  const { settled, rendered } = await db.rehearse([command.tenantId], async (tx) => {
    const [one] = await runHandlers(tx, [command], config);
    if (!one) throw new Error('a handler gave no outcome');
    return { settled: one, rendered: await renderAnswers(tx, [one]) };
  });
  await db
    .transaction([command.tenantId], async (tx) => tx.queryAtCommit(auditStatement([settled], 'dry_run')))
    .catch((error: unknown) => {
      // Its job ran before and left the entry already: rehearsing twice is harmless, auditing twice would be wrong.
      if (errorCodeOf(error) !== '23505') throw error;
    });
  const result = resultOf(settled, rendered);
  if (!result.ok) return result;
  // A rehearsed change would show the record to everybody who may change it, and leave no trace on
  // it.
  const isHeld = settled.outcome.ok && settled.outcome.held === true;
  const isOwnChange = isHeld || commandOfType(command.type).creates;
  return { ...result, status: 200, location: null, isOwnChange };
}
