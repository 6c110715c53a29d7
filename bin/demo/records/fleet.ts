import { drawPersonName, drawPhoneNumber } from './customers.js';
import type { DemoInvoice } from './invoices.js';
import { DemoRandom, deriveDemoId } from './random.js';
import type { DemoScope } from './scope.js';
import type { DemoWorkOrder } from './work-orders.js';

/** A row of `drivers`. */
export interface DemoDriver {
  tenant_id: string;
  id: string;
  name: string;
  phone: string;
  duty_classes: string[];
  created_at: string;
}

/** A row of `trucks`. */
export interface DemoTruck {
  tenant_id: string;
  id: string;
  unit_number: string;
  duty_class: string;
  status: string;
  driver_id: string | null;
  make: string;
  model: string;
  year: number;
  lat: number;
  lng: number;
  located_at: string;
  created_at: string;
}

/** A row of `payments`. */
export interface DemoPayment {
  tenant_id: string;
  id: string;
  invoice_id: string;
  customer_id: string | null;
  amount_cents: number;
  applied_cents: number;
  method: string;
  received_at: string;
  created_at: string;
}

/** Number of trucks without a work order. */
const READY_TRUCKS = 4;
const MODELS = [
  ['light', 'Ford', 'F-550'],
  ['light', 'Ram', '5500'],
  ['medium', 'International', 'MV'],
  ['heavy', 'Peterbilt', '389'],
] as const;
const METHODS = ['card', 'check', 'ach', 'cash'] as const;

export interface DemoFleet {
  drivers: DemoDriver[];
  trucks: DemoTruck[];
}

/**
 * Makes a truck with a driver for every active work order, and some trucks without a work order.
 * Sets `truck_id` and `driver_id` of the active work orders.
 */
export function makeFleet(scope: DemoScope, workOrders: DemoWorkOrder[]): DemoFleet {
  const random = new DemoRandom(`${scope.path}/fleet`);
  const active = workOrders.filter(({ status }) => status === 'dispatched' || status === 'in_progress');
  const fleet: DemoFleet = { drivers: [], trucks: [] };
  const { lat, lng } = scope.profile.market.center;
  for (let index = 0; index < active.length + READY_TRUCKS; index += 1) {
    const [duty_class, make, model] = MODELS[index % MODELS.length] as (typeof MODELS)[number];
    const driver = {
      tenant_id: scope.tenantId,
      id: deriveDemoId(`${scope.path}/driver/${index + 1}`),
      name: drawPersonName(random),
      phone: drawPhoneNumber(random, scope.profile.market),
      duty_classes: [duty_class],
      created_at: scope.daysAgo(90),
    };
    const truck = {
      tenant_id: scope.tenantId,
      id: deriveDemoId(`${scope.path}/truck/${index + 1}`),
      unit_number: `${100 + index + 1}`,
      duty_class,
      status: index === active.length ? 'off_duty' : 'available',
      driver_id: driver.id,
      make,
      model,
      year: random.integer(2014, 2025),
      lat: lat + random.between(-0.1, 0.1),
      lng: lng + random.between(-0.1, 0.1),
      located_at: scope.daysAgo(0),
      created_at: scope.daysAgo(90),
    };
    fleet.drivers.push(driver);
    fleet.trucks.push(truck);
    const workOrder = active[index];
    if (workOrder) Object.assign(workOrder, { truck_id: truck.id, driver_id: driver.id });
  }
  return fleet;
}

/** Makes one payment for the paid amount of each invoice. */
export function makePayments(scope: DemoScope, invoices: readonly DemoInvoice[]): DemoPayment[] {
  const random = new DemoRandom(`${scope.path}/payments`);
  return invoices
    .filter((invoice) => invoice.paid_cents > 0)
    .map((invoice) => ({
      tenant_id: scope.tenantId,
      id: deriveDemoId(`${invoice.id}/payment`),
      invoice_id: invoice.id,
      customer_id: invoice.customer_id,
      amount_cents: invoice.paid_cents,
      applied_cents: invoice.paid_cents,
      method: invoice.status === 'sent_to_roadsync' ? 'motor_club' : random.pick(METHODS),
      received_at: invoice.paid_at ?? invoice.updated_at,
      created_at: invoice.paid_at ?? invoice.updated_at,
    }));
}
