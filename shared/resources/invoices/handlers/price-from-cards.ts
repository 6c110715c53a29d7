import {
  buildPricingFactsQuery,
  type PricingFactsRow,
  type WorkOrderToPrice,
} from '../../../billing/pricing-facts.js';
import {
  buildNoMatchingItemError,
  buildUnpricedError,
  countUnbilledDays,
  isBillable,
  priceFromFacts,
} from '../../../billing/work-order-price.js';
import type { Command, CommandOutcome } from '../../../contracts/command.js';
import type { InvoiceCreate } from '../../../contracts/generated.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import { failedOutcome } from '../../../records/outcomes.js';
import { recordsetSql, refKey } from '../../../records/record-refs.js';
import { raiseAccruedDays } from '../../impounds/impound-row.js';
import { isPricedFromRateCard } from '../is-priced-from-rate-card.js';

type CreateCommand = Command<InvoiceCreate>;

/**
 * Prices invoices from the rate card in force. Usually no command needs a price, and no query runs.
 * @returns the command with line items, or the error, by command id. The map omits commands that
 * need no price or have no rate card
 */
export async function priceFromCards(
  tx: Transaction,
  commands: CreateCommand[],
): Promise<Map<string, CreateCommand | CommandOutcome>> {
  const unpricedCommands = commands.filter(({ input }) => isPricedFromRateCard(input));
  if (unpricedCommands.length === 0) return new Map();
  const facts = await readFacts(tx, unpricedCommands);
  const filled = new Map<string, CreateCommand | CommandOutcome>();
  const stored: PricingFactsRow[] = [];
  for (const command of unpricedCommands) {
    const row = facts.get(refKey(toPricingRequest(command)));
    if (!row?.card_id) continue;
    const result = fillFromCard(command, row);
    filled.set(command.id, result);
    if (!('ok' in result) && row.impound_id) stored.push(row);
  }
  await raiseAccruedDays(tx, stored);
  return filled;
}

function toPricingRequest({ tenantId, input }: CreateCommand): WorkOrderToPrice {
  return {
    tenant_id: tenantId,
    id: input.work_order_id as string,
    customer_id: input.customer_id ?? null,
    of_job: input.customer_id === undefined,
  };
}

/**
 * Reads the facts for pricing the work orders. First locks the work orders and their impounds. If
 * two invoices are created concurrently, the second then sees what the first has charged.
 */
async function readFacts(tx: Transaction, commands: CreateCommand[]): Promise<Map<string, PricingFactsRow>> {
  const jobs = commands.map(toPricingRequest);
  const values = [JSON.stringify(jobs)];
  const wanted = `(select r.tenant_id, r.id from ${recordsetSql('tenant_id uuid, id uuid')})`;
  const [, , rows] = await Promise.all([
    tx.query({
      name: 'lock-priced-jobs',
      text: `select from work_orders t where (t.tenant_id, t.id) in ${wanted} order by t.tenant_id, t.id for no key update`,
      values,
    }),
    tx.query({
      name: 'lock-priced-impounds',
      text: `select from impounds t where (t.tenant_id, t.work_order_id) in ${wanted} order by t.tenant_id, t.id for update`,
      values,
    }),
    tx.query<PricingFactsRow>(buildPricingFactsQuery(jobs)),
  ]);
  return new Map(rows.map((row) => [refKey(row), row]));
}

function fillFromCard(command: CreateCommand, row: PricingFactsRow): CreateCommand | CommandOutcome {
  if (!isBillable(row)) {
    const message = `${row.job_number} is ${row.status}. A work order can be priced once it is completed. Complete it, or send line_items.`;
    return failedOutcome(buildUnpricedError('not_completed', message));
  }
  const { lineItems } = priceFromFacts(row, {
    days: countUnbilledDays(row),
    isStorageOnly: row.invoiced_by !== null,
  });
  if (lineItems.length === 0) {
    if (row.invoiced_by === null) return failedOutcome(buildNoMatchingItemError(row));
    const message = `${row.job_number} is already invoiced by ${row.invoiced_by}. Send line_items for additional charges.`;
    return failedOutcome(buildUnpricedError('invoiced', message));
  }
  const { input } = command;
  return {
    ...command,
    input: {
      ...input,
      customer_id: input.customer_id === undefined ? row.customer_id : input.customer_id,
      vehicle_description:
        input.vehicle_description === undefined
          ? (row.vehicle_description?.slice(0, 500) ?? null)
          : input.vehicle_description,
      service_date: input.service_date === undefined ? row.completed_at : input.service_date,
      line_items: lineItems,
    },
  };
}
