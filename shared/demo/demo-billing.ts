import type { DemoRandom } from './demo-random.js';

/** What has been paid of an invoice, in cents. */
export interface Payment {
  cents: number;
}

/** Invoices of one status: how many, how old, and what is consistent with that status (decisions 2 and 3). */
export interface BillingPlan {
  status: string;
  /** billing_status of the job behind it. */
  billing: string;
  live: number;
  sandbox: number;
  /** Days since it was made, for a payer with these terms in days. */
  ages: (termsDays: number) => readonly [min: number, max: number];
  payment: (random: DemoRandom, totalCents: number) => Payment;
  /** null: never released. */
  delivery: 'sent' | 'failed' | null;
  byAgent?: boolean;
}

const nothing = (): Payment => ({ cents: 0 });
const everything = (_random: DemoRandom, totalCents: number): Payment => ({ cents: totalCents });
/** At least one cent, at most all but one. */
const part = (random: DemoRandom, totalCents: number): Payment => ({
  cents: Math.round(totalCents * random.between(0.2, 0.8)),
});
const sometimesPart = (random: DemoRandom, totalCents: number): Payment =>
  random.chance(0.4) ? part(random, totalCents) : nothing();

const aged = (min: number, max: number) => () => [min, max] as const;
/** Released and not paid in full, so it must not be past its due date: the clock would call it overdue at once. */
const notYetDue = (min: number, max: number) => (termsDays: number) =>
  [min, Math.min(max, termsDays - 3)] as const;
/** Past its due date even when it was sent a while after it was made. */
const pastDue = (termsDays: number) => [termsDays * 1.2 + 3, 88] as const;

const unreleased = { delivery: null, payment: nothing, billing: 'invoiced' } as const;
const released = { delivery: 'sent', payment: nothing, billing: 'billed' } as const;

/** One entry for each of the 13 statuses of the specification (section 3.1). */
export const BILLING_PLANS: readonly BillingPlan[] = [
  { status: 'draft', ...unreleased, live: 14, sandbox: 3, ages: aged(0.1, 5), byAgent: true },
  { status: 'needs_review', ...unreleased, live: 10, sandbox: 2, ages: aged(0.2, 7), byAgent: true },
  { status: 'approved', ...unreleased, live: 10, sandbox: 2, ages: aged(0.2, 4) },
  { status: 'sending', ...released, live: 8, sandbox: 2, ages: notYetDue(0.1, 3) },
  { status: 'sent_to_roadsync', ...released, live: 12, sandbox: 2, ages: notYetDue(1, 20) },
  { status: 'viewed', ...released, live: 14, sandbox: 2, ages: notYetDue(2, 25) },
  {
    status: 'partially_paid',
    ...released,
    billing: 'partially_paid',
    payment: part,
    live: 10,
    sandbox: 2,
    ages: notYetDue(4, 25),
  },
  {
    status: 'paid',
    ...released,
    billing: 'paid',
    payment: everything,
    live: 62,
    sandbox: 4,
    ages: aged(4, 86),
  },
  { status: 'overdue', ...released, live: 14, sandbox: 2, ages: pastDue },
  {
    status: 'disputed',
    ...released,
    billing: 'disputed',
    payment: sometimesPart,
    live: 7,
    sandbox: 2,
    ages: aged(8, 80),
  },
  { status: 'failed', ...released, delivery: 'failed', live: 5, sandbox: 2, ages: notYetDue(0.5, 10) },
  // Without a living invoice the job waits to be billed again.
  { status: 'void', ...released, billing: 'ready_to_bill', live: 5, sandbox: 2, ages: aged(10, 80) },
  { status: 'cancelled', ...unreleased, billing: 'ready_to_bill', live: 5, sandbox: 2, ages: aged(3, 80) },
];
