import type { DemoRandom } from './random.js';

export interface PlannedPayment {
  cents: number;
}

/**
 * A plan for the invoices with one status: their number, and the other values that fit the status
 * (docs/decisions.md §2 and §3).
 */
export interface BillingPlan {
  status: string;
  /** The billing_status of the invoice's work order. */
  billing: string;
  /** Number of invoices in the live account. */
  live: number;
  /** Number of invoices in the sandbox. */
  sandbox: number;
  /**
   * Returns the range of an invoice's age in days. `termsDays` are the customer's payment terms.
   */
  ages: (termsDays: number) => readonly [min: number, max: number];
  payment: (random: DemoRandom, totalCents: number) => PlannedPayment;
  /** The invoice's delivery_state. Null if the invoice was never released. */
  delivery: 'sent' | 'failed' | null;
  byAgent?: boolean;
}

const payNothing = (): PlannedPayment => ({ cents: 0 });
const payInFull = (_random: DemoRandom, totalCents: number): PlannedPayment => ({ cents: totalCents });
const payPart = (random: DemoRandom, totalCents: number): PlannedPayment => ({
  cents: Math.round(totalCents * random.between(0.2, 0.8)),
});
const payPartSometimes = (random: DemoRandom, totalCents: number): PlannedPayment =>
  random.chance(0.4) ? payPart(random, totalCents) : payNothing();

const ageBetween = (min: number, max: number) => () => [min, max] as const;
/**
 * Returns a range of ages that ends before the due date. The clock would mark older invoices
 * overdue.
 */
const notYetDue = (min: number, max: number) => (termsDays: number) =>
  [min, Math.min(max, termsDays - 3)] as const;
/**
 * Returns a range of ages past the due date, even for an invoice that was sent some days after its
 * creation.
 */
const pastDue = (termsDays: number) => [termsDays * 1.2 + 3, 88] as const;

const UNRELEASED = { delivery: null, payment: payNothing, billing: 'invoiced' } as const;
const RELEASED = { delivery: 'sent', payment: payNothing, billing: 'billed' } as const;

/** One plan for each of the 13 invoice statuses (docs/specification.md §3.1). */
export const BILLING_PLANS: readonly BillingPlan[] = [
  { status: 'draft', ...UNRELEASED, live: 14, sandbox: 3, ages: ageBetween(0.1, 5), byAgent: true },
  { status: 'needs_review', ...UNRELEASED, live: 10, sandbox: 2, ages: ageBetween(0.2, 7), byAgent: true },
  { status: 'approved', ...UNRELEASED, live: 10, sandbox: 2, ages: ageBetween(0.2, 4) },
  { status: 'sending', ...RELEASED, live: 8, sandbox: 2, ages: notYetDue(0.1, 3) },
  { status: 'sent_to_roadsync', ...RELEASED, live: 12, sandbox: 2, ages: notYetDue(1, 20) },
  { status: 'viewed', ...RELEASED, live: 14, sandbox: 2, ages: notYetDue(2, 25) },
  {
    status: 'partially_paid',
    ...RELEASED,
    billing: 'partially_paid',
    payment: payPart,
    live: 10,
    sandbox: 2,
    ages: notYetDue(4, 25),
  },
  {
    status: 'paid',
    ...RELEASED,
    billing: 'paid',
    payment: payInFull,
    live: 62,
    sandbox: 4,
    ages: ageBetween(4, 86),
  },
  { status: 'overdue', ...RELEASED, live: 14, sandbox: 2, ages: pastDue },
  {
    status: 'disputed',
    ...RELEASED,
    billing: 'disputed',
    payment: payPartSometimes,
    live: 7,
    sandbox: 2,
    ages: ageBetween(8, 80),
  },
  { status: 'failed', ...RELEASED, delivery: 'failed', live: 5, sandbox: 2, ages: notYetDue(0.5, 10) },
  // The work order has no valid invoice any more, so it can be billed again.
  { status: 'void', ...RELEASED, billing: 'ready_to_bill', live: 5, sandbox: 2, ages: ageBetween(10, 80) },
  {
    status: 'cancelled',
    ...UNRELEASED,
    billing: 'ready_to_bill',
    live: 5,
    sandbox: 2,
    ages: ageBetween(3, 80),
  },
];
