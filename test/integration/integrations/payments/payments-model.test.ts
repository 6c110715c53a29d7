/**
 * Walks random sequences of payments, refunds, disputes, lost webhooks and failing calls.
 * Afterwards the books of the vendor and of the account agree to the cent.
 */
import { expect } from 'chai';
import fc from 'fast-check';
import { eventually } from '../../../support/poll.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { type PayingAccount, usePayingStack } from '../../../support/vendors/paying.js';
import type { StripeObject } from '../../../support/vendors/stripe-double/stripe-account.js';

const RUNS = process.env.CI ? 12 : 3;

type Step =
  | { kind: 'pay'; cents: number; method: 'card' | 'us_bank_account' }
  | { kind: 'settle' | 'fail' | 'dispute' | 'lose' | 'win' | 'failRefund'; nth: number }
  | { kind: 'refund'; nth: number; share: number }
  | { kind: 'loseWebhooks' | 'sendWebhooks' | 'duplicate' }
  | { kind: 'fault'; status: number };

const nth = fc.nat({ max: 5 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('pay' as const),
    cents: fc.integer({ min: 100, max: 50_000 }),
    method: fc.constantFrom('card' as const, 'us_bank_account' as const),
  }),
  fc.record({ kind: fc.constantFrom('settle', 'fail', 'dispute', 'lose', 'win', 'failRefund'), nth }),
  fc.record({ kind: fc.constant('refund' as const), nth, share: fc.integer({ min: 1, max: 100 }) }),
  fc.record({ kind: fc.constantFrom('loseWebhooks', 'sendWebhooks', 'duplicate') }),
  fc.record({ kind: fc.constant('fault' as const), status: fc.constantFrom(429, 500, 503) }),
);

/** A dispute that is lost before its payment was read. */
const LOST_BEFORE_READ: Step[] = [
  { kind: 'pay', cents: 7534, method: 'card' },
  { kind: 'fault', status: 500 },
  { kind: 'dispute', nth: 0 },
  { kind: 'loseWebhooks' },
  { kind: 'lose', nth: 0 },
];

/** The walk of one sequence, with what it has made so far. */
class Walk {
  private readonly invoices: string[] = [];
  private readonly intents: StripeObject[] = [];

  constructor(private readonly account: PayingAccount) {}

  async run(steps: readonly Step[]): Promise<void> {
    for (const one of steps) await this.take(one);
  }

  private async take(one: Step): Promise<void> {
    const { double, vendor } = this.account;
    const { habits } = double.webhooks;
    if (one.kind === 'pay') {
      const id = await this.account.createInvoice(one.cents);
      const { url } = await this.openLink(id);
      this.invoices.push(id);
      this.intents.push(double.pay(url, one.method));
    } else if (one.kind === 'loseWebhooks') habits.isLost = true;
    else if (one.kind === 'sendWebhooks') habits.isLost = false;
    else if (one.kind === 'duplicate') habits.copies = habits.copies === 1 ? 5 : 1;
    else if (one.kind === 'fault') this.failOnce(one.status);
    else if (one.kind === 'refund') await this.refund(one);
    else if (one.kind === 'failRefund') {
      const refund = vendor.list('refund').filter(({ status }) => status === 'succeeded')[one.nth];
      if (refund) double.failRefund(refund);
    } else if (one.kind === 'lose' || one.kind === 'win') {
      const dispute = vendor.list('dispute').filter(({ status }) => status === 'needs_response')[one.nth];
      if (dispute) double.closeDispute(dispute, one.kind === 'lose' ? 'lost' : 'won');
    } else if ('nth' in one) this.change(one.kind, one.nth);
  }

  private async openLink(id: string): Promise<{ url: string }> {
    return eventually('the page is open', async () => {
      await this.account.hurry();
      const { body } = await this.account.client.get(`/pay-links?invoice_id=${id}`);
      const [link] = body.data.items;
      if (link?.status === 'open') return link;
      if (link?.status !== 'opening') await this.account.client.post(`/invoices/${id}/pay-link`, {});
      return false;
    });
  }

  private failOnce(status: number): void {
    let isLeft = true;
    this.account.double.misbehave = () => {
      if (!isLeft) return undefined;
      isLeft = false;
      return status === 429 ? { kind: 'limit', seconds: 1 } : { kind: 'status', status };
    };
  }

  private change(kind: 'settle' | 'fail' | 'dispute', index: number): void {
    const wanted = kind === 'dispute' ? 'succeeded' : 'processing';
    const isFree = ({ id, status }: StripeObject) =>
      status === wanted && !this.account.vendor.list('dispute').some((one) => one.payment_intent === id);
    const intent = this.intents.filter(isFree)[index];
    if (!intent) return;
    if (kind === 'settle') this.account.double.settle(intent);
    else if (kind === 'fail') this.account.double.fail(intent, 'insufficient_funds');
    else this.account.double.dispute(intent);
  }

  /** Refunds a share of a payment that the books have, and that nobody disputes. */
  private async refund({ nth: index, share }: { nth: number; share: number }): Promise<void> {
    const id = this.invoices[index];
    if (id === undefined) return;
    const [payment] = await this.account.listPayments(id);
    const disputed = this.account.vendor
      .list('dispute')
      .some((one) => one.payment_intent === payment?.provider_payment_id);
    if (!payment || disputed) return;
    const left = payment.amount_cents - payment.refunded_cents;
    const cents = Math.floor((left * share) / 100);
    if (cents > 0)
      await this.account.client.post(`/payments/${payment.id}/refund`, {
        amount_cents: cents,
        reason: 'Walk',
      });
  }

  /** What each payment brought, by the vendor's id: its amount less refunds and lost disputes. */
  listVendorBooks(): Record<string, number> {
    const { vendor } = this.account;
    const taken = (id: string) =>
      vendor
        .list('refund')
        .filter((one) => one.payment_intent === id && one.status !== 'failed')
        .concat(vendor.list('dispute').filter((one) => one.payment_intent === id && one.status === 'lost'))
        .reduce((sum, { amount }) => sum + Number(amount), 0);
    const paid = this.intents.filter(({ status }) => status === 'succeeded');
    return Object.fromEntries(paid.map(({ id, amount }) => [id, Number(amount) - taken(id)]));
  }

  async listOwnBooks(): Promise<Record<string, number>> {
    const lists = await Promise.all(this.invoices.map((id) => this.account.listPayments(id)));
    const paid = lists.flat().filter(({ status }) => status === 'succeeded');
    return Object.fromEntries(
      paid.map((one) => [one.provider_payment_id, one.amount_cents - one.refunded_cents]),
    );
  }
}

describe('the books of a payments vendor', () => {
  requireContracts();
  const paying = usePayingStack();

  it('after any sequence of payments, refunds, disputes and failures, both books agree to the cent', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
        const { habits } = paying.double.webhooks;
        const account = await paying.createAccount({ methods: ['card', 'us_bank_account'] });
        const walk = new Walk(account);
        try {
          await walk.run(steps);
        } finally {
          Object.assign(habits, { isLost: false, copies: 1 });
          paying.double.misbehave = () => undefined;
        }
        let own: Record<string, number> = {};
        await eventually('the books agree', async () => {
          await account.hurry();
          own = await walk.listOwnBooks();
          return JSON.stringify(sortKeys(own)) === JSON.stringify(sortKeys(walk.listVendorBooks()));
        }).catch(() => expect(own).to.deep.equal(walk.listVendorBooks()));
      }),
      { numRuns: RUNS, endOnFailure: true, examples: [[LOST_BEFORE_READ]] },
    );
  });
});

function sortKeys(books: Record<string, number>): [string, number][] {
  return Object.entries(books).sort(([a], [b]) => a.localeCompare(b));
}
