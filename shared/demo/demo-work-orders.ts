import { type DemoCustomer, demoPerson, demoPhone } from './demo-customers.js';
import { JOB_NOTES, VEHICLES } from './demo-names.js';
import { DemoRandom, demoId } from './demo-random.js';
import type { DemoScope } from './demo-scope.js';

/** A row of `work_orders`. */
export interface DemoWorkOrder {
  tenant_id: string;
  id: string;
  job_number: string;
  status: string;
  intake: 'new' | 'accepted';
  billing_status: string;
  service_type: string;
  customer_id: string | null;
  pickup_location: string;
  pickup_lat: number;
  pickup_lng: number;
  dropoff_location: string | null;
  vin: string | null;
  vehicle_make: string;
  vehicle_model: string;
  vehicle_year: number;
  unit_number: string | null;
  contact_name: string;
  contact_phone: string;
  notes: string | null;
  truck_id?: string;
  driver_id?: string;
  step: string | null;
  dispatch_time: string | null;
  completion_time: string | null;
  created_at: string;
  updated_at: string;
}

/** What is decided about a job before its details are drawn. */
export interface JobPlan {
  status: 'pending' | 'dispatched' | 'in_progress' | 'completed' | 'cancelled';
  billing: string;
  intake?: 'new';
  /** How long ago it was booked; a completed one: how long ago it was completed. In days. */
  ageDays: number;
  customer: DemoCustomer | null;
}

const HOUR = 1 / 24;
const MINUTE = HOUR / 60;
const VIN_CHARACTERS = 'ABCDEFGHJKLMNPRSTUVWXYZ0123456789';

/** Steps of the driver (decisions 4) that fit a status. */
const STEPS: Readonly<Record<JobPlan['status'], readonly string[]>> = {
  pending: [],
  dispatched: ['offered', 'acknowledged'],
  in_progress: ['en_route', 'on_scene', 'hooked', 'towing', 'at_destination'],
  completed: ['cleared'],
  cancelled: [],
};

/** Services by who calls; anybody else has the tows of the vehicle's weight and roadside services. */
const SERVICES_OF: Readonly<Record<string, readonly string[]>> = {
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

/** Makes the jobs of one tenant, one at a time; they get their numbers when all are there. */
export class JobMaker {
  readonly jobs: DemoWorkOrder[] = [];
  readonly #random: DemoRandom;

  constructor(private readonly scope: DemoScope) {
    this.#random = new DemoRandom(`${scope.path}/jobs`);
  }

  make(plan: JobPlan): DemoWorkOrder {
    const { scope } = this;
    const job: DemoWorkOrder = {
      tenant_id: scope.tenantId,
      id: demoId(`${scope.path}/job/${this.jobs.length + 1}`),
      job_number: '',
      status: plan.status,
      intake: plan.intake ?? 'accepted',
      billing_status: plan.billing,
      customer_id: plan.customer?.id ?? null,
      ...this.#vehicleAndService(plan.customer),
      ...this.#people(plan),
      step: STEPS[plan.status].length > 0 ? this.#random.pick(STEPS[plan.status]) : null,
      ...this.#times(plan),
    };
    this.jobs.push(job);
    return job;
  }

  #vehicleAndService(customer: DemoCustomer | null) {
    const random = this.#random;
    const [vehicle_make, vehicle_model, wmi, duty] = random.pick(VEHICLES);
    const light = SERVICES_OF[customer?.company_type ?? ''] ?? LIGHT_SERVICES;
    const service_type = duty === 'light' ? random.pick(light) : `${duty}_duty_tow`;
    const serial = Array.from({ length: 14 }, () => random.pick([...VIN_CHARACTERS])).join('');
    return {
      service_type,
      vehicle_make,
      vehicle_model,
      vehicle_year: random.integer(2006, 2025),
      vin: random.chance(0.85) ? `${wmi}${serial}` : null,
      unit_number: customer?.company_type === 'fleet' ? `T-${random.integer(101, 189)}` : null,
      ...this.#places(service_type),
    };
  }

  #places(serviceType: string) {
    const random = this.#random;
    const { market, name } = this.scope.profile;
    const address = () => {
      const [town, zip] = random.pick(market.towns);
      return `${random.integer(10, 1900)} ${random.pick(market.streets)}, ${town}, ${market.state} ${zip}`;
    };
    const toYard = serviceType === 'impound_tow' || serviceType === 'private_property_tow';
    const dropoff = toYard ? `${name}, storage yard` : address();
    return {
      pickup_location: random.chance(0.25) ? random.pick(market.highways) : address(),
      pickup_lat: Number((market.center.lat + random.between(-0.15, 0.15)).toFixed(5)),
      pickup_lng: Number((market.center.lng + random.between(-0.15, 0.15)).toFixed(5)),
      dropoff_location: WITHOUT_DROPOFF.includes(serviceType) ? null : dropoff,
    };
  }

  #people({ status }: JobPlan) {
    const random = this.#random;
    return {
      contact_name: demoPerson(random),
      contact_phone: demoPhone(random, this.scope.profile.market),
      notes:
        status === 'cancelled'
          ? 'Cancelled by the caller.'
          : random.chance(0.4)
            ? random.pick(JOB_NOTES)
            : null,
    };
  }

  #times({ status, ageDays }: JobPlan) {
    const random = this.#random;
    const at = this.scope.daysAgo;
    if (status === 'pending') return stamps(at(ageDays), null, null);
    if (status === 'cancelled')
      return stamps(at(ageDays), random.chance(0.5) ? at(ageDays - 10 * MINUTE) : null, null);
    if (status !== 'completed') return stamps(at(ageDays), at(ageDays * random.between(0.3, 0.8)), null);
    const dispatched = ageDays + random.between(0.6, 3) * HOUR;
    return stamps(at(dispatched + random.between(5, 45) * MINUTE), at(dispatched), at(ageDays));
  }
}

function stamps(created_at: string, dispatch_time: string | null, completion_time: string | null) {
  return {
    created_at,
    dispatch_time,
    completion_time,
    updated_at: completion_time ?? dispatch_time ?? created_at,
  };
}

/** Jobs without an invoice: their numbers live and in the sandbox, and how old they are, in days. */
const OPEN_JOBS: readonly (Pick<JobPlan, 'status' | 'billing' | 'intake'> & {
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

/** Books the jobs that have no invoice. */
export function makeOpenJobs(scope: DemoScope, jobs: JobMaker, customers: readonly DemoCustomer[]): void {
  const random = new DemoRandom(`${scope.path}/open-jobs`);
  const active = customers.filter((customer) => customer.is_active);
  for (const { ages, live, sandbox, ...plan } of OPEN_JOBS) {
    const count = scope.environment === 'live' ? live : sandbox;
    for (let made = 0; made < count; made += 1) {
      const customer = random.chance(0.85) ? random.pick(active) : null;
      jobs.make({ ...plan, ageDays: random.between(...ages), customer });
    }
  }
}
