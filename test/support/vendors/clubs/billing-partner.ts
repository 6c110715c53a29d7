import { expect } from 'chai';
import { Vendors } from '../../../../shared/integrations/contract/vendor.js';
import { openIntegrationsQueue, wakeConnectionQueues } from '../../../../shared/queues/integrations.js';
import type { Json } from '../../client.js';
import { eventually } from '../../poll.js';
import { type StackOptions, TestStack, type TestTenant } from '../../stack.js';
import { useShared } from '../../use-stack.js';
import { createApprovedInvoice } from '../approved-invoice.js';
import type { RoadSyncInvoice } from '../doubles/roadsync/company.js';
import { RoadSyncDouble } from '../doubles/roadsync/roadsync-double.js';
import { FAST_ROADSYNC } from '../worker-vendors.js';

/** Returns a stack that all files share. Its accounts bill clubs through a double of RoadSync. */
export function useClubStack(): ClubStack {
  const clubs = useShared(
    'roadsync-clubs',
    () => ClubStack.start(),
    (running) => running.stop(),
  );
  afterEach(() => {
    clubs.double.misbehave = () => undefined;
    clubs.double.totalUnit = 'whole_dollars';
    expect(clubs.double.violations.splice(0)).to.deep.equal([]);
  });
  return clubs;
}

/** A stack whose accounts bill clubs through a double of RoadSync. */
export class ClubStack {
  private constructor(
    readonly stack: TestStack,
    readonly double: RoadSyncDouble,
  ) {}

  static async start(options: StackOptions = {}): Promise<ClubStack> {
    const double = await new RoadSyncDouble().start();
    const stack = await TestStack.start({
      integrations: true,
      vendors: new Vendors([FAST_ROADSYNC]),
      ...options,
      environment: {
        INTEGRATIONS: JSON.stringify({ roadsync: { base_url: double.origin } }),
        ...options.environment,
      },
    });
    return new ClubStack(stack, double);
  }

  async stop(): Promise<void> {
    await this.stack.stop();
    await this.double.stop();
  }

  async createAccount(settings: object = {}): Promise<ClubAccount> {
    const account = new ClubAccount(this, await this.stack.createTenant());
    await account.connect(settings);
    await account.createClub();
    return account;
  }
}

/** An account that bills a club through the double of RoadSync. */
export class ClubAccount {
  connectionId = '';
  customerId = '';
  readonly company;

  constructor(
    readonly clubs: ClubStack,
    readonly tenant: TestTenant,
  ) {
    this.company = clubs.double.openCompany();
  }

  get client() {
    return this.tenant.client;
  }

  get stack() {
    return this.clubs.stack;
  }

  get credentials() {
    const { apiKey, id, location } = this.company;
    return { api_key: apiKey, company_id: id, location_id: location.id };
  }

  async connect(settings: object): Promise<void> {
    const body = { vendor: 'roadsync', credentials: this.credentials, settings };
    const response = await this.client.post('/connections', body);
    expect(response.status, response.text).to.equal(201);
    this.connectionId = response.body.id;
    await eventually('the connection is active', async () => {
      const { status } = (await this.client.get(`/connections/${this.connectionId}`)).body;
      return status === 'active';
    });
  }

  /** Creates a customer who is billed through RoadSync. */
  async createClub(): Promise<void> {
    const created = await this.client.post('/customers', {
      company_name: 'Interstate Motor Club',
      company_type: 'motor_club',
      billing_email: 'claims@interstate.example.com',
    });
    expect(created.status, created.text).to.equal(201);
    this.customerId = created.body.id;
    const body = { billing_connection_id: this.connectionId };
    const response = await this.client.patch(`/customers/${this.customerId}`, body);
    expect(response.status, response.text).to.equal(200);
  }

  createInvoice(cents: number, members: object = {}): Promise<string> {
    const parts = { customer_id: this.customerId, po_number: 'PO-88213', ...members };
    return createApprovedInvoice(this.client, cents, parts);
  }

  /** Creates and releases an invoice, and returns its id. */
  async release(cents: number, members: object = {}): Promise<string> {
    const id = await this.createInvoice(cents, members);
    const response = await this.client.post(`/invoices/${id}/send`, {});
    expect(response.status, response.text).to.equal(200);
    return id;
  }

  /** Releases an invoice, and waits until RoadSync has its claim. */
  async releaseSent(cents = 12_550, members: object = {}) {
    const invoiceId = await this.release(cents, members);
    const claim = await this.waitForClaim(invoiceId, 'submitted');
    return { invoiceId, claim, there: this.findLast() };
  }

  /** The newest invoice at RoadSync. */
  findLast(): RoadSyncInvoice {
    return this.company.invoices.at(-1) as RoadSyncInvoice;
  }

  /** The invoices at RoadSync that are not void. */
  listOpen(): RoadSyncInvoice[] {
    return this.company.invoices.filter(({ deletedAt }) => deletedAt === undefined);
  }

  async readInvoice(id: string): Promise<Json> {
    return (await this.client.get(`/invoices/${id}`)).body;
  }

  async readClaim(invoiceId: string): Promise<Json> {
    return (await this.client.get(`/claims?invoice_id=${invoiceId}`)).body.data.items[0];
  }

  waitForClaim(invoiceId: string, status: string, attempt?: number): Promise<Json> {
    return eventually(`the claim is ${status}`, async () => {
      const claim = await this.readClaim(invoiceId);
      if (claim?.status !== status || (attempt !== undefined && claim.attempt !== attempt)) {
        await this.hurry([]);
        return false;
      }
      return claim;
    });
  }

  /** Lets the worker read all claims now, and waits until it has. */
  async poll(): Promise<void> {
    const { id } = this.tenant;
    await this.hurry();
    await eventually('the claims are read', async () => {
      const [row] = await this.stack.rows<{ is_due: boolean }>(
        id,
        `select next_at <= now() as is_due from sync_states where tenant_id = $1 and connection_id = $2 and stream = 'claims'`,
        [id, this.connectionId],
      );
      return row?.is_due === false;
    });
  }

  async listPayments(invoiceId: string): Promise<number[]> {
    const { items } = (await this.client.get(`/invoices/${invoiceId}/payments`)).body.data;
    return items.map(({ amount_cents }: Json) => amount_cents);
  }

  async listIssues(): Promise<Json[]> {
    const path = `/sync-issues?connection_id=${this.connectionId}&status=open`;
    return (await this.client.get(path)).body.data.items;
  }

  /**
   * Makes operations and streams due now, ends pauses, and wakes the workers. By default, also ends
   * the look for creations that got no answer.
   */
  async hurry(streams: readonly string[] = ['claims'], { endsLooks = true } = {}): Promise<void> {
    const { id } = this.tenant;
    const values = [id, this.connectionId];
    const run = (text: string, more: unknown[] = []) => this.stack.rows(id, text, [...values, ...more]);
    await run(
      `update connection_queues set open_until = null, throttled_until = null, opened = 0, consecutive_failures = 0
       where tenant_id = $1 and connection_id = $2`,
    );
    await run(
      `update outbound_operations set next_at = now(), unanswered_at = unanswered_at - $3::interval
       where tenant_id = $1 and connection_id = $2 and state = 'due'`,
      [endsLooks ? '1 hour' : '0'],
    );
    if (streams.length > 0) {
      await run('update external_ids set compared_at = null where tenant_id = $1 and connection_id = $2');
      await run(
        'update sync_states set next_at = now() where tenant_id = $1 and connection_id = $2 and stream = any($3::text[])',
        [streams],
      );
    }
    const queue = openIntegrationsQueue(this.stack.runtime);
    await wakeConnectionQueues(queue, [{ tenantId: id, connectionId: this.connectionId }]);
  }
}
