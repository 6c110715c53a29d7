/**
 * Runs random sequences of releases, corrections, payments, refunds and voids on both sides, lost
 * webhooks, failing calls and new connections. Afterwards the books and the account agree to the
 * cent. A failure prints the seed and the sequence.
 */
import { expect } from 'chai';
import fc from 'fast-check';
import type { Json } from '../../../support/client.js';
import { eventually } from '../../../support/poll.js';
import { type BookingAccount, useBookingStack } from '../../../support/vendors/booking.js';
import { line } from '../../../support/vendors/books/books-account.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import type { BooksRecord } from '../../../support/vendors/quickbooks-double/books-record.js';

const RUNS = process.env.CI ? 6 : 2;

type Step =
  | { kind: 'release'; cents: number }
  | { kind: 'pay' | 'refund' | 'payThere'; nth: number; share: number }
  | { kind: 'correct' | 'void' | 'voidThere' | 'editContact'; nth: number }
  | { kind: 'loseWebhooks' | 'sendWebhooks' | 'duplicate' | 'reconnect' }
  | { kind: 'fault'; fault: 'cut_after' | 'cut_before' | 'status' };

const nth = fc.nat({ max: 2 });
const share = fc.integer({ min: 1, max: 100 });
const step: fc.Arbitrary<Step> = fc.oneof(
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
const PAID_CORRECTION: Step[] = [
  { kind: 'release', cents: 12_500 },
  { kind: 'correct', nth: 0 },
  { kind: 'fault', fault: 'cut_after' },
  { kind: 'pay', nth: 0, share: 100 },
  { kind: 'reconnect' },
  { kind: 'refund', nth: 0, share: 50 },
];

/** A payment made there while no webhook arrives, before a new connection. */
const PAID_THERE: Step[] = [
  { kind: 'release', cents: 9999 },
  { kind: 'loseWebhooks' },
  { kind: 'payThere', nth: 0, share: 30 },
  { kind: 'reconnect' },
  { kind: 'pay', nth: 0, share: 100 },
  { kind: 'voidThere', nth: 0 },
];

const toCents = (amount: unknown) => Math.round(Number(amount ?? 0) * 100);
const isVoid = ({ PrivateNote }: BooksRecord) => /^Voided/.test(String(PrivateNote ?? ''));

/** The walk of one sequence, with what it has made so far. */
class Walk {
  private readonly ids: string[] = [];
  private readonly emails = new Map<string, string>();
  private customerId = '';

  constructor(
    private readonly account: BookingAccount,
    private readonly setFault: (fault: 'cut_after' | 'cut_before' | 'status') => void,
  ) {}

  async run(steps: readonly Step[]): Promise<void> {
    this.customerId = (await this.account.createCustomer()).id;
    for (const one of steps) await this.take(one);
  }

  private async take(one: Step): Promise<void> {
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

  private async change(one: Extract<Step, { nth: number }>, id: string): Promise<void> {
    const { client, double, company } = this.account;
    if (one.kind === 'void') await client.post(`/invoices/${id}/void`, { reason: 'Walk' });
    else if (one.kind === 'correct') await this.correct(id);
    else {
      // Two people who pay the same invoice at the same time pay it twice, so one waits.
      await this.settle();
      const invoice = await this.account.readInvoice(id);
      const there = this.account.findBooked(invoice.invoice_number);
      if (!there) return;
      if (one.kind === 'pay') {
        const cents = Math.ceil((invoice.balance_due_cents * one.share) / 100);
        if (cents > 0)
          await client.post(`/invoices/${id}/payments`, { amount_cents: cents, method: 'check' });
      } else if (one.kind === 'refund') await this.refund(id, one.share);
      else if (one.kind === 'payThere') {
        const cents = Math.floor((toCents(there.Balance) * one.share) / 100);
        if (cents > 0) double.payInvoices(company, [{ invoiceId: there.Id, amount: cents / 100 }]);
      } else if (one.kind === 'voidThere') {
        const [made] = company.list('Payment').filter((payment) => !payment.PrivateNote);
        if (made) double.void(company, 'Payment', made.Id);
      } else {
        const Address = `edited-${this.emails.size}@example.com`;
        const customer = String(Object(there.CustomerRef).value);
        this.emails.set(customer, Address);
        double.edit(company, 'Customer', customer, { PrimaryEmailAddr: { Address } });
      }
    }
  }

  private async refund(id: string, part: number): Promise<void> {
    const own = (await this.account.listPayments(id)).find(({ provider }) => provider !== 'quickbooks');
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

  async settle(): Promise<void> {
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
  async compare(): Promise<{ ours: object; theirs: object }> {
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
    const { company } = this.account;
    const found = company.list('Invoice').filter(({ DocNumber }) => DocNumber === invoice_number);
    const notes = found.map(({ PrivateNote }) => String(PrivateNote).replace('Voided - ', ''));
    const payments = company.list('Payment').flatMap((payment) => {
      const lines = (payment.Line ?? []) as { Amount: number; LinkedTxn: { TxnId: string }[] }[];
      return lines
        .filter(({ LinkedTxn }) => LinkedTxn[0]?.TxnId === found[0]?.Id)
        .map(({ Amount }) => toCents(Amount));
    });
    const isAnnulled = found.every(isVoid);
    return {
      notes: notes.map((note) => note === `Tow Dispatch invoice ${id}`),
      total: isAnnulled ? 'void' : toCents(found[0]?.TotalAmt),
      payments: payments.sort(),
    };
  }

  /** The ids of the payments that were voided there; they stay here, with an issue. */
  listVoidedThere(): string[] {
    const isTheirs = (one: BooksRecord) => isVoid(one) && !String(one.PrivateNote).includes('Tow Dispatch');
    return this.account.company
      .list('Payment')
      .filter(isTheirs)
      .map(({ Id }) => Id);
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

describe('the books of an account', function () {
  this.timeout(400_000);
  requireContracts();
  const booking = useBookingStack();

  it('after any sequence of changes and failures, both sides agree to the cent', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 9 }), async (steps) => {
        const account = await booking.createAccount();
        const walk = new Walk(account, (fault) => {
          let isLeft = true;
          booking.double.misbehave = (name) => {
            if (!isLeft || !name.startsWith('POST ')) return undefined;
            isLeft = false;
            return fault === 'status' ? { kind: 'status', status: 503 } : { kind: fault };
          };
        });
        try {
          await walk.run(steps);
        } finally {
          Object.assign(booking.double.webhooks.habits, { isLost: false, copies: 1 });
          booking.double.misbehave = () => undefined;
        }
        await walk.settle();
        // What was voided there stays here and is shown; all else agrees.
        const voided = walk.listVoidedThere();
        const issues = await account.listIssues();
        expect(issues.map(({ kind }) => kind)).to.deep.equal(voided.map(() => 'difference'));
        if (voided.length > 0) return;
        let sides = await walk.compare();
        await eventually('both sides agree', async () => {
          await account.pullAll();
          sides = await walk.compare();
          return JSON.stringify(sides.ours) === JSON.stringify(sides.theirs);
        }).catch(() => {
          throw new Error(`the sides differ: ${JSON.stringify(sides)}`);
        });
      }),
      { numRuns: RUNS, endOnFailure: true, examples: [[PAID_CORRECTION], [PAID_THERE]] },
    );
  });
});
