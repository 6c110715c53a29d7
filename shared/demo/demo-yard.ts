import { GONE, type ImpoundStatus } from '../resources/impounds/transitions.js';
import type { DemoCustomer } from './demo-customers.js';
import { VEHICLES } from './demo-names.js';
import { DemoRandom, demoId } from './demo-random.js';
import type { DemoScope } from './demo-scope.js';
import type { DemoWorkOrder } from './demo-work-orders.js';

/** A row of `rate_cards`. */
export interface DemoRateCard {
  tenant_id: string;
  id: string;
  name: string;
  version: number;
  effective_from: string;
  is_default: boolean;
  after_hours_start: string;
  after_hours_end: string;
  after_hours_weekends: boolean;
  items: object[];
  created_at: string;
}

/** A row of `impounds`; what its storage has come to is reckoned by the database. */
export interface DemoImpound {
  tenant_id: string;
  id: string;
  work_order_id: string | null;
  customer_id: string | null;
  status: ImpoundStatus;
  held_from: ImpoundStatus | null;
  hold_reason: string | null;
  vehicle_vin: string | null;
  vehicle_make: string;
  vehicle_model: string;
  vehicle_year: number;
  lot: string;
  spot: string;
  impounded_at: string;
  released_at: string | null;
  release_kind: string | null;
  daily_rate_cents: number;
  free_days: number;
  created_at: string;
  updated_at: string;
}

const STORAGE_CENTS = 4500;

type Price = readonly [name: string, category: string, unit_type: string, unit_price_cents: number];

function item([name, category, unit_type, unit_price_cents]: Price, rest: object = {}): object {
  const plain = {
    service_type: null,
    included_quantity: 0,
    minimum_cents: null,
    after_hours: false,
    taxable: true,
  };
  return { name, category, unit_type, unit_price_cents, ...plain, ...rest };
}

const STANDARD = [
  item(['Hook-up fee', 'hook_up', 'flat', 9500]),
  item(['Heavy hook-up fee', 'hook_up', 'flat', 29_500], { service_type: 'heavy_duty_tow' }),
  item(['Heavy-duty wrecker', 'tow', 'hour', 36_500], {
    service_type: 'heavy_duty_tow',
    minimum_cents: 36_500,
  }),
  item(['Loaded miles', 'mileage', 'mile', 550], { included_quantity: 5 }),
  item(['After-hours surcharge', 'after_hours', 'flat', 6500], { after_hours: true }),
  item(['Storage', 'storage', 'day', STORAGE_CENTS], { taxable: false }),
  item(['Gate fee', 'gate_fee', 'flat', 6000], { taxable: false }),
  item(['Gone on arrival', 'goa', 'flat', 4500]),
];
const CLUB = [
  item(['Hook-up fee', 'hook_up', 'flat', 5500]),
  item(['Loaded miles', 'mileage', 'mile', 375], { included_quantity: 10 }),
  item(['After-hours surcharge', 'after_hours', 'flat', 2500], { after_hours: true }),
  item(['Storage', 'storage', 'day', 3500], { taxable: false, included_quantity: 1 }),
  item(['Gone on arrival', 'goa', 'flat', 3000]),
];

/** The account's default card, and the one of the motor clubs, which it is given to. */
export function makeRateCards(scope: DemoScope, customers: readonly DemoCustomer[]): DemoRateCard[] {
  const created_at = scope.daysAgo(90);
  const card = (name: string, items: object[], is_default: boolean): DemoRateCard => ({
    tenant_id: scope.tenantId,
    id: demoId(`${scope.path}/rate-card/${name}`),
    name,
    version: 1,
    effective_from: scope.daysAgo(120).slice(0, 10),
    is_default,
    after_hours_start: '18:00',
    after_hours_end: '08:00',
    after_hours_weekends: true,
    items,
    created_at,
  });
  const club = card('Motor club rates', CLUB, false);
  for (const customer of customers) {
    if (customer.company_type === 'motor_club') customer.rate_card_id = club.id;
  }
  return [card('Standard rates', STANDARD, true), club];
}

/** Vehicles in the yard: how each came to stand there, and since when, in days. */
const STAYS: readonly { status: ImpoundStatus; days: number; ofJob: boolean; hold?: string }[] = [
  { status: 'stored', days: 1, ofJob: true },
  { status: 'hold', days: 4, ofJob: false, hold: 'Police hold, evidence' },
  { status: 'stored', days: 6, ofJob: false },
  { status: 'released', days: 9, ofJob: false },
  { status: 'pending_release', days: 2, ofJob: true },
  { status: 'lien', days: 41, ofJob: false },
];
const IN_SANDBOX = 3;

/** A handful of impounds: some of completed jobs that wait for their invoice, some of vehicles that others brought. */
export function makeImpounds(scope: DemoScope, jobs: readonly DemoWorkOrder[]): DemoImpound[] {
  const random = new DemoRandom(`${scope.path}/yard`);
  const open = jobs.filter((job) => job.status === 'completed' && job.billing_status === 'ready_to_bill');
  const stays = scope.environment === 'live' ? STAYS : STAYS.slice(0, IN_SANDBOX);
  return stays.map(({ status, days, ofJob, hold }, index) => {
    const job = ofJob ? open[index] : undefined;
    const [make, model] = random.pick(VEHICLES);
    const impounded_at = job?.completion_time ?? scope.daysAgo(days);
    return {
      tenant_id: scope.tenantId,
      id: demoId(`${scope.path}/impound/${index + 1}`),
      work_order_id: job?.id ?? null,
      customer_id: job?.customer_id ?? null,
      status,
      held_from: hold === undefined ? null : 'stored',
      hold_reason: hold ?? null,
      vehicle_vin: job?.vin ?? null,
      vehicle_make: job?.vehicle_make ?? make,
      vehicle_model: job?.vehicle_model ?? model,
      vehicle_year: job?.vehicle_year ?? random.integer(2006, 2025),
      lot: 'Main yard',
      spot: `${random.pick(['A', 'B', 'C'])}-${random.integer(1, 40)}`,
      impounded_at,
      released_at: GONE.includes(status) ? scope.daysAgo(0) : null,
      release_kind: GONE.includes(status) ? 'owner' : null,
      daily_rate_cents: STORAGE_CENTS,
      free_days: 0,
      created_at: impounded_at,
      updated_at: scope.daysAgo(0),
    };
  });
}
