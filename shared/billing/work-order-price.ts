import type { JobPrice } from '../contracts/generated.js';
import type { ErrorBody } from '../platform/errors.js';
import { computeWorkOrderPrice, type PricedWorkOrder } from './compute-work-order-price.js';
import { priceInvoice } from './money.js';
import type { PricingFactsRow } from './pricing-facts.js';

const GOA_REASONS: readonly (string | null)[] = ['goa', 'unsuccessful'];

/**
 * True if the driver could provide no service. Part of the price may still be due
 * (docs/decisions.md §4).
 */
function isGoa({ status, cancel_reason }: PricingFactsRow): boolean {
  return status === 'cancelled' && GOA_REASONS.includes(cancel_reason);
}

export function isBillable(row: PricingFactsRow): boolean {
  return row.status === 'completed' || isGoa(row);
}

/** Builds a 409 that says why a work order has no price. A price of zero would hide the reason. */
export function buildUnpricedError(code: string, message: string): ErrorBody {
  return { code: 'conflict', message, details: [{ field: 'work_order_id', code, message }] };
}

export function countUnbilledDays(row: PricingFactsRow): number {
  return row.is_waived ? 0 : Math.max(0, row.storage_due - row.invoiced_days);
}

export function priceFromFacts(
  row: PricingFactsRow,
  { days, isStorageOnly }: { days: number; isStorageOnly: boolean },
): PricedWorkOrder {
  return computeWorkOrderPrice(row.card_items, {
    serviceType: row.service_type,
    isGoa: isGoa(row),
    isAfterHours: row.is_after_hours,
    miles: row.miles,
    // The duration is negative if a client entered a completion time before the dispatch time.
    quarterHours: row.quarter_hours === null ? null : Math.max(0, row.quarter_hours),
    storage: row.impound_id === null ? null : { days, rateCents: row.daily_rate_cents },
    isStorageOnly,
  });
}

/**
 * Prices the whole work order, including what is invoiced already. Returns an error if there is
 * nothing to charge, or no rate card is in force.
 */
export function previewPrice(row: PricingFactsRow): JobPrice | ErrorBody {
  if (row.status === 'cancelled' && !isGoa(row))
    return buildUnpricedError(
      'not_billable',
      `${row.job_number} was cancelled (${row.cancel_reason}): there is nothing to charge.`,
    );
  if (row.card_id === null)
    return buildUnpricedError(
      'no_rate_card',
      `No rate card is in force for ${row.job_number}. Add one with POST /rate-cards, as is_default or for its customer.`,
    );
  const { lineItems, explanation } = priceFromFacts(row, {
    days: row.is_waived ? 0 : row.storage_due,
    isStorageOnly: false,
  });
  if (lineItems.length === 0) return buildNoMatchingItemError(row);
  const price = priceInvoice(
    lineItems.map((line) => ({ ...line, taxable: line.taxable ?? false })),
    row.tax_rate_bps,
  );
  return {
    work_order_id: row.id,
    customer_id: row.customer_id,
    rate_card: { id: row.card_id, name: row.card_name, effective_from: row.card_effective_from },
    is_after_hours: row.is_after_hours,
    is_invoiced: row.invoiced_by !== null,
    invoiced_storage_days: row.invoiced_days,
    line_items: lineItems,
    explanation,
    subtotal_cents: price.subtotalCents,
    tax_rate_bps: row.tax_rate_bps,
    tax_cents: price.taxCents,
    total_cents: price.totalCents,
  };
}

export function buildNoMatchingItemError(row: PricingFactsRow): ErrorBody {
  return buildUnpricedError(
    'nothing_fits',
    `The rate card ${row.card_name} charges nothing for ${row.job_number} (${row.service_type}). Add its next version, with items for this service.`,
  );
}
