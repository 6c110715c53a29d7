import { priceInvoice } from '../../../shared/billing/money.js';
import { BILLING_PLANS, type BillingPlan, type PlannedPayment } from './billing.js';
import { type DemoCharge, drawCharges } from './charges.js';
import type { DemoCustomer } from './customers.js';
import { INVOICE_NOTES } from './names.js';
import { DemoRandom, deriveDemoId } from './random.js';
import type { DemoScope } from './scope.js';
import type { DemoWorkOrder, WorkOrderMaker } from './work-orders.js';

const HOUR_DAYS = 1 / 24;
/** The account's payment terms (docs/decisions.md §3: default net 30). */
const ACCOUNT_TERMS_DAYS = 30;

export type DemoInvoice = ReturnType<InvoiceMaker['draw']>['invoice'];
export type DemoLineItem = ReturnType<typeof makeLineItem>;

/**
 * Makes the invoices of one tenant. Most have their own completed work order. The others bill an
 * impound without a work order.
 */
export class InvoiceMaker {
  readonly invoices: DemoInvoice[] = [];
  readonly lineItems: DemoLineItem[] = [];
  readonly #random: DemoRandom;

  constructor(
    private readonly scope: DemoScope,
    private readonly workOrders: WorkOrderMaker,
    private readonly customers: readonly DemoCustomer[],
  ) {
    this.#random = new DemoRandom(`${scope.path}/invoices`);
  }

  makeAll(): void {
    for (const plan of BILLING_PLANS) {
      const count = this.scope.environment === 'live' ? plan.live : plan.sandbox;
      for (let made = 0; made < count; made += 1) this.#make(plan);
    }
  }

  #make(plan: BillingPlan): void {
    const { invoice, charges, lineTotals } = this.draw(plan, this.invoices.length + 1);
    this.invoices.push(invoice);
    this.lineItems.push(
      ...charges.map((charge, index) => makeLineItem(invoice, charge, { index, lineTotals })),
    );
  }

  draw(plan: BillingPlan, serial: number) {
    const { scope } = this;
    const random = this.#random;
    const customer = this.#drawCustomer(plan);
    const terms = customer?.terms_days ?? ACCOUNT_TERMS_DAYS;
    const ageDays = random.between(...plan.ages(terms));
    const servedDaysAgo = ageDays + random.between(1, 30) * HOUR_DAYS;
    const workOrder = random.chance(0.93)
      ? this.workOrders.make({ status: 'completed', billing: plan.billing, ageDays: servedDaysAgo, customer })
      : undefined;
    const charges = drawCharges(random, workOrder?.service_type ?? 'impound_tow');
    const taxRateBps = this.#findTaxRateBps(customer);
    const price = priceInvoice(charges, taxRateBps);
    const payment = plan.payment(random, price.totalCents);
    const invoice = {
      tenant_id: scope.tenantId,
      id: deriveDemoId(`${scope.path}/invoice/${serial}`),
      invoice_number: '',
      status: plan.status,
      ...this.#drawBillingFields(customer, workOrder),
      service_date: workOrder?.completion_time ?? scope.daysAgo(servedDaysAgo),
      tax_rate_bps: taxRateBps,
      subtotal_cents: price.subtotalCents,
      tax_cents: price.taxCents,
      total_cents: price.totalCents,
      paid_cents: payment.cents,
      created_by_agent: plan.byAgent === true && random.chance(0.5),
      ...this.#drawTimes(plan, payment, { ageDays, terms }),
    };
    return { invoice, charges, lineTotals: price.lineTotals };
  }

  /**
   * Draws the customer of an invoice. An invoice that the billing partner RoadSync sends goes to a
   * motor club, any other invoice to any active customer. Returns null for a motorist without an
   * account.
   */
  #drawCustomer(plan: BillingPlan): DemoCustomer | null {
    const random = this.#random;
    const active = this.customers.filter((customer) => customer.is_active);
    if (plan.status === 'sent_to_roadsync')
      return random.pick(active.filter(({ company_type }) => company_type === 'motor_club'));
    return random.chance(0.88) ? random.pick(active) : null;
  }

  #findTaxRateBps(customer: DemoCustomer | null): number {
    if (customer?.tax_exempt) return 0;
    return customer?.tax_rate_bps ?? this.scope.profile.taxRateBps;
  }

  #drawBillingFields(customer: DemoCustomer | null, workOrder: DemoWorkOrder | undefined) {
    const random = this.#random;
    const person = (workOrder?.contact_name ?? 'Pat Motorist').toLowerCase().replace(' ', '.');
    const isAccount = customer !== null && customer.company_type !== 'cash';
    return {
      customer_id: customer?.id ?? null,
      work_order_id: workOrder?.id ?? null,
      billing_email: customer?.billing_email ?? `${person}@motorist.example`,
      po_number: isAccount && random.chance(0.6) ? `PO-${random.integer(10_000, 99_999)}` : null,
      vehicle_description: workOrder
        ? `${workOrder.vehicle_year} ${workOrder.vehicle_make} ${workOrder.vehicle_model}`
        : null,
      notes: random.chance(0.3) ? random.pick(INVOICE_NOTES) : null,
    };
  }

  /**
   * Draws the times of an invoice. A released invoice is due when its payment terms end. A paid
   * invoice was paid between its release and now.
   */
  #drawTimes(
    plan: BillingPlan,
    payment: PlannedPayment,
    { ageDays, terms }: { ageDays: number; terms: number },
  ) {
    const random = this.#random;
    const atDaysAgo = this.scope.daysAgo;
    const releasedDaysAgo = ageDays * random.between(0.85, 0.98);
    const paidDaysAgo = releasedDaysAgo * random.between(0.05, 0.9);
    const sent_at = plan.delivery === 'sent' ? atDaysAgo(releasedDaysAgo) : null;
    const paid_at = payment.cents > 0 ? atDaysAgo(paidDaysAgo) : null;
    const overdueSince = plan.status === 'overdue' ? atDaysAgo(releasedDaysAgo - terms) : null;
    const moments = [
      atDaysAgo(ageDays),
      plan.delivery ? atDaysAgo(releasedDaysAgo) : null,
      paid_at,
      overdueSince,
    ];
    return {
      due_date: plan.delivery ? atDaysAgo(releasedDaysAgo - terms) : null,
      sent_at,
      paid_at,
      delivery_state: plan.delivery,
      created_at: atDaysAgo(ageDays),
      updated_at: moments
        .filter((moment) => moment !== null)
        .sort()
        .at(-1) as string,
    };
  }
}

function makeLineItem(
  { tenant_id, id: invoice_id }: DemoInvoice,
  charge: DemoCharge,
  { index, lineTotals }: { index: number; lineTotals: readonly number[] },
) {
  const position = index + 1;
  const id = deriveDemoId(`${invoice_id}/${position}`);
  return { ...charge, tenant_id, invoice_id, position, id, total_cents: lineTotals[index] as number };
}
