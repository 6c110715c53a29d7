import type { Command } from '../../contracts/command.js';
import { newId } from '../../platform/ids.js';
import type { Transaction } from '../../platform/postgres.js';
import { type ClockTarget, clockCommand } from '../clock-command.js';
import { createSuggestion } from '../suggestions/commands.js';
import { dollars } from '../suggestions/phrases.js';
import { findInTurns } from '../sweep-turns.js';
import { expireClaim } from './commands.js';

/** How long before a deadline it is told. */
const NOTICE = '7 days';

interface DueRow extends ClockTarget {
  invoice_id: string;
  club: string;
  status: string;
  expected_cents: number;
  attempt: number;
  day: string;
  is_past: boolean;
}

/** Until when something must be done for a claim in its state; null when there is nothing to do. */
const DEADLINE = `case when c.status = 'queued' then c.submit_by when c.status in ('denied', 'rebilling') then c.respond_by end`;

/**
 * Commands for claims of this transaction's tenants whose deadline has passed, or is so near that somebody should know; that is told once.
 * The accounts take turns.
 * @param limit commands at most, so that one pass stays short
 */
export async function findDeadlines(tx: Transaction, limit: number): Promise<Command[]> {
  const rows = await findInTurns<DueRow>(tx, {
    name: 'claim-deadlines',
    rows: `select c.tenant_id, c.id, c.invoice_id, c.club, c.status, c.expected_cents, c.attempt,
             to_char(${DEADLINE} at time zone t.time_zone, 'YYYY-MM-DD') as day, ${DEADLINE} <= now() as is_past
           from claims c
           where c.tenant_id = t.tenant_id and c.status in ('queued', 'denied', 'rebilling') and ${DEADLINE} < now() + interval '${NOTICE}'
             and (${DEADLINE} <= now() or not exists (select from suggestions s where s.tenant_id = c.tenant_id and s.entity_id = c.id
               and s.detector = 'claim_deadline' and s.occasion = c.status || ' ' || c.attempt))`,
    limit,
  });
  return rows.map((row) => {
    if (row.is_past) return clockCommand(expireClaim, row);
    return clockCommand(createSuggestion, { ...row, id: newId() }, noticeOf(row));
  });
}

function noticeOf({ id, invoice_id, club, status, expected_cents: expected, attempt, day }: DueRow) {
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
      ? `The claim on ${club} over ${dollars(expected)} was never sent, and the club takes it until ${day} only.`
      : `${club} denied ${dollars(expected)}; it takes an answer until ${day} only.`,
    amount_cents: expected,
    confidence: 0.95,
    proposed_lines: [],
  };
}
