import type { DemoRandom } from './demo-random.js';

/** A charge before it stands on an invoice: an invoice's line item as the API takes it, without its total. */
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
  /** Least and most units; decimals: how finely they are measured. */
  units: readonly [min: number, max: number, decimals: number];
  priceCents: readonly [min: number, max: number];
};

function charge(
  [name, category, unit_type]: readonly [string, string, string],
  priceCents: ChargeRange['priceCents'],
  { units = [1, 1, 0], taxable = true }: { units?: ChargeRange['units']; taxable?: boolean } = {},
): ChargeRange {
  return { name, category, unit_type, priceCents, units, taxable };
}

const MILEAGE = charge(['Loaded miles', 'mileage', 'mile'], [450, 750], { units: [2, 38, 1] });
const HOOK_UP = charge(['Hook-up fee', 'hook_up', 'flat'], [6500, 9500]);

/** What a job of each kind is charged. */
const CHARGES: Readonly<Record<string, readonly ChargeRange[]>> = {
  light: [charge(['Light-duty tow', 'tow', 'flat'], [9500, 14_500]), HOOK_UP, MILEAGE],
  medium: [charge(['Medium-duty tow', 'tow', 'flat'], [19_500, 28_000]), HOOK_UP, MILEAGE],
  heavy: [
    charge(['Heavy-duty wrecker', 'tow', 'hour'], [32_500, 45_000], { units: [2, 6, 2] }),
    charge(['Air-line and axle work', 'labor', 'quarter_hour'], [4500, 5500], { units: [2, 8, 0] }),
    MILEAGE,
  ],
  recovery: [
    charge(['Winching', 'winching', 'hour'], [17_500, 22_500], { units: [1, 3, 2] }),
    charge(['Recovery labor', 'recovery', 'hour'], [14_500, 18_000], { units: [1, 4, 2] }),
    charge(['Absorbent and debris clean-up', 'cleanup', 'flat'], [5000, 15_000]),
  ],
  roadside: [charge(['Roadside service call', 'roadside', 'flat'], [6500, 9500])],
  impound: [
    charge(['Impound tow', 'impound', 'flat'], [12_500, 18_500]),
    charge(['Storage', 'storage', 'day'], [3500, 5500], { units: [1, 12, 0] }),
    charge(['Gate fee', 'gate_fee', 'flat'], [4500, 7500], { taxable: false }),
    charge(['Lien notice', 'notification', 'each'], [2500, 3500], { taxable: false }),
  ],
};

/** What may come on top, with its probability. A discount is the one negative price (decisions 3, Money). */
const EXTRAS: readonly (readonly [probability: number, extra: ChargeRange])[] = [
  [0.2, charge(['After-hours surcharge', 'after_hours', 'flat'], [4500, 7500])],
  [0.25, charge(['Fuel surcharge', 'fuel_surcharge', 'flat'], [950, 2950], { taxable: false })],
  [0.15, charge(['Waiting time', 'wait_time', 'quarter_hour'], [2200, 3000], { units: [1, 6, 0] })],
  [0.1, charge(['Account discount', 'discount', 'flat'], [-2500, -500])],
];

const ROADSIDE = [
  'roadside_service',
  'jump_start',
  'battery_replacement',
  'lockout',
  'tire_change',
  'fuel_delivery',
];
const RECOVERY = ['recovery', 'winch_out', 'accident_tow'];
const IMPOUND = ['impound_tow', 'private_property_tow'];

function kindOf(serviceType: string): string {
  if (ROADSIDE.includes(serviceType)) return 'roadside';
  if (RECOVERY.includes(serviceType)) return 'recovery';
  if (IMPOUND.includes(serviceType)) return 'impound';
  return ['heavy', 'medium'].find((duty) => serviceType.startsWith(duty)) ?? 'light';
}

/** The charges of one job: one to eight of them, with a positive sum. */
export function chargesFor(random: DemoRandom, serviceType: string): DemoCharge[] {
  const base = CHARGES[kindOf(serviceType)] ?? [];
  const extras = EXTRAS.filter(([probability]) => random.chance(probability)).map(([, extra]) => extra);
  return [...base, ...extras].map(({ units: [min, max, decimals], priceCents: [least, most], ...line }) => ({
    ...line,
    description: line.category === 'mileage' ? 'From pickup to drop-off' : null,
    quantity: Number(random.between(min, max).toFixed(decimals)),
    // Whole half dollars, as on a rate card.
    unit_price_cents: Math.round(random.between(least, most) / 50) * 50,
  }));
}
