import { CUSTOMER_NAMES, FIRST_NAMES, LAST_NAMES, type Market } from './names.js';
import { DemoRandom, deriveDemoId } from './random.js';
import type { DemoScope } from './scope.js';

/** Payment terms in days by company type, where they differ from the account's 30 days. */
const TERMS_DAYS: Readonly<Record<string, number>> = { cash: 15, rental: 15, fleet: 45, insurance: 45 };
/** Public bodies pay no sales tax. */
const TAX_EXEMPT_TYPES = ['police', 'municipality'];

/** Draws a phone number that no one owns: 555-0100 to 555-0199 are reserved for fiction. */
export function drawPhoneNumber(random: DemoRandom, market: Market): string {
  return `+1 ${random.pick(market.areaCodes)} 555 ${String(random.integer(100, 199)).padStart(4, '0')}`;
}

export function drawPersonName(random: DemoRandom): string {
  return `${random.pick(FIRST_NAMES)} ${random.pick(LAST_NAMES)}`;
}

/** Makes a customer from each of the first `count` entries in CUSTOMER_NAMES. */
export function makeCustomers(scope: DemoScope, count: number) {
  const random = new DemoRandom(`${scope.path}/customers`);
  return CUSTOMER_NAMES.slice(0, count).map(([pattern, company_type], index) => {
    const { market } = scope.profile;
    const [city, zip] = random.pick(market.towns);
    const company_name = pattern.replace('*', city);
    const created_at = scope.daysAgo(random.between(89, 90));
    return {
      tenant_id: scope.tenantId,
      id: deriveDemoId(`${scope.path}/customer/${index + 1}`),
      company_name,
      company_type,
      billing_email: company_type === 'cash' ? null : `ap@${toSlug(company_name)}.example`,
      primary_phone: company_type === 'cash' ? null : drawPhoneNumber(random, market),
      address: company_type === 'cash' ? null : `${random.integer(10, 999)} ${random.pick(market.streets)}`,
      city,
      state: market.state,
      zip,
      // The last customer of the complete list is inactive and gets no work orders.
      is_active: index < CUSTOMER_NAMES.length - 1,
      terms_days: TERMS_DAYS[company_type] ?? null,
      tax_exempt: TAX_EXEMPT_TYPES.includes(company_type),
      tax_rate_bps: company_type === 'auction' ? 400 : null,
      /** `makeRateCards` sets the card of each motor club later. */
      rate_card_id: null as string | null,
      created_at,
      updated_at: created_at,
    };
  });
}

export type DemoCustomer = ReturnType<typeof makeCustomers>[number];

function toSlug(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}
