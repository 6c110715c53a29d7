import { expect } from 'chai';
import { Vendors } from '../../../shared/integrations/contract/vendor.js';
import { smtp } from '../../../shared/integrations/smtp/adapter.js';
import { type StackOptions, TestStack, type TestTenant } from '../stack.js';
import { useShared } from '../use-stack.js';
import { BooksAccount } from './books/books-account.js';
import { QuickBooksBookkeeper } from './doubles/quickbooks/bookkeeper.js';
import type { BooksRecord } from './doubles/quickbooks/books-record.js';
import type { BooksCompany } from './doubles/quickbooks/company.js';
import { BOOKS_APP } from './doubles/quickbooks/oauth.js';
import { QuickBooksDouble } from './doubles/quickbooks/quickbooks-double.js';
import { FAST_QUICKBOOKS } from './worker-vendors.js';

/** The secret of the webhooks that QuickBooks sends to the operator's application. */
export const BOOKS_WEBHOOK_TOKEN = 'verifier-token';

/**
 * Returns a stack that all files share. Its accounts keep their books at a double of QuickBooks.
 */
export function useBookingStack(): BookingStack {
  const booking = useShared(
    'booking',
    () => BookingStack.start(),
    (running) => running.stop(),
  );
  afterEach(async () => {
    booking.double.misbehave = () => undefined;
    Object.assign(booking.double.webhooks.habits, { isLost: false, body: 'events', copies: 1 });
    await booking.double.webhooks.settle();
    expect(booking.double.violations.splice(0)).to.deep.equal([]);
  });
  return booking;
}

export class BookingStack {
  private constructor(
    readonly stack: TestStack,
    readonly double: QuickBooksDouble,
  ) {}

  static async start(options: StackOptions = {}): Promise<BookingStack> {
    const double = await new QuickBooksDouble().start();
    const app = { ...BOOKS_APP, webhook_secret: BOOKS_WEBHOOK_TOKEN };
    const INTEGRATIONS = JSON.stringify({ quickbooks: { base_url: double.origin, ...app } });
    const stack = await TestStack.start({
      integrations: true,
      vendors: new Vendors([smtp, FAST_QUICKBOOKS]),
      ...options,
      environment: { INTEGRATIONS, ...options.environment },
    });
    double.webhooks.target = { url: `${stack.origin}/hooks/quickbooks`, token: BOOKS_WEBHOOK_TOKEN };
    return new BookingStack(stack, double);
  }

  async stop(): Promise<void> {
    await this.double.stop();
    await this.stack.stop();
  }

  async createAccount(): Promise<BookingAccount> {
    const account = new BookingAccount(this.stack, this.double, await this.stack.createTenant());
    await account.connect();
    return account;
  }
}

/** An account that keeps its books at the double of QuickBooks. */
export class BookingAccount extends BooksAccount<BooksRecord> {
  readonly vendor = 'quickbooks';
  readonly company: BooksCompany;
  readonly bookkeeper: QuickBooksBookkeeper;

  constructor(
    stack: TestStack,
    readonly double: QuickBooksDouble,
    tenant: TestTenant,
  ) {
    super(stack, tenant);
    this.company = double.openCompany();
    this.bookkeeper = new QuickBooksBookkeeper(double, this.company);
  }

  get settings() {
    const income = this.company.findAccount('Towing income');
    return {
      accounts: { tow: income, storage: this.company.findAccount('Storage income'), discount: income },
      tax_codes: { taxable: 'TAX', exempt: 'NON' },
      deposit_account: this.company.findAccount('Undeposited Funds'),
    };
  }

  findBooked(number: string): BooksRecord | undefined {
    return this.company.list('Invoice').find(({ DocNumber }) => DocNumber === number);
  }

  protected signIn(authorizeUrl: string): string {
    return this.double.signIns.permit(authorizeUrl, this.company);
  }

  protected countEnded(): number {
    return this.double.signIns.revoked.filter((id) => id === this.company.realmId).length;
  }
}
