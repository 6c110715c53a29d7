/**
 * Runs random sequences of payments (on pages, on a card reader and by autopay), refunds, disputes,
 * lost webhooks, failing calls and new connections. Afterwards the records of the vendor and of the
 * account agree to the cent.
 */
import { expect } from 'chai';
import fc from 'fast-check';
import { chargeDue, PayingCustomer } from '../../../support/billing/paying-customer.js';
import { eventually } from '../../../support/poll.js';
import {
  listIntents,
  listOwnBooks,
  listVendorBooks,
} from '../../../support/vendors/comparing/payment-books.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { presentCard } from '../../../support/vendors/doubles/stripe/readers.js';
import type { StripeObject } from '../../../support/vendors/doubles/stripe/stripe-account.js';
import { type PayingAccount, usePayingStack } from '../../../support/vendors/paying.js';
import { TerminalAccount } from '../../../support/vendors/terminal-account.js';

const METHODS = ['card', 'us_bank_account'] as const;
const RUNS = process.env.CI ? 12 : 3;

type Step =
  | { kind: 'pay'; cents: number; method: (typeof METHODS)[number] }
  | { kind: 'settle' | 'fail' | 'dispute' | 'lose' | 'win' | 'failRefund'; nth: number }
  | { kind: 'refund'; nth: number; share: number }
  | { kind: 'charge' | 'tap'; cents: number; declineCode: string | undefined }
  | { kind: 'loseWebhooks' | 'sendWebhooks' | 'duplicate' | 'chargeAgain' | 'reconnect' }
  | { kind: 'fault'; status: number };

const nth = fc.nat({ max: 5 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('pay' as const),
    cents: fc.integer({ min: 100, max: 50_000 }),
    method: fc.constantFrom(...METHODS),
  }),
  fc.record({ kind: fc.constantFrom('settle', 'fail', 'dispute', 'lose', 'win', 'failRefund'), nth }),
  fc.record({ kind: fc.constant('refund' as const), nth, share: fc.integer({ min: 1, max: 100 }) }),
  fc.record({
    kind: fc.constantFrom('charge', 'tap'),
    cents: fc.integer({ min: 100, max: 50_000 }),
    declineCode: fc.constantFrom(undefined, undefined, 'insufficient_funds'),
  }),
  fc.record({
    kind: fc.constantFrom('loseWebhooks', 'sendWebhooks', 'duplicate', 'chargeAgain', 'reconnect'),
  }),
  fc.record({ kind: fc.constant('fault' as const), status: fc.constantFrom(429, 500, 503) }),
);

/** A dispute that the account loses before the product has read the payment. */
const LOST_BEFORE_READ: Step[] = [
  { kind: 'pay', cents: 7534, method: 'card' },
  { kind: 'fault', status: 500 },
  { kind: 'dispute', nth: 0 },
  { kind: 'loseWebhooks' },
  { kind: 'lose', nth: 0 },
];

/** A bank debit that is on its way when the vendor is connected again. */
const SETTLED_AFTER_RECONNECT: Step[] = [
  { kind: 'pay', cents: 38_137, method: 'us_bank_account' },
  { kind: 'reconnect' },
  { kind: 'settle', nth: 0 },
];

/** Runs one random sequence, and keeps the records that it has created so far. */
class Walk {
  private readonly invoices: string[] = [];
  private customer: PayingCustomer | undefined;
  private terminal: TerminalAccount | undefined;

  constructor(private readonly account: PayingAccount) {}

  /** The PaymentIntents at the vendor for the invoices of this sequence. */
  private get intents(): StripeObject[] {
    return listIntents(this.account, this.invoices);
  }

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
      double.pay(url, one.method);
    } else if (one.kind === 'charge') await this.charge(one);
    else if (one.kind === 'chargeAgain') {
      await this.customer?.passDays();
      await chargeDue(this.account.stack);
    } else if (one.kind === 'tap') await this.tap(one);
    else if (one.kind === 'reconnect') await this.reconnect();
    else if (one.kind === 'loseWebhooks') habits.isLost = true;
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

  /** Sends an invoice to a customer with autopay, and lets the clock charge it. */
  private async charge({ cents, declineCode }: { cents: number; declineCode: string | undefined }) {
    this.customer ??= await this.withoutLosses(() => PayingCustomer.open(this.account, {}));
    this.account.vendor.nextDecline = declineCode;
    this.invoices.push(await this.customer.sendInvoice(cents));
    await chargeDue(this.account.stack);
  }

  /** Starts a payment on the card reader, and presents a card once the reader asks for one. */
  private async tap({ cents, declineCode }: { cents: number; declineCode: string | undefined }) {
    this.terminal ??= await this.withoutLosses(() => TerminalAccount.use(this.account));
    const { reader, client } = this.terminal;
    const id = await this.account.createInvoice(cents);
    this.invoices.push(id);
    const started = await client.post(`/invoices/${id}/terminal-payments`, { reader_id: reader.id });
    if (started.status !== 202) return;
    const { terminal } = this;
    const isAsking = await eventually('the reader asks for a card, or the payment has ended', async () => {
      await this.account.hurry([]);
      if (terminal.isShown) return 'yes';
      return (await terminal.read(started.body.id)).status === 'failed' && 'no';
    });
    if (isAsking === 'yes') presentCard(this.account.vendor, terminal.device, declineCode);
  }

  /** Disconnects the vendor, and connects the same account there again. */
  private async reconnect(): Promise<void> {
    const { client, connectionId } = this.account;
    await client.delete(`/connections/${connectionId}`);
    await this.withoutLosses(() => this.account.connect({ methods: METHODS }));
    this.terminal = undefined;
  }

  /** Runs a preparation without faults of the vendor and without lost webhooks. */
  private async withoutLosses<T>(prepare: () => Promise<T>): Promise<T> {
    const { double } = this.account;
    const { habits } = double.webhooks;
    const { isLost } = habits;
    double.misbehave = () => undefined;
    habits.isLost = false;
    const prepared = await prepare();
    habits.isLost = isLost;
    return prepared;
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

  /** Refunds a share of a payment that the product has recorded and that is not disputed. */
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

  listVendorBooks(): [string, number][] {
    return listVendorBooks(this.account, this.invoices);
  }

  listOwnBooks(): Promise<[string, number][]> {
    return listOwnBooks(this.account, this.invoices);
  }
}

describe('the books of a payments vendor', function () {
  this.timeout(300_000);
  requireContracts();
  const paying = usePayingStack();

  it('after any sequence of payments, refunds, disputes and failures, both books agree to the cent', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
        const { habits } = paying.double.webhooks;
        const account = await paying.createAccount({ methods: METHODS });
        const walk = new Walk(account);
        try {
          await walk.run(steps);
        } finally {
          Object.assign(habits, { isLost: false, copies: 1 });
          paying.double.misbehave = () => undefined;
        }
        let own: [string, number][] = [];
        await eventually('the books agree', async () => {
          await account.hurry();
          own = await walk.listOwnBooks();
          return JSON.stringify(own) === JSON.stringify(walk.listVendorBooks());
        }).catch(() => expect(own).to.deep.equal(walk.listVendorBooks()));
      }),
      { numRuns: RUNS, endOnFailure: true, examples: [[LOST_BEFORE_READ], [SETTLED_AFTER_RECONNECT]] },
    );
  });
});
