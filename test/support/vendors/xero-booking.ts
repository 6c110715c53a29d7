import { expect } from 'chai';
import { Vendors } from '../../../shared/integrations/contract/vendor.js';
import { smtp } from '../../../shared/integrations/smtp/adapter.js';
import { type StackOptions, TestStack, type TestTenant } from '../stack.js';
import { useShared } from '../use-stack.js';
import { BooksAccount } from './books/books-account.js';
import { XeroBookkeeper } from './doubles/xero/bookkeeper.js';
import type { XeroOrganisation } from './doubles/xero/organisation.js';
import { XERO_APP, XeroPerson } from './doubles/xero/sign-ins.js';
import type { XeroRecord } from './doubles/xero/where.js';
import { XeroDouble } from './doubles/xero/xero-double.js';
import { FAST_XERO } from './worker-vendors.js';

/** The key of the webhooks that Xero sends to the operator's application. */
export const XERO_WEBHOOK_KEY = 'xero-webhook-key';

/** Returns a stack that all files share. Its accounts keep their books at a double of Xero. */
export function useXeroStack(): XeroBooking {
  const booking = useShared(
    'xero-booking',
    () => XeroBooking.start(),
    (running) => running.stop(),
  );
  afterEach(async () => {
    booking.double.misbehave = () => undefined;
    Object.assign(booking.double.webhooks.habits, { isLost: false, copies: 1 });
    await booking.double.webhooks.settle();
    expect(booking.double.violations.splice(0)).to.deep.equal([]);
  });
  return booking;
}

export class XeroBooking {
  private constructor(
    readonly stack: TestStack,
    readonly double: XeroDouble,
  ) {}

  static async start(options: StackOptions = {}): Promise<XeroBooking> {
    const double = await new XeroDouble().start();
    const app = { ...XERO_APP, webhook_secret: XERO_WEBHOOK_KEY };
    const INTEGRATIONS = JSON.stringify({ xero: { base_url: double.origin, ...app } });
    const stack = await TestStack.start({
      integrations: true,
      vendors: new Vendors([smtp, FAST_XERO]),
      ...options,
      environment: { INTEGRATIONS, ...options.environment },
    });
    double.webhooks.target = { url: `${stack.origin}/hooks/xero`, token: XERO_WEBHOOK_KEY };
    return new XeroBooking(stack, double);
  }

  async stop(): Promise<void> {
    await this.double.stop();
    await this.stack.stop();
  }

  /** @param person has allowed the access to other organisations before, if the test wants that */
  async createAccount(person = new XeroPerson()): Promise<XeroAccount> {
    const account = new XeroAccount(this, await this.stack.createTenant(), person);
    await account.connect();
    return account;
  }
}

/** An account that keeps its books at the double of Xero. */
export class XeroAccount extends BooksAccount<XeroRecord> {
  readonly vendor = 'xero';
  readonly double: XeroDouble;
  readonly organisation: XeroOrganisation;
  readonly bookkeeper: XeroBookkeeper;

  constructor(
    booking: XeroBooking,
    tenant: TestTenant,
    readonly person: XeroPerson,
  ) {
    super(booking.stack, tenant);
    this.double = booking.double;
    this.organisation = this.double.openOrganisation();
    this.bookkeeper = new XeroBookkeeper(this.double, this.organisation);
  }

  get settings() {
    return {
      accounts: { tow: '200', storage: '210', discount: '200' },
      tax_codes: { taxable: 'OUTPUT', exempt: 'NONE' },
      deposit_account: String(this.organisation.findAccount('Checking').AccountID),
    };
  }

  findBooked(number: string): XeroRecord | undefined {
    return this.organisation.list('Invoices').find(({ InvoiceNumber }) => InvoiceNumber === number);
  }

  /** The invoice as it is now. */
  readBooked({ InvoiceID }: XeroRecord): XeroRecord {
    return this.organisation.get('Invoices', InvoiceID);
  }

  /** The payments of an invoice that are not deleted. */
  listOpen({ InvoiceID }: XeroRecord): XeroRecord[] {
    return this.organisation
      .list('Payments')
      .filter(({ Invoice, Status }) => Object(Invoice).InvoiceID === InvoiceID && Status !== 'DELETED');
  }

  protected signIn(authorizeUrl: string): string {
    return this.double.signIns.permit(authorizeUrl, this.organisation, this.person);
  }

  protected countEnded(): number {
    return this.double.signIns.ended.filter((id) => id === this.organisation.tenantId).length;
  }
}
