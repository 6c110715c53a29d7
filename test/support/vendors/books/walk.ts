import { expect } from 'chai';
import fc from 'fast-check';
import type { Json } from '../../client.js';
import { eventually } from '../../poll.js';
import { type BooksAccount, line } from './books-account.js';

const RUNS = process.env.CI ? 6 : 2;

type BooksStep =
  | { kind: 'release'; cents: number }
  | { kind: 'pay' | 'refund' | 'payThere'; nth: number; share: number }
  | { kind: 'correct' | 'void' | 'voidThere' | 'editContact'; nth: number }
  | { kind: 'loseWebhooks' | 'sendWebhooks' | 'duplicate' | 'reconnect' }
  | { kind: 'fault'; fault: 'cut_after' | 'cut_before' | 'status' };

const nth = fc.nat({ max: 2 });
const share = fc.integer({ min: 1, max: 100 });
const step: fc.Arbitrary<BooksStep> = fc.oneof(
  fc.record({ kind: fc.constant('release' as const), cents: fc.integer({ min: 100, max: 50_000 }) }),
  fc.record({ kind: fc.constantFrom('pay', 'refund', 'payThere'), nth, share }),
  fc.record({ kind: fc.constantFrom('correct', 'void', 'voidThere', 'editContact'), nth }),
  fc.record({ kind: fc.constantFrom('loseWebhooks', 'sendWebhooks', 'duplicate', 'reconnect') }),
  fc.record({
    kind: fc.constant('fault' as const),
    fault: fc.constantFrom('cut_after', 'cut_before', 'status'),
  }),
);

/** A correction that is paid before it is released again, whose answer is lost. */
const PAID_CORRECTION: BooksStep[] = [
  { kind: 'release', cents: 12_500 },
  { kind: 'correct', nth: 0 },
  { kind: 'fault', fault: 'cut_after' },
  { kind: 'pay', nth: 0, share: 100 },
  { kind: 'reconnect' },
  { kind: 'refund', nth: 0, share: 50 },
];

/** A refund after a new connection, when the payment was entered under the earlier one. */
const REFUNDED_LATER: BooksStep[] = [
  { kind: 'release', cents: 12_500 },
  { kind: 'pay', nth: 0, share: 100 },
  // Nothing is left to pay, so this waits only until the payment is in the books.
  { kind: 'pay', nth: 0, share: 100 },
  { kind: 'reconnect' },
  { kind: 'refund', nth: 0, share: 20 },
];

/** A payment made there while no webhook arrives, before a new connection. */
const PAID_THERE: BooksStep[] = [
  { kind: 'release', cents: 9999 },
  { kind: 'loseWebhooks' },
  { kind: 'payThere', nth: 0, share: 30 },
  { kind: 'reconnect' },
  { kind: 'pay', nth: 0, share: 100 },
  { kind: 'voidThere', nth: 0 },
];

/** The walk of one sequence, with what it has made so far. */
class Walk {
  private readonly ids: string[] = [];
  private readonly emails = new Map<string, string>();
  private customerId = '';

  constructor(
    private readonly account: BooksAccount<unknown>,
    private readonly setFault: (fault: 'cut_after' | 'cut_before' | 'status') => void,
  ) {}

  async run(steps: readonly BooksStep[]): Promise<void> {
    this.customerId = (await this.account.createCustomer()).id;
    for (const one of steps) await this.take(one);
  }

  private async take(one: BooksStep): Promise<void> {
    const { habits } = this.account.double.webhooks;
    if (one.kind === 'loseWebhooks') habits.isLost = true;
    else if (one.kind === 'sendWebhooks') habits.isLost = false;
    else if (one.kind === 'duplicate') habits.copies = habits.copies === 1 ? 5 : 1;
    else if (one.kind === 'fault') this.setFault(one.fault);
    else if (one.kind === 'reconnect') await this.reconnect();
    else if (one.kind === 'release') {
      const lines = [line({ unit_price_cents: one.cents })];
      this.ids.push((await this.account.release({ customerId: this.customerId, lines })).id);
    } else if ('nth' in one) {
      const id = this.ids[one.nth];
      if (id !== undefined) await this.change(one, id);
    }
  }

  private async change(one: Extract<BooksStep, { nth: number }>, id: string): Promise<void> {
    const { client, bookkeeper } = this.account;
    // Where a paid invoice keeps its state, a change that meets a payment there asks a person.
    if (bookkeeper.keepsPaid) await this.settle();
    if (one.kind === 'void') await client.post(`/invoices/${id}/void`, { reason: 'Walk' });
    else if (one.kind === 'correct') await this.correct(id);
    else {
      // Two people who pay the same invoice at the same time pay it twice, so one waits.
      await this.settle();
      const invoice = await this.account.readInvoice(id);
      const there = bookkeeper.listInvoices().find(({ number }) => number === invoice.invoice_number);
      if (!there) return;
      if (one.kind === 'pay') {
        const cents = Math.ceil((invoice.balance_due_cents * one.share) / 100);
        if (cents > 0)
          await client.post(`/invoices/${id}/payments`, { amount_cents: cents, method: 'check' });
      } else if (one.kind === 'refund') await this.refund(id, one.share);
      else if (one.kind === 'payThere') {
        const share = Math.floor((there.balanceCents * one.share) / 100);
        const cents = bookkeeper.keepsPaid ? Math.min(share, there.balanceCents - 1) : share;
        if (cents > 0 && !there.isVoid) bookkeeper.pay(there.id, cents);
      } else if (one.kind === 'voidThere') {
        const made = bookkeeper.listPayments().find(({ ownId, isOpen }) => ownId === null && isOpen);
        if (made) bookkeeper.removePayment(made.id);
      } else {
        const email = `edited-${this.emails.size}@example.com`;
        this.emails.set(there.customerId, email);
        bookkeeper.editEmail(there.customerId, email);
      }
    }
  }

  private async refund(id: string, part: number): Promise<void> {
    const own = (await this.account.listPayments(id)).find(
      ({ provider }) => provider !== this.account.vendor,
    );
    const cents = Math.floor((((own?.amount_cents ?? 0) - (own?.refunded_cents ?? 0)) * part) / 100);
    if (own && cents > 0)
      await this.account.client.post(`/payments/${own.id}/refund`, { amount_cents: cents, reason: 'Walk' });
  }

  /** Takes the invoice back and makes it dearer. It stays approved until it is paid. */
  private async correct(id: string): Promise<void> {
    const { client } = this.account;
    const { total_cents } = await this.account.readInvoice(id);
    const line_items = [line({ unit_price_cents: total_cents + 1000 })];
    for (const members of [{ status: 'disputed' }, { status: 'needs_review' }, { line_items }])
      if ((await client.patch(`/invoices/${id}`, members)).status !== 200) return;
    await client.post(`/invoices/${id}/approve`, {});
  }

  private async reconnect(): Promise<void> {
    const { habits } = this.account.double.webhooks;
    const { isLost } = habits;
    this.account.double.misbehave = () => undefined;
    await this.account.disconnect();
    await this.account.connect();
    habits.isLost = isLost;
    const since = new Date(Date.now() - 3_600_000).toISOString();
    const path = `/connections/${this.account.connectionId}/sync`;
    expect((await this.account.client.post(path, { since })).status).to.equal(200);
  }

  private async settle(): Promise<void> {
    let rows: unknown[] = [];
    await eventually('the writes have ended', async () => {
      await this.account.hurry([]);
      const text = `select o.kind, o.state, o.last_error, o.attempts, c.status from outbound_operations o
        join connections c on c.id = o.connection_id where o.next_at is not null and o.tenant_id = $1`;
      const { stack, tenant } = this.account;
      rows = await stack.rows(tenant.id, text, [tenant.id]);
      return rows.length === 0;
    }).catch((error: unknown) => {
      throw new Error(`${String(error)}: ${JSON.stringify(rows)}`);
    });
    await this.account.waitForNotices();
    await this.account.pullAll();
  }

  /** What each invoice is worth, and the payments that count, as both sides hold them. */
  private async compare(): Promise<{ ours: object; theirs: object }> {
    const ours: Record<string, object> = {};
    const theirs: Record<string, object> = {};
    for (const id of this.ids) {
      const invoice = await this.account.readInvoice(id);
      if (invoice.status === 'approved') continue;
      const payments = await this.account.listPayments(id);
      const booked = this.describeBooked(invoice);
      // It may have been voided before it was entered.
      if (invoice.status === 'void' && booked.notes.length === 0) continue;
      ours[id] = describeOwn(invoice, payments);
      theirs[id] = booked;
    }
    const { billing_email } = (await this.account.client.get(`/customers/${this.customerId}`)).body;
    const [email = billing_email] = [...this.emails.values()].slice(-1);
    return { ours: { ...ours, email: billing_email }, theirs: { ...theirs, email } };
  }

  private describeBooked({ id, invoice_number }: Json) {
    const { bookkeeper } = this.account;
    const found = bookkeeper.listInvoices().filter(({ number }) => number === invoice_number);
    const payments = bookkeeper
      .listPayments()
      .filter(({ invoiceId, isOpen }) => isOpen && invoiceId === found[0]?.id)
      .map(({ cents }) => cents);
    return {
      notes: found.map(({ ownId }) => ownId === id),
      total: found.every(({ isVoid }) => isVoid) ? 'void' : found[0]?.totalCents,
      payments: payments.sort(),
    };
  }

  /** Counts the payments that were removed there; they stay here, with an issue. */
  private countRemoved(): number {
    return this.account.bookkeeper.listPayments().filter(({ ownId, isOpen }) => ownId === null && !isOpen)
      .length;
  }

  /** Checks that both sides agree. What was removed there stays here and is shown. */
  async check(): Promise<void> {
    await this.settle();
    const removed = this.countRemoved();
    const issues = await this.account.listIssues();
    expect(issues.map(({ kind }) => kind)).to.deep.equal(Array.from({ length: removed }, () => 'difference'));
    if (removed > 0) return;
    let sides = await this.compare();
    await eventually('both sides agree', async () => {
      await this.account.pullAll();
      sides = await this.compare();
      return JSON.stringify(sides.ours) === JSON.stringify(sides.theirs);
    }).catch(() => {
      throw new Error(`the sides differ: ${JSON.stringify(sides)}`);
    });
  }
}

function describeOwn(invoice: Json, payments: readonly Json[]): object {
  const amounts = payments.map(({ amount_cents, refunded_cents }) => amount_cents - refunded_cents);
  return {
    notes: [true],
    total: invoice.status === 'void' ? 'void' : invoice.total_cents,
    payments: amounts.filter((cents) => cents > 0).sort(),
  };
}

/**
 * Walks random sequences of releases, corrections, payments, refunds and voids on both sides, lost
 * webhooks, failing calls and new connections. After each, both sides must agree to the cent. A
 * failure prints the seed and the sequence.
 * @param writes the beginning of the names of the double's calls that write records
 */
export async function walkBooks(
  openAccount: () => Promise<BooksAccount<unknown>>,
  writes: RegExp,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 9 }), async (steps) => {
      const account = await openAccount();
      const { double } = account;
      const walk = new Walk(account, (fault) => {
        let isLeft = true;
        double.misbehave = (name) => {
          if (!isLeft || !writes.test(name)) return undefined;
          isLeft = false;
          return fault === 'status' ? { kind: 'status', status: 503 } : { kind: fault };
        };
      });
      try {
        await walk.run(steps);
      } finally {
        Object.assign(double.webhooks.habits, { isLost: false, copies: 1 });
        double.misbehave = () => undefined;
      }
      await walk.check();
    }),
    { numRuns: RUNS, endOnFailure: true, examples: [[PAID_CORRECTION], [REFUNDED_LATER], [PAID_THERE]] },
  );
}
