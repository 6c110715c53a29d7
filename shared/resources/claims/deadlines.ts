import { formatDollars } from '../../billing/phrases.js';
import type { Command } from '../../contracts/command.js';
import { newId } from '../../platform/ids.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { buildClockCommand, type ClockTarget } from '../../records/sweeps/clock-command.js';
import type { CommandSweep } from '../../records/sweeps/schedule.js';
import { findRowsRoundRobin } from '../../records/sweeps/sweep-round-robin.js';
import { createSuggestion } from '../suggestions/commands.js';
import { expireClaim } from './commands.js';

/** The account gets a suggestion this long before a deadline. */
const WARNING_PERIOD = '7 days';

interface DueRow extends ClockTarget {
  invoice_id: string;
  club: string;
  status: string;
  expected_cents: number;
  attempt: number;
  day: string;
  is_past: boolean;
}

/**
 * SQL for the deadline of a claim in its current status. The value is null if the claim has no
 * deadline.
 */
const DEADLINE_SQL = `case when c.status = 'queued' then c.submit_by when c.status in ('denied', 'rebilling') then c.respond_by end`;

/**
 * Finds claims whose deadline has passed or is near. For a past deadline, returns a command that
 * expires the claim. For a near deadline, returns a command that creates a suggestion, once per
 * status and attempt.
 */
export async function findClaimDeadlines(tx: Transaction, limit: number): Promise<Command[]> {
  const rows = await findRowsRoundRobin<DueRow>(tx, {
    name: 'claim-deadlines',
    rows: `select c.tenant_id, c.id, c.invoice_id, c.club, c.status, c.expected_cents, c.attempt,
             to_char(${DEADLINE_SQL} at time zone t.time_zone, 'YYYY-MM-DD') as day, ${DEADLINE_SQL} <= now() as is_past
           from claims c
           where c.tenant_id = t.tenant_id and c.status in ('queued', 'denied', 'rebilling') and ${DEADLINE_SQL} < now() + interval '${WARNING_PERIOD}'
             and (${DEADLINE_SQL} <= now() or not exists (select from suggestions s where s.tenant_id = c.tenant_id and s.entity_id = c.id
               and s.detector = 'claim_deadline' and s.occasion = c.status || ' ' || c.attempt))`,
    limit,
  });
  return rows.map((row) => {
    if (row.is_past) return buildClockCommand(expireClaim, row);
    return buildClockCommand(createSuggestion, { ...row, id: newId() }, buildDeadlineSuggestion(row));
  });
}

function buildDeadlineSuggestion({
  id,
  invoice_id,
  club,
  status,
  expected_cents: expected,
  attempt,
  day,
}: DueRow) {
  const isQueued = status === 'queued';
  return {
    kind: isQueued ? ('missed_fee' as const) : ('denial' as const),
    detector: 'claim_deadline',
    entity_type: 'claim' as const,
    entity_id: id,
    occasion: `${status} ${attempt}`,
    invoice_id,
    title: isQueued ? 'A claim is about to expire unsent' : 'A denial is about to expire unanswered',
    rationale: isQueued
      ? `The claim to ${club} for ${formatDollars(expected)} was never sent. The club accepts it only until ${day}.`
      : `${club} denied ${formatDollars(expected)}. It accepts a response only until ${day}.`,
    amount_cents: expected,
    confidence: 0.95,
    proposed_lines: [],
  };
}

/**
 * Expires claims whose deadline has passed, and creates suggestions for those whose deadline is
 * near.
 */
export const claimSweep: CommandSweep = {
  name: 'watch-claims',
  everyMs: 60_000,
  find: findClaimDeadlines,
};
