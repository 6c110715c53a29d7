import { type DemoCustomer, drawPersonName, drawPhoneNumber } from './customers.js';
import { VEHICLE_MODELS, WORK_ORDER_NOTES } from './names.js';
import { DemoRandom, deriveDemoId } from './random.js';
import type { DemoScope } from './scope.js';

/** The fixed fields of a work order. WorkOrderMaker draws the other fields at random. */
export interface WorkOrderPlan {
  status: 'pending' | 'dispatched' | 'in_progress' | 'completed' | 'cancelled';
  billing: string;
  intake?: 'new';
  /** Days since the creation of the work order or, if it is completed, since its completion. */
  ageDays: number;
  customer: DemoCustomer | null;
}

const HOUR_DAYS = 1 / 24;
const MINUTE_DAYS = HOUR_DAYS / 60;
const VIN_CHARACTERS = 'ABCDEFGHJKLMNPRSTUVWXYZ0123456789';

/** The driver's steps that a work order may have reached, by its status (docs/decisions.md §4). */
const STEPS_BY_STATUS: Readonly<Record<WorkOrderPlan['status'], readonly string[]>> = {
  pending: [],
  dispatched: ['offered', 'acknowledged'],
  in_progress: ['en_route', 'on_scene', 'hooked', 'towing', 'at_destination'],
  completed: ['cleared'],
  cancelled: [],
};

/**
 * The services for light vehicles, by the customer's company type. Other customers get
 * LIGHT_SERVICES.
 */
const SERVICES_BY_COMPANY_TYPE: Readonly<Record<string, readonly string[]>> = {
  police: ['accident_tow', 'impound_tow', 'recovery'],
  municipality: ['impound_tow', 'medium_duty_tow'],
  property_management: ['private_property_tow'],
  auction: ['transport', 'secondary_tow'],
  transport: ['transport', 'secondary_tow', 'load_shift'],
};
const LIGHT_SERVICES = [
  'light_duty_tow',
  'light_duty_tow',
  'flatbed_tow',
  'tow',
  'roadside_service',
  'jump_start',
  'lockout',
  'tire_change',
  'fuel_delivery',
  'winch_out',
];
const WITHOUT_DROPOFF = [
  'roadside_service',
  'jump_start',
  'lockout',
  'tire_change',
  'fuel_delivery',
  'winch_out',
  'load_shift',
];

export type DemoWorkOrder = ReturnType<WorkOrderMaker['draw']>;

/**
 * Makes the work orders of one tenant. Their `job_number` stays empty until all of them are made.
 */
export class WorkOrderMaker {
  readonly workOrders: DemoWorkOrder[] = [];
  readonly #random: DemoRandom;

  constructor(private readonly scope: DemoScope) {
    this.#random = new DemoRandom(`${scope.path}/jobs`);
  }

  make(plan: WorkOrderPlan): DemoWorkOrder {
    const workOrder = this.draw(plan, this.workOrders.length + 1);
    this.workOrders.push(workOrder);
    return workOrder;
  }

  draw(plan: WorkOrderPlan, serial: number) {
    const { scope } = this;
    return {
      tenant_id: scope.tenantId,
      id: deriveDemoId(`${scope.path}/job/${serial}`),
      job_number: '',
      status: plan.status,
      intake: plan.intake ?? 'accepted',
      billing_status: plan.billing,
      customer_id: plan.customer?.id ?? null,
      ...this.#drawVehicleAndService(plan.customer),
      ...this.#drawContact(plan),
      step: STEPS_BY_STATUS[plan.status].length > 0 ? this.#random.pick(STEPS_BY_STATUS[plan.status]) : null,
      ...this.#drawTimes(plan),
      truck_id: null as string | null,
      driver_id: null as string | null,
    };
  }

  #drawVehicleAndService(customer: DemoCustomer | null) {
    const random = this.#random;
    const [vehicle_make, vehicle_model, wmi, duty] = random.pick(VEHICLE_MODELS);
    const services = SERVICES_BY_COMPANY_TYPE[customer?.company_type ?? ''] ?? LIGHT_SERVICES;
    const service_type = duty === 'light' ? random.pick(services) : `${duty}_duty_tow`;
    const serial = Array.from({ length: 14 }, () => random.pick([...VIN_CHARACTERS])).join('');
    return {
      service_type,
      vehicle_make,
      vehicle_model,
      vehicle_year: random.integer(2006, 2025),
      vin: random.chance(0.85) ? `${wmi}${serial}` : null,
      unit_number: customer?.company_type === 'fleet' ? `T-${random.integer(101, 189)}` : null,
      ...this.#drawPlaces(service_type),
    };
  }

  #drawPlaces(serviceType: string) {
    const random = this.#random;
    const { market, name } = this.scope.profile;
    const drawAddress = () => {
      const [town, zip] = random.pick(market.towns);
      return `${random.integer(10, 1900)} ${random.pick(market.streets)}, ${town}, ${market.state} ${zip}`;
    };
    const isToYard = serviceType === 'impound_tow' || serviceType === 'private_property_tow';
    const dropoff = isToYard ? `${name}, storage yard` : drawAddress();
    return {
      pickup_location: random.chance(0.25) ? random.pick(market.highways) : drawAddress(),
      pickup_lat: Number((market.center.lat + random.between(-0.15, 0.15)).toFixed(5)),
      pickup_lng: Number((market.center.lng + random.between(-0.15, 0.15)).toFixed(5)),
      dropoff_location: WITHOUT_DROPOFF.includes(serviceType) ? null : dropoff,
    };
  }

  #drawContact({ status }: WorkOrderPlan) {
    const random = this.#random;
    return {
      contact_name: drawPersonName(random),
      contact_phone: drawPhoneNumber(random, this.scope.profile.market),
      notes:
        status === 'cancelled'
          ? 'Cancelled by the caller.'
          : random.chance(0.4)
            ? random.pick(WORK_ORDER_NOTES)
            : null,
    };
  }

  #drawTimes({ status, ageDays }: WorkOrderPlan) {
    const random = this.#random;
    const atDaysAgo = this.scope.daysAgo;
    if (status === 'pending') return buildTimestamps(atDaysAgo(ageDays), null, null);
    if (status === 'cancelled')
      return buildTimestamps(
        atDaysAgo(ageDays),
        random.chance(0.5) ? atDaysAgo(ageDays - 10 * MINUTE_DAYS) : null,
        null,
      );
    if (status !== 'completed')
      return buildTimestamps(atDaysAgo(ageDays), atDaysAgo(ageDays * random.between(0.3, 0.8)), null);
    const dispatched = ageDays + random.between(0.6, 3) * HOUR_DAYS;
    return buildTimestamps(
      atDaysAgo(dispatched + random.between(5, 45) * MINUTE_DAYS),
      atDaysAgo(dispatched),
      atDaysAgo(ageDays),
    );
  }
}

function buildTimestamps(created_at: string, dispatch_time: string | null, completion_time: string | null) {
  return {
    created_at,
    dispatch_time,
    completion_time,
    updated_at: completion_time ?? dispatch_time ?? created_at,
  };
}

/**
 * The plans for work orders without an invoice: their number in the live account and in the
 * sandbox, and the range of their ages in days.
 */
const UNINVOICED_WORK_ORDERS: readonly (Pick<WorkOrderPlan, 'status' | 'billing' | 'intake'> & {
  live: number;
  sandbox: number;
  ages: readonly [number, number];
})[] = [
  { status: 'pending', intake: 'new', billing: 'unbilled', live: 8, sandbox: 2, ages: [0.01, 0.15] },
  { status: 'pending', billing: 'unbilled', live: 12, sandbox: 2, ages: [0.01, 0.25] },
  { status: 'dispatched', billing: 'unbilled', live: 10, sandbox: 2, ages: [0.02, 0.1] },
  { status: 'in_progress', billing: 'unbilled', live: 14, sandbox: 2, ages: [0.04, 0.2] },
  { status: 'completed', billing: 'ready_to_bill', live: 30, sandbox: 3, ages: [0.1, 3] },
  { status: 'completed', billing: 'not_billable', live: 6, sandbox: 1, ages: [1, 85] },
  { status: 'cancelled', billing: 'not_billable', live: 26, sandbox: 2, ages: [0.5, 88] },
];

export function makeUninvoicedWorkOrders(
  scope: DemoScope,
  maker: WorkOrderMaker,
  customers: readonly DemoCustomer[],
): void {
  const random = new DemoRandom(`${scope.path}/open-jobs`);
  const active = customers.filter((customer) => customer.is_active);
  for (const { ages, live, sandbox, ...plan } of UNINVOICED_WORK_ORDERS) {
    const count = scope.environment === 'live' ? live : sandbox;
    for (let made = 0; made < count; made += 1) {
      const customer = random.chance(0.85) ? random.pick(active) : null;
      maker.make({ ...plan, ageDays: random.between(...ages), customer });
    }
  }
}
