import { drawPersonName, drawPhoneNumber } from './customers.js';
import type { DemoInvoice } from './invoices.js';
import { DemoRandom, deriveDemoId } from './random.js';
import type { DemoScope } from './scope.js';
import type { DemoWorkOrder } from './work-orders.js';

/** Number of trucks without a work order. */
const READY_TRUCKS = 4;
const MODELS = [
  ['light', 'Ford', 'F-550'],
  ['light', 'Ram', '5500'],
  ['medium', 'International', 'MV'],
  ['heavy', 'Peterbilt', '389'],
] as const;
const METHODS = ['card', 'check', 'ach', 'cash'] as const;

/**
 * Makes trucks and their drivers. Assigns a truck and its driver to every active work order, by
 * setting `truck_id` and `driver_id`.
 */
export function makeFleet(scope: DemoScope, workOrders: DemoWorkOrder[]) {
  const random = new DemoRandom(`${scope.path}/fleet`);
  const active = workOrders.filter(({ status }) => status === 'dispatched' || status === 'in_progress');
  const { lat, lng } = scope.profile.market.center;
  const pairs = Array.from({ length: active.length + READY_TRUCKS }, (_, index) => {
    const [duty_class, make, model] = MODELS[index % MODELS.length] as (typeof MODELS)[number];
    const common = { tenant_id: scope.tenantId, created_at: scope.daysAgo(90) };
    const driver = {
      ...common,
      id: deriveDemoId(`${scope.path}/driver/${index + 1}`),
      name: drawPersonName(random),
      phone: drawPhoneNumber(random, scope.profile.market),
      duty_classes: [duty_class],
    };
    const truck = {
      ...common,
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
    };
    Object.assign(active[index] ?? {}, { truck_id: truck.id, driver_id: driver.id });
    return { driver, truck };
  });
  return { drivers: pairs.map(({ driver }) => driver), trucks: pairs.map(({ truck }) => truck) };
}

/** Makes one payment per paid or partly paid invoice, with the paid amount. */
export function makePayments(scope: DemoScope, invoices: readonly DemoInvoice[]) {
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
