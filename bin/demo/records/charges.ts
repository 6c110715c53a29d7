import type { DemoRandom } from './random.js';

/** A line item as the API accepts it, without its total. */
export interface DemoCharge {
  name: string;
  description: string | null;
  category: string;
  quantity: number;
  unit_type: string;
  unit_price_cents: number;
  taxable: boolean;
}

type ChargeRange = Omit<DemoCharge, 'quantity' | 'unit_price_cents' | 'description'> & {
  /** Range of the quantity, and the number of its decimals. */
  units: readonly [min: number, max: number, decimals: number];
  priceCents: readonly [min: number, max: number];
};

function defineCharge(
  [name, category, unit_type]: readonly [string, string, string],
  priceCents: ChargeRange['priceCents'],
  { units = [1, 1, 0], taxable = true }: { units?: ChargeRange['units']; taxable?: boolean } = {},
): ChargeRange {
  return { name, category, unit_type, priceCents, units, taxable };
}

const MILEAGE = defineCharge(['Loaded miles', 'mileage', 'mile'], [450, 750], { units: [2, 38, 1] });
const HOOK_UP = defineCharge(['Hook-up fee', 'hook_up', 'flat'], [6500, 9500]);

/** The charges for each kind of service that `findKind` returns. */
const CHARGES: Readonly<Record<string, readonly ChargeRange[]>> = {
  light: [defineCharge(['Light-duty tow', 'tow', 'flat'], [9500, 14_500]), HOOK_UP, MILEAGE],
  medium: [defineCharge(['Medium-duty tow', 'tow', 'flat'], [19_500, 28_000]), HOOK_UP, MILEAGE],
  heavy: [
    defineCharge(['Heavy-duty wrecker', 'tow', 'hour'], [32_500, 45_000], { units: [2, 6, 2] }),
    defineCharge(['Air-line and axle work', 'labor', 'quarter_hour'], [4500, 5500], { units: [2, 8, 0] }),
    MILEAGE,
  ],
  recovery: [
    defineCharge(['Winching', 'winching', 'hour'], [17_500, 22_500], { units: [1, 3, 2] }),
    defineCharge(['Recovery labor', 'recovery', 'hour'], [14_500, 18_000], { units: [1, 4, 2] }),
    defineCharge(['Absorbent and debris clean-up', 'cleanup', 'flat'], [5000, 15_000]),
  ],
  roadside: [defineCharge(['Roadside service call', 'roadside', 'flat'], [6500, 9500])],
  impound: [
    defineCharge(['Impound tow', 'impound', 'flat'], [12_500, 18_500]),
    defineCharge(['Storage', 'storage', 'day'], [3500, 5500], { units: [1, 12, 0] }),
    defineCharge(['Gate fee', 'gate_fee', 'flat'], [4500, 7500], { taxable: false }),
    defineCharge(['Lien notice', 'notification', 'each'], [2500, 3500], { taxable: false }),
  ],
};

/**
 * Further charges, each with the probability that a work order gets it. Only the discount has a
 * negative price (docs/decisions.md §3, Money).
 */
const EXTRAS: readonly (readonly [probability: number, extra: ChargeRange])[] = [
  [0.2, defineCharge(['After-hours surcharge', 'after_hours', 'flat'], [4500, 7500])],
  [0.25, defineCharge(['Fuel surcharge', 'fuel_surcharge', 'flat'], [950, 2950], { taxable: false })],
  [0.15, defineCharge(['Waiting time', 'wait_time', 'quarter_hour'], [2200, 3000], { units: [1, 6, 0] })],
  [0.1, defineCharge(['Account discount', 'discount', 'flat'], [-2500, -500])],
];

const ROADSIDE_SERVICES = [
  'roadside_service',
  'jump_start',
  'battery_replacement',
  'lockout',
  'tire_change',
  'fuel_delivery',
];
const RECOVERY_SERVICES = ['recovery', 'winch_out', 'accident_tow'];
const IMPOUND_SERVICES = ['impound_tow', 'private_property_tow'];

function findKind(serviceType: string): string {
  if (ROADSIDE_SERVICES.includes(serviceType)) return 'roadside';
  if (RECOVERY_SERVICES.includes(serviceType)) return 'recovery';
  if (IMPOUND_SERVICES.includes(serviceType)) return 'impound';
  return ['heavy', 'medium'].find((duty) => serviceType.startsWith(duty)) ?? 'light';
}

/** Draws one to eight charges for a work order. Their sum is positive. */
export function drawCharges(random: DemoRandom, serviceType: string): DemoCharge[] {
  const base = CHARGES[findKind(serviceType)] ?? [];
  const extras = EXTRAS.filter(([probability]) => random.chance(probability)).map(([, extra]) => extra);
  return [...base, ...extras].map(
    ({ units: [min, max, decimals], priceCents: [minCents, maxCents], ...rest }) => ({
      ...rest,
      description: rest.category === 'mileage' ? 'From pickup to drop-off' : null,
      quantity: Number(random.between(min, max).toFixed(decimals)),
      // Round to multiples of 50 cents, as on a rate card.
      unit_price_cents: Math.round(random.between(minCents, maxCents) / 50) * 50,
    }),
  );
}
