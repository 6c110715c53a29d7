import {
  DEPARTED_IMPOUND_STATUSES,
  type ImpoundStatus,
} from '../../../shared/resources/impounds/transitions.js';
import type { DemoCustomer } from './customers.js';
import { VEHICLE_MODELS } from './names.js';
import { DemoRandom, deriveDemoId } from './random.js';
import type { DemoScope } from './scope.js';
import type { DemoWorkOrder } from './work-orders.js';

const STORAGE_CENTS = 4500;

type ItemPrice = readonly [name: string, category: string, unit_type: string, unit_price_cents: number];

function buildItem([name, category, unit_type, unit_price_cents]: ItemPrice, rest: object = {}): object {
  const defaults = {
    service_type: null,
    included_quantity: 0,
    minimum_cents: null,
    after_hours: false,
    taxable: true,
  };
  return { name, category, unit_type, unit_price_cents, ...defaults, ...rest };
}

const STANDARD_ITEMS = [
  buildItem(['Hook-up fee', 'hook_up', 'flat', 9500]),
  buildItem(['Heavy hook-up fee', 'hook_up', 'flat', 29_500], { service_type: 'heavy_duty_tow' }),
  buildItem(['Heavy-duty wrecker', 'tow', 'hour', 36_500], {
    service_type: 'heavy_duty_tow',
    minimum_cents: 36_500,
  }),
  buildItem(['Loaded miles', 'mileage', 'mile', 550], { included_quantity: 5 }),
  buildItem(['After-hours surcharge', 'after_hours', 'flat', 6500], { after_hours: true }),
  buildItem(['Storage', 'storage', 'day', STORAGE_CENTS], { taxable: false }),
  buildItem(['Gate fee', 'gate_fee', 'flat', 6000], { taxable: false }),
  buildItem(['Gone on arrival', 'goa', 'flat', 4500]),
];
const CLUB_ITEMS = [
  buildItem(['Hook-up fee', 'hook_up', 'flat', 5500]),
  buildItem(['Loaded miles', 'mileage', 'mile', 375], { included_quantity: 10 }),
  buildItem(['After-hours surcharge', 'after_hours', 'flat', 2500], { after_hours: true }),
  buildItem(['Storage', 'storage', 'day', 3500], { taxable: false, included_quantity: 1 }),
  buildItem(['Gone on arrival', 'goa', 'flat', 3000]),
];

/**
 * Makes the default rate card and a card for motor clubs. Sets `rate_card_id` of each customer that
 * is a motor club.
 */
export function makeRateCards(scope: DemoScope, customers: readonly DemoCustomer[]) {
  const created_at = scope.daysAgo(90);
  const makeCard = (name: string, items: object[], is_default: boolean) => ({
    tenant_id: scope.tenantId,
    id: deriveDemoId(`${scope.path}/rate-card/${name}`),
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
  const clubCard = makeCard('Motor club rates', CLUB_ITEMS, false);
  for (const customer of customers) {
    if (customer.company_type === 'motor_club') customer.rate_card_id = clubCard.id;
  }
  return [makeCard('Standard rates', STANDARD_ITEMS, true), clubCard];
}

/**
 * The impounds to make, and their days of storage. If `ofJob` is true, the impound has a work
 * order.
 */
const STAYS: readonly { status: ImpoundStatus; days: number; ofJob: boolean; hold?: string }[] = [
  { status: 'stored', days: 1, ofJob: true },
  { status: 'hold', days: 4, ofJob: false, hold: 'Police hold, evidence' },
  { status: 'stored', days: 6, ofJob: false },
  { status: 'released', days: 9, ofJob: false },
  { status: 'pending_release', days: 2, ofJob: true },
  { status: 'lien', days: 41, ofJob: false },
];
const SANDBOX_STAY_COUNT = 3;

/**
 * Makes the impounds of one tenant. Some have a completed work order that is not invoiced. The
 * others have no work order.
 */
export function makeImpounds(scope: DemoScope, workOrders: readonly DemoWorkOrder[]) {
  const random = new DemoRandom(`${scope.path}/yard`);
  const unbilled = workOrders.filter(
    (workOrder) => workOrder.status === 'completed' && workOrder.billing_status === 'ready_to_bill',
  );
  const stays = scope.environment === 'live' ? STAYS : STAYS.slice(0, SANDBOX_STAY_COUNT);
  return stays.map(({ status, days, ofJob, hold }, index) => {
    const workOrder = ofJob ? unbilled[index] : undefined;
    const [make, model] = random.pick(VEHICLE_MODELS);
    const impounded_at = workOrder?.completion_time ?? scope.daysAgo(days);
    return {
      tenant_id: scope.tenantId,
      id: deriveDemoId(`${scope.path}/impound/${index + 1}`),
      work_order_id: workOrder?.id ?? null,
      customer_id: workOrder?.customer_id ?? null,
      status,
      held_from: hold === undefined ? null : 'stored',
      hold_reason: hold ?? null,
      vehicle_vin: workOrder?.vin ?? null,
      vehicle_make: workOrder?.vehicle_make ?? make,
      vehicle_model: workOrder?.vehicle_model ?? model,
      vehicle_year: workOrder?.vehicle_year ?? random.integer(2006, 2025),
      lot: 'Main yard',
      spot: `${random.pick(['A', 'B', 'C'])}-${random.integer(1, 40)}`,
      impounded_at,
      released_at: DEPARTED_IMPOUND_STATUSES.includes(status) ? scope.daysAgo(0) : null,
      release_kind: DEPARTED_IMPOUND_STATUSES.includes(status) ? 'owner' : null,
      daily_rate_cents: STORAGE_CENTS,
      free_days: 0,
      created_at: impounded_at,
      updated_at: scope.daysAgo(0),
    };
  });
}
