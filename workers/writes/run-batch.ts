import type { Command, CommandResult, Outcome } from '../../shared/contracts/command.js';
import { errorCodeOf } from '../../shared/platform/errors.js';
import type { Logger } from '../../shared/platform/logger.js';
import type { Database, Transaction } from '../../shared/platform/postgres.js';
import { recordset } from '../../shared/resources/sets.js';
import { findEarlier } from './earlier.js';
import { handlerOf } from './handlers.js';
import { auditStatement, locationOf, recordStatements, type Settled, statusOf } from './record.js';
import { groupByType, splitIntoWaves } from './waves.js';

/** What a batch runs with. */
export interface BatchContext {
  db: Database;
  logger: Logger;
  /** Called with the transaction open and all effects made. */
  beforeCommit: (commands: Command[]) => void;
}

/**
 * Runs a batch in one transaction, set by set, and commits it: effects, audit entries, events and idempotent answers stand or fall together.
 * Results are in no particular order. Throws when the database did something unexpected; then nothing of the batch has happened, unless the
 * connection broke at the commit: running it again finds out.
 */
export async function runBatch(context: BatchContext, commands: Command[]): Promise<CommandResult[]> {
  if (commands.length === 0) return [];
  const tenants = [...new Set(commands.map((command) => command.tenantId))];
  return context.db.transaction(tenants, async (tx) => {
    const results = await runWaves(tx, splitIntoWaves(commands));
    context.beforeCommit(commands);
    return results;
  });
}

async function runWaves(tx: Transaction, waves: Command[][]): Promise<CommandResult[]> {
  const results: CommandResult[] = [];
  for (const [index, wave] of waves.entries()) {
    const isLast = index === waves.length - 1;
    const earlier = await findEarlier(tx, wave);
    results.push(...earlier.results.values());
    const fresh = wave.filter((command) => !earlier.results.has(command.id));
    if (fresh.length === 0) continue;
    if (earlier.expired.length > 0) await forgetKeys(tx, earlier.expired);
    const ran = await runHandlers(tx, fresh);
    const overtaken = await findOvertaken(tx, ran);
    results.push(...overtaken.values());
    const settled = ran.filter(({ command }) => !overtaken.has(command.id));
    if (settled.length === 0) continue;
    const statements = recordStatements(settled, new Date());
    // The last wave's records leave with the commit; an earlier wave's must be seen by the next.
    if (isLast) for (const statement of statements) tx.queryAtCommit(statement);
    else await Promise.all(statements.map((statement) => tx.query(statement)));
    results.push(...settled.map(resultOf));
  }
  return results;
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

async function runHandlers(tx: Transaction, commands: Command[]): Promise<Settled[]> {
  const settled: Settled[] = [];
  for (const [type, group] of groupByType(commands)) {
    const outcomes: Outcome[] = await handlerOf(type)(tx, group as Command<never>[]);
    for (const [index, command] of group.entries()) {
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

function resultOf(one: Settled): CommandResult {
  const { command, outcome } = one;
  if (!outcome.ok) return { id: command.id, ok: false, error: outcome.error };
  const location = locationOf(one);
  return { id: command.id, ok: true, status: statusOf(one), body: outcome.body, location, replayed: false };
}

/**
 * Runs one command through its real handler in a transaction that is rolled back (decisions 5, Dry run), then writes the audit entry of the
 * rehearsal. The result's body is the preview's `data`.
 */
export async function rehearse({ db }: BatchContext, command: Command): Promise<CommandResult> {
  const [settled] = await db.rehearse([command.tenantId], (tx) => runHandlers(tx, [command]));
  if (!settled) throw new Error('a handler gave no outcome');
  await db
    .transaction([command.tenantId], async (tx) => tx.queryAtCommit(auditStatement([settled], 'dry_run')))
    .catch((error: unknown) => {
      // Its job ran before and left the entry already: rehearsing twice is harmless, auditing twice would be wrong.
      if (errorCodeOf(error) !== '23505') throw error;
    });
  const result = resultOf(settled);
  return result.ok ? { ...result, status: 200, location: null } : result;
}
