import { priceInvoice } from '../resources/invoices/money.js';
import { BILLING_PLANS, type BillingPlan, type Payment } from './demo-billing.js';
import { chargesFor, type DemoCharge } from './demo-charges.js';
import type { DemoCustomer } from './demo-customers.js';
import { INVOICE_NOTES } from './demo-names.js';
import { DemoRandom, demoId } from './demo-random.js';
import type { DemoScope } from './demo-scope.js';
import type { DemoWorkOrder, JobMaker } from './demo-work-orders.js';

/** A row of `invoices`. */
export interface DemoInvoice {
  tenant_id: string;
  id: string;
  invoice_number: string;
  status: string;
  customer_id: string | null;
  work_order_id: string | null;
  billing_email: string | null;
  po_number: string | null;
  vehicle_description: string | null;
  notes: string | null;
  due_date: string | null;
  service_date: string;
  tax_rate_bps: number;
  subtotal_cents: number;
  tax_cents: number;
  total_cents: number;
  paid_cents: number;
  created_by_agent: boolean;
  sent_at: string | null;
  paid_at: string | null;
  delivery_state: string | null;
  created_at: string;
  updated_at: string;
}

/** A row of `invoice_line_items`. */
export interface DemoLine extends DemoCharge {
  tenant_id: string;
  invoice_id: string;
  position: number;
  id: string;
  total_cents: number;
}

const HOUR = 1 / 24;
/** The account's terms (decisions 3: default net 30). */
const ACCOUNT_TERMS_DAYS = 30;

/** Makes invoices over every status, each on a completed job of its own but for a few (storage billed without one). */
export class InvoiceMaker {
  readonly invoices: DemoInvoice[] = [];
  readonly lines: DemoLine[] = [];
  readonly #random: DemoRandom;

  constructor(
    private readonly scope: DemoScope,
    private readonly jobs: JobMaker,
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
    const { scope } = this;
    const random = this.#random;
    const customer = this.#payer(plan);
    const terms = customer?.terms_days ?? ACCOUNT_TERMS_DAYS;
    const ageDays = random.between(...plan.ages(terms));
    const servedDaysAgo = ageDays + random.between(1, 30) * HOUR;
    const job = random.chance(0.93)
      ? this.jobs.make({ status: 'completed', billing: plan.billing, ageDays: servedDaysAgo, customer })
      : undefined;
    const id = demoId(`${scope.path}/invoice/${this.invoices.length + 1}`);
    const charges = chargesFor(random, job?.service_type ?? 'impound_tow');
    const taxRateBps = this.#taxRate(customer);
    const price = priceInvoice(charges, taxRateBps);
    const payment = plan.payment(random, price.totalCents);
    this.invoices.push({
      tenant_id: scope.tenantId,
      id,
      invoice_number: '',
      status: plan.status,
      ...this.#addressee(customer, job),
      service_date: job?.completion_time ?? scope.daysAgo(servedDaysAgo),
      tax_rate_bps: taxRateBps,
      subtotal_cents: price.subtotalCents,
      tax_cents: price.taxCents,
      total_cents: price.totalCents,
      paid_cents: payment.cents,
      created_by_agent: plan.byAgent === true && random.chance(0.5),
      ...this.#times(plan, payment, { ageDays, terms }),
    });
    charges.forEach((line, index) => {
      const position = index + 1;
      this.lines.push({
        ...line,
        tenant_id: scope.tenantId,
        invoice_id: id,
        position,
        id: demoId(`${id}/${position}`),
        total_cents: price.lineTotals[index] as number,
      });
    });
  }

  /** The billing partner serves motor clubs only; a motorist off the street has no customer record. */
  #payer(plan: BillingPlan): DemoCustomer | null {
    const random = this.#random;
    const active = this.customers.filter((customer) => customer.is_active);
    if (plan.status === 'sent_to_roadsync')
      return random.pick(active.filter(({ company_type }) => company_type === 'motor_club'));
    return random.chance(0.88) ? random.pick(active) : null;
  }

  #taxRate(customer: DemoCustomer | null): number {
    if (customer?.tax_exempt) return 0;
    return customer?.tax_rate_bps ?? this.scope.profile.taxRateBps;
  }

  #addressee(customer: DemoCustomer | null, job: DemoWorkOrder | undefined) {
    const random = this.#random;
    const person = (job?.contact_name ?? 'Pat Motorist').toLowerCase().replace(' ', '.');
    const isAccount = customer !== null && customer.company_type !== 'cash';
    return {
      customer_id: customer?.id ?? null,
      work_order_id: job?.id ?? null,
      billing_email: customer?.billing_email ?? `${person}@motorist.example`,
      po_number: isAccount && random.chance(0.6) ? `PO-${random.integer(10_000, 99_999)}` : null,
      vehicle_description: job ? `${job.vehicle_year} ${job.vehicle_make} ${job.vehicle_model}` : null,
      notes: random.chance(0.3) ? random.pick(INVOICE_NOTES) : null,
    };
  }

  /** Sent within hours of its creation, due after its terms, paid some time between sending and now. */
  #times(plan: BillingPlan, payment: Payment, { ageDays, terms }: { ageDays: number; terms: number }) {
    const random = this.#random;
    const at = this.scope.daysAgo;
    const releasedDaysAgo = ageDays * random.between(0.85, 0.98);
    const paidDaysAgo = releasedDaysAgo * random.between(0.05, 0.9);
    const sent_at = plan.delivery === 'sent' ? at(releasedDaysAgo) : null;
    const paid_at = payment.cents > 0 ? at(paidDaysAgo) : null;
    const overdueSince = plan.status === 'overdue' ? at(releasedDaysAgo - terms) : null;
    const moments = [at(ageDays), plan.delivery ? at(releasedDaysAgo) : null, paid_at, overdueSince];
    return {
      due_date: plan.delivery ? at(releasedDaysAgo - terms) : null,
      sent_at,
      paid_at,
      delivery_state: plan.delivery,
      created_at: at(ageDays),
      updated_at: moments
        .filter((moment) => moment !== null)
        .sort()
        .at(-1) as string,
    };
  }
}
