import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Json } from '../support/client.js';
import { TestClient } from '../support/client.js';
import type { DeployedTenant, Deployment } from '../support/load/deployment.js';
import { eventually } from '../support/poll.js';
import { line } from '../support/vendors/books/books-account.js';
import { QuickBooksBookkeeper } from '../support/vendors/doubles/quickbooks/bookkeeper.js';
import type { BooksCompany } from '../support/vendors/doubles/quickbooks/company.js';
import { BOOKS_APP } from '../support/vendors/doubles/quickbooks/oauth.js';
import { QuickBooksDouble } from '../support/vendors/doubles/quickbooks/quickbooks-double.js';
import { sendUntilDone } from './send-until-done.js';

const THINK_MS = 1000;
/** Longer than the longest wait before a worker repeats a failed request to a vendor. */
const SETTLE_MS = 300_000;

interface ReleasedInvoice {
  id: string;
  number: string;
  totalCents: number;
  paidCents: number;
}

/** An account with books at the double of QuickBooks. It releases about one invoice a second. */
export class BooksLoad {
  readonly released: ReleasedInvoice[] = [];
  private writes = 0;
  private isPaused = false;
  private work: Promise<void> = Promise.resolve();

  private constructor(
    private readonly deployment: Deployment,
    private readonly double: QuickBooksDouble,
    private readonly company: BooksCompany,
    private readonly tenant: DeployedTenant,
  ) {}

  /** Starts the double. Give its settings to the deployment. */
  static startDouble(): Promise<QuickBooksDouble> {
    return new QuickBooksDouble().start();
  }

  static buildSettings({ origin }: QuickBooksDouble): Record<string, string> {
    const quickbooks = { base_url: origin, ...BOOKS_APP, webhook_secret: 'books-webhooks' };
    return { INTEGRATIONS: JSON.stringify({ quickbooks }) };
  }

  static async connect(deployment: Deployment, double: QuickBooksDouble): Promise<BooksLoad> {
    const [tenant] = await deployment.createTenants(1);
    const books = new BooksLoad(deployment, double, double.openCompany(), tenant as DeployedTenant);
    await books.signIn();
    return books;
  }

  /** Works until {@link pause}. */
  resume(): void {
    this.isPaused = false;
    this.work = this.run();
    // pause() reports a failure. The handler keeps it from ending the process before.
    this.work.catch(() => undefined);
  }

  /** Ends once the current invoice is complete. */
  async pause(): Promise<void> {
    this.isPaused = true;
    await this.work;
  }

  /** Returns the number of acknowledged writes since the last call. */
  takeWrites(): number {
    const { writes } = this;
    this.writes = 0;
    return writes;
  }

  /**
   * Waits until nothing is left to send. Asserts that the books have each released invoice once,
   * with its amount and what is still owed, and no other invoice.
   */
  async expectSameBooks(): Promise<void> {
    const db = await this.deployment.db();
    const text = `select kind, state, last_error from outbound_operations
                  where next_at is not null and tenant_id = $1 limit 3`;
    let rows: unknown[] = [];
    await eventually(
      'the books to have all writes',
      async () => {
        rows = await db.transaction([this.tenant.id], (tx) => tx.query({ text, values: [this.tenant.id] }));
        return rows.length === 0;
      },
      SETTLE_MS,
    ).catch((error: Error) => {
      throw new Error(`${error.message}: ${JSON.stringify(rows)}`);
    });
    const booked = new QuickBooksBookkeeper(this.double, this.company)
      .listInvoices()
      .map(({ number, ownId, totalCents, balanceCents, isVoid }) => ({
        number,
        ownId,
        totalCents,
        balanceCents,
        isVoid,
      }));
    const expected = this.released.map(({ id, number, totalCents, paidCents }) => ({
      number,
      ownId: id,
      totalCents,
      balanceCents: totalCents - paidCents,
      isVoid: false,
    }));
    const byNumber = (a: { number: string }, b: { number: string }) => (a.number < b.number ? -1 : 1);
    expect(booked.sort(byNumber), 'the invoices in the books').to.deep.equal(expected.sort(byNumber));
    expect(this.double.violations, 'violations of the contract of QuickBooks').to.deep.equal([]);
    const issues = await this.client.get('/sync-issues?status=open');
    expect(issues.body.data.items, 'open sync issues').to.deep.equal([]);
  }

  private get client(): TestClient {
    return new TestClient(this.deployment.web.origin, this.tenant.key);
  }

  private async signIn(): Promise<void> {
    const income = this.company.findAccount('Towing income');
    const settings = {
      accounts: { tow: income, storage: this.company.findAccount('Storage income'), discount: income },
      tax_codes: { taxable: 'TAX', exempt: 'NON' },
      deposit_account: this.company.findAccount('Undeposited Funds'),
    };
    const { status, body } = await this.client.post('/connections', { vendor: 'quickbooks', settings });
    expect(status, JSON.stringify(body)).to.equal(201);
    const back = new URL(this.double.signIns.permit(body.authorize_url, this.company));
    const response = await fetch(`${this.deployment.web.origin}${back.pathname}${back.search}`, {
      method: 'POST',
    });
    expect(response.status, await response.text()).to.equal(200);
    let connection: Json;
    await eventually('the connection to be active', async () => {
      connection = (await this.client.get(`/connections/${body.id}`)).body;
      return connection.status === 'active';
    }).catch((error: Error) => {
      throw new Error(`${error.message}: ${JSON.stringify(connection)}`);
    });
  }

  private async run(): Promise<void> {
    const customer = await this.write('/customers', {
      company_name: `Riverside ${randomUUID().slice(0, 8)}`,
      billing_email: `pay-${randomUUID().slice(0, 8)}@riverside.example.com`,
    });
    while (!this.isPaused) {
      await this.releaseInvoice(customer.id);
      await sleep(THINK_MS);
    }
  }

  /** Releases an invoice. Every second one is paid in part. */
  private async releaseInvoice(customer_id: string): Promise<void> {
    const totalCents = 10_000 + this.released.length;
    const number = randomUUID().slice(0, 20);
    const { id } = await this.write('/invoices', {
      invoice_number: number,
      customer_id,
      line_items: [line({ unit_price_cents: totalCents })],
    });
    await this.write(`/invoices/${id}/approve`, {});
    await this.write(`/invoices/${id}/send`, {});
    const paidCents = this.released.length % 2 === 0 ? 5000 : 0;
    if (paidCents > 0)
      await this.write(`/invoices/${id}/payments`, { amount_cents: paidCents, method: 'check' });
    this.released.push({ id, number, totalCents, paidCents });
  }

  private async write(path: string, body: object): Promise<Json> {
    const result = await sendUntilDone(this.client, path, body, [200, 201]);
    this.writes += 1;
    return result;
  }
}
