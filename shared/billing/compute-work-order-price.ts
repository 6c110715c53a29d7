import type { PricedLineItem, PriceExplanation, RateCardItem } from '../contracts/generated.js';
import { calculateLineTotalCents, MAX_QUANTITY, MAX_QUANTITY_DECIMALS } from './money.js';
import { formatCount } from './phrases.js';

export interface PricingFacts {
  serviceType: string;
  /**
   * True if the driver could provide no service: the cancel reason is `goa` (gone on arrival) or
   * `unsuccessful`. Then only items of the category goa apply.
   */
  isGoa: boolean;
  isAfterHours: boolean;
  /** Loaded miles; null if unknown. */
  miles: number | null;
  /** Quarter hours from dispatch to completion, rounded up; null if unknown. */
  quarterHours: number | null;
  /**
   * Null if nothing was impounded. `days` are the days to charge now, and `rateCents` is the
   * impound's own daily rate.
   */
  storage: { days: number; rateCents: number } | null;
  /** True if everything except storage is invoiced already. */
  isStorageOnly: boolean;
}

export interface PricedWorkOrder {
  lineItems: PricedLineItem[];
  explanation: PriceExplanation[];
}

/**
 * Quantities are subtracted as integers in units of 1/10000, because subtracting floating-point
 * numbers would leave a residue.
 */
const SCALE = 10 ** MAX_QUANTITY_DECIMALS;
/** The categories that are charged only when the work order has an impound. */
const IMPOUND_CATEGORIES: readonly string[] = ['storage', 'impound', 'gate_fee'];

/**
 * Returns the line items of a work order. `explanation` says for each rate-card item of the service
 * why it is charged or not. Line totals round half away from zero (docs/decisions.md §3, Money).
 * The same items and facts always give the same price. No line item is negative, and more miles
 * never cost less.
 */
export function computeWorkOrderPrice(items: readonly RateCardItem[], facts: PricingFacts): PricedWorkOrder {
  const lineItems: PricedLineItem[] = [];
  const explanation = selectItems(items, facts).map((item): PriceExplanation => {
    const charge = computeCharge(item, facts);
    if (charge.line) lineItems.push(charge.line);
    return {
      name: item.name,
      category: item.category,
      service_type: item.service_type,
      line: charge.line ? lineItems.length : null,
      measured_quantity: charge.measured,
      included_quantity: charge.included,
      charged_quantity: charge.charged,
      minimum_applied: charge.isMinimum,
      reason: charge.reason,
    };
  });
  return { lineItems, explanation };
}

const isStorageByDay = (item: RateCardItem) => item.category === 'storage' && item.unit_type === 'day';

/**
 * The item that charges an impound's storage if the card has no item for storage by the day. The
 * price here is not used, because `buildLineItem` charges the impound's own daily rate.
 */
const DEFAULT_STORAGE_ITEM: RateCardItem = {
  name: 'Storage',
  service_type: null,
  category: 'storage',
  unit_type: 'day',
  unit_price_cents: 0,
  included_quantity: 0,
  minimum_cents: null,
  after_hours: false,
  taxable: false,
};

/**
 * Returns the card's items for this service. Among items with the same category and the same
 * `after_hours`, items that name the service replace items that name no service. Of the items for
 * storage by the day, only the first is kept, so that no day is charged twice.
 */
function selectItems(items: readonly RateCardItem[], { serviceType, storage }: PricingFacts): RateCardItem[] {
  const group = (item: RateCardItem) => `${item.category} ${item.after_hours}`;
  const named = new Set(items.filter((item) => item.service_type === serviceType).map(group));
  const matching = items.filter(
    (item) => item.service_type === serviceType || (item.service_type === null && !named.has(group(item))),
  );
  const first = matching.find(isStorageByDay);
  const once = matching.filter((item) => !isStorageByDay(item) || item === first);
  return storage && !first ? [...once, DEFAULT_STORAGE_ITEM] : once;
}

/**
 * Returns the card's item for storage by the day: an item that names the service, or else an item
 * for any service. If `serviceType` is null, returns the card's first item for storage by the day.
 */
export function findStorageItem(
  items: readonly RateCardItem[],
  serviceType: string | null,
): RateCardItem | undefined {
  const storage = items.filter(isStorageByDay);
  if (serviceType === null) return storage[0];
  return (
    storage.find((item) => item.service_type === serviceType) ??
    storage.find((item) => item.service_type === null)
  );
}

interface Charge {
  line: PricedLineItem | null;
  measured: number | null;
  included: number | null;
  charged: number | null;
  isMinimum: boolean;
  reason: string;
}

function computeCharge(item: RateCardItem, facts: PricingFacts): Charge {
  const excluded = findExclusion(item, facts);
  if (excluded) return buildNoCharge(excluded);
  const measured = measureQuantity(item, facts);
  if (measured === null) return buildNoCharge(`the ${item.unit_type}s of this job are not known`);
  // Ignore the item's included days. `storage.days` already omits the free days. If included days
  // counted too, each further invoice for the same impound would grant them again.
  const included = item.unit_type === 'day' ? 0 : item.included_quantity;
  const rest = (Math.round(measured * SCALE) - Math.round(included * SCALE)) / SCALE;
  const charged = Math.min(Math.max(0, rest), MAX_QUANTITY);
  const counts = { measured, included, charged };
  const summary = `${measured} ${item.unit_type}${included > 0 ? `, ${included} of them included` : ''}`;
  if (charged === 0) return { ...buildNoCharge(summary), ...counts };
  return { ...counts, ...buildLineItem(item, charged, { facts, summary }) };
}

function buildLineItem(
  item: RateCardItem,
  quantity: number,
  { facts, summary }: { facts: PricingFacts; summary: string },
): Pick<Charge, 'line' | 'isMinimum' | 'reason'> {
  const price = isStorageByDay(item) && facts.storage ? facts.storage.rateCents : item.unit_price_cents;
  const total = calculateLineTotalCents(quantity, price);
  const minimum = item.minimum_cents ?? 0;
  const shared = { name: item.name, category: item.category, taxable: item.taxable };
  if (total >= minimum) {
    const amounts = { quantity, unit_type: item.unit_type, unit_price_cents: price, total_cents: total };
    return {
      line: { ...shared, description: describeLineItem(item, summary), ...amounts },
      isMinimum: false,
      reason: summary,
    };
  }
  const reason = `${summary}: ${formatCount(total, 'cent')}, raised to the minimum of ${minimum}`;
  const amounts = { quantity: 1, unit_type: 'flat', unit_price_cents: minimum, total_cents: minimum };
  return {
    line: { ...shared, description: `Minimum charge: ${summary}`, ...amounts },
    isMinimum: true,
    reason,
  };
}

/** Returns a description only if quantity and price alone do not explain the amount. */
function describeLineItem(item: RateCardItem, summary: string): string | null {
  return item.included_quantity > 0 && item.unit_type !== 'day' ? summary : null;
}

/** Returns the reason why the item does not apply, or undefined if it applies. */
function findExclusion(item: RateCardItem, facts: PricingFacts): string | undefined {
  if ((item.category === 'goa') !== facts.isGoa)
    return facts.isGoa
      ? 'no service was provided: only goa is charged'
      : 'charged only when no service was provided';
  if (facts.isStorageOnly && item.unit_type !== 'day') return 'invoiced already';
  if (item.after_hours && !facts.isAfterHours) return 'not after hours';
  if (IMPOUND_CATEGORIES.includes(item.category) && !facts.storage) return 'nothing was impounded';
  return undefined;
}

function buildNoCharge(reason: string): Charge {
  return { line: null, measured: null, included: null, charged: null, isMinimum: false, reason };
}

/** Measures how many units of the item's `unit_type` were used. Returns null if that is unknown. */
function measureQuantity(item: RateCardItem, { miles, quarterHours, storage }: PricingFacts): number | null {
  switch (item.unit_type) {
    case 'flat':
    case 'each':
      return 1;
    case 'mile':
      return miles === null ? null : Math.round(miles * SCALE) / SCALE;
    case 'hour':
      return quarterHours === null ? null : quarterHours / 4;
    case 'quarter_hour':
      return quarterHours;
    case 'day':
      return storage?.days ?? null;
    default:
      return null;
  }
}
