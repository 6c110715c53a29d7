import type { Command } from '../../contracts/command.js';
import { createSystemCommand } from '../../contracts/system-command.js';
import { deriveUuid } from '../../platform/crypto.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { buildClockCommand, type ClockTarget } from '../../records/sweeps/clock-command.js';
import type { CommandSweep } from '../../records/sweeps/schedule.js';
import { findRowsRoundRobin } from '../../records/sweeps/sweep-round-robin.js';
import { type PaymentReport, recordPayment } from '../payments/commands.js';
import { pretendCharge } from '../saved-methods/pretend-methods.js';
import { findChargeObstacle, toAutopayReport, toChargeOrder } from './charge-rules.js';
import { recordAutopayAttempt } from './commands.js';
import { CHARGE_FACTS_SQL, type ChargeFacts } from './queries.js';

type PretendedCharge = ClockTarget & ChargeFacts;

/**
 * Finds attempts to charge pretend payment methods. For real payment methods, the integrations
 * worker charges at the vendor, by the same rules.
 */
export async function findPretendedCharges(tx: Transaction, limit: number): Promise<Command[]> {
  const rows = await findRowsRoundRobin<PretendedCharge>(tx, {
    name: 'sweep-pretended-charges',
    rows: `${CHARGE_FACTS_SQL} where a.tenant_id = t.tenant_id and a.status = 'charging' and a.connection_id is null order by a.id`,
    limit,
  });
  return rows.flatMap(charge);
}

function charge(row: PretendedCharge): Command[] {
  const obstacle = findChargeObstacle(row);
  if (obstacle !== undefined)
    return [buildClockCommand(recordAutopayAttempt, row, { status: 'cancelled', failure_reason: obstacle })];
  const result = pretendCharge(toChargeOrder(row.id, row));
  const recorded = buildClockCommand(recordAutopayAttempt, row, toAutopayReport(result));
  if (result.status === 'declined') return [recorded];
  const input = buildPretendPayment({ ...row, attempt_id: row.id }, result.status);
  const payment = createSystemCommand({
    type: recordPayment.type,
    tenantId: row.tenant_id,
    environment: 'sandbox',
    name: 'pretend',
    entityId: deriveUuid([row.id, 'payment']),
    input,
  });
  return [payment, recorded];
}

/** Returns the report that a vendor would send about the payment of an attempt. */
export function buildPretendPayment(
  attempt: { attempt_id: string; invoice_id: string; amount_cents: number; method_type: string | null },
  status: PaymentReport['status'],
): PaymentReport {
  const now = new Date().toISOString();
  return {
    invoice_id: attempt.invoice_id,
    pay_link_id: null,
    provider_payment_id: `pretend_${attempt.attempt_id}`,
    status,
    amount_cents: attempt.amount_cents,
    method: attempt.method_type === 'card' ? 'card' : 'ach',
    fee_cents: 0,
    failure_reason: status === 'failed' ? 'The sandbox let the debit fail.' : null,
    paid_at: now,
    observed_at: now,
  };
}

export const pretendChargeSweep: CommandSweep = {
  name: 'charge-pretend-methods',
  everyMs: 15_000,
  find: findPretendedCharges,
};
