import type { LineItemInput, PriceExplanation, RateCardItem } from '../../contracts/generated.js';
import { lineTotalCents, MAX_QUANTITY, MAX_QUANTITY_DECIMALS } from '../invoices/money.js';

/** What is known of a job when it is priced. */
export interface JobFacts {
  serviceType: string;
  /** Somebody came for nothing (goa, unsuccessful): only items of the category goa are charged. */
  isGoa: boolean;
  isAfterHours: boolean;
  /** Loaded miles. */
  miles: number | null;
  /** Started quarter hours from dispatch to completion. */
  quarterHours: number | null;
  /** The days of storage to charge now, at the impound's own rate; null: nothing was impounded. */
  storage: { days: number; rateCents: number } | null;
  /** The rest is invoiced already. */
  isStorageOnly: boolean;
}

export interface PricedJob {
  lines: LineItemInput[];
  explanation: PriceExplanation[];
}

/** Quantities are reckoned in whole 1/10000, so that no difference of two has a stray digit. */
const SCALE = 10 ** MAX_QUANTITY_DECIMALS;
/** Charged only where there is an impound. */
const IMPOUND_CATEGORIES: readonly string[] = ['storage', 'impound', 'gate_fee'];

/**
 * The lines that a card makes of a job, with the reason for each item (decisions 3, Money: integer cents, line totals rounded half away from zero).
 * Pure: the same card and facts give the same price. No line is negative, and more miles never cost less.
 */
export function priceJob(items: readonly RateCardItem[], facts: JobFacts): PricedJob {
  const lines: LineItemInput[] = [];
  const explanation = itemsFor(items, facts).map((item): PriceExplanation => {
    const charge = chargeOf(item, facts);
    if (charge.line) lines.push(charge.line);
    return {
      name: item.name,
      category: item.category,
      service_type: item.service_type,
      line: charge.line ? lines.length : null,
      measured_quantity: charge.measured,
      included_quantity: charge.included,
      charged_quantity: charge.charged,
      minimum_applied: charge.isMinimum,
      reason: charge.reason,
    };
  });
  return { lines, explanation };
}

const isStorageByDay = (item: RateCardItem) => item.category === 'storage' && item.unit_type === 'day';

/** A card without an item for it must not let a day of storage go free: it is charged as the impound says. */
const PLAIN_STORAGE: RateCardItem = {
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

/** The items for this service: one that names it stands in for those for any service in its category. A day is stored once. */
function itemsFor(items: readonly RateCardItem[], { serviceType, storage }: JobFacts): RateCardItem[] {
  const group = (item: RateCardItem) => `${item.category} ${item.after_hours}`;
  const named = new Set(items.filter((item) => item.service_type === serviceType).map(group));
  const fitting = items.filter(
    (item) => item.service_type === serviceType || (item.service_type === null && !named.has(group(item))),
  );
  const first = fitting.find(isStorageByDay);
  const once = fitting.filter((item) => !isStorageByDay(item) || item === first);
  return storage && !first ? [...once, PLAIN_STORAGE] : once;
}

/** The item that says what a day of storage costs for a service; undefined: none does. Without a service the first one. */
export function storageItem(
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
  line: LineItemInput | null;
  measured: number | null;
  included: number | null;
  charged: number | null;
  isMinimum: boolean;
  reason: string;
}

function chargeOf(item: RateCardItem, facts: JobFacts): Charge {
  const excluded = exclusionOf(item, facts);
  if (excluded) return uncharged(excluded);
  const measured = measure(item, facts);
  if (measured === null) return uncharged(`the ${item.unit_type}s of this job are not known`);
  // The free days of a stay are counted once, on the impound; here they would be given anew with every invoice.
  const included = item.unit_type === 'day' ? 0 : item.included_quantity;
  const rest = (Math.round(measured * SCALE) - Math.round(included * SCALE)) / SCALE;
  const charged = Math.min(Math.max(0, rest), MAX_QUANTITY);
  const counts = { measured, included, charged };
  const told = `${measured} ${item.unit_type}${included > 0 ? `, ${included} of them included` : ''}`;
  if (charged === 0) return { ...uncharged(told), ...counts };
  return { ...counts, ...lineOf(item, charged, { facts, told }) };
}

function lineOf(
  item: RateCardItem,
  quantity: number,
  { facts, told }: { facts: JobFacts; told: string },
): Pick<Charge, 'line' | 'isMinimum' | 'reason'> {
  const price = isStorageByDay(item) && facts.storage ? facts.storage.rateCents : item.unit_price_cents;
  const total = lineTotalCents(quantity, price);
  const minimum = item.minimum_cents ?? 0;
  const shared = { name: item.name, category: item.category, taxable: item.taxable };
  if (total >= minimum) {
    const amounts = { quantity, unit_type: item.unit_type, unit_price_cents: price, total_cents: total };
    return {
      line: { ...shared, description: described(item, told), ...amounts },
      isMinimum: false,
      reason: told,
    };
  }
  const reason = `${told}: ${total} cents, raised to the minimum of ${minimum}`;
  const amounts = { quantity: 1, unit_type: 'flat', unit_price_cents: minimum, total_cents: minimum };
  return { line: { ...shared, description: `Minimum charge: ${told}`, ...amounts }, isMinimum: true, reason };
}

/** What the customer reads under the line, where quantity and price do not tell it. */
function described(item: RateCardItem, told: string): string | null {
  return item.included_quantity > 0 && item.unit_type !== 'day' ? told : null;
}

/** Why an item that fits the service is not for this job; undefined when it is. */
function exclusionOf(item: RateCardItem, facts: JobFacts): string | undefined {
  if ((item.category === 'goa') !== facts.isGoa)
    return facts.isGoa ? 'nobody was served: only goa is charged' : 'the job was done';
  if (facts.isStorageOnly && item.unit_type !== 'day') return 'invoiced already';
  if (item.after_hours && !facts.isAfterHours) return 'not after hours';
  if (IMPOUND_CATEGORIES.includes(item.category) && !facts.storage) return 'nothing was impounded';
  return undefined;
}

function uncharged(reason: string): Charge {
  return { line: null, measured: null, included: null, charged: null, isMinimum: false, reason };
}

/** How much of its unit a job has; null when nobody knows. */
function measure(item: RateCardItem, { miles, quarterHours, storage }: JobFacts): number | null {
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
