import { expect } from 'chai';
import { IS_PAST_DUE, PAST_DUE_JOINS } from '../../../shared/billing/past-due.js';
import type { Transaction } from '../../../shared/platform/postgres/database.js';
import { findOverdueInvoices } from '../../../shared/resources/invoices/overdue-sweep.js';
import { applyTermsChanges } from '../../../shared/resources/invoices/terms-changes.js';
import { createClaimAfter } from '../../support/records/lifecycle-records.js';
import { invoiceInput } from '../../support/records/samples.js';
import type { TestTenant } from '../../support/stack.js';
import { useStack } from '../../support/use-stack.js';

/** Time zones that change clocks at midnight, are far from UTC, or have no whole-hour offset. */
const ZONES = ['America/Havana', 'Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Asia/Kathmandu', 'UTC'];

describe('the ranges of the overdue sweep', () => {
  const stack = useStack();
  let tenant: TestTenant;

  beforeEach(async () => {
    tenant = await stack.createTenant();
  });

  const queryRows = <R>(text: string, values: unknown[] = []) => stack.rows<R>(tenant.id, text, values);
  const inTenant = <T>(work: (tx: Transaction) => Promise<T>) =>
    stack.runtime.db.transaction([tenant.id], work);
  const findOverdueIds = async () =>
    (await inTenant((tx) => findOverdueInvoices(tx, 10_000))).map(({ entityId }) => entityId).sort();
  /**
   * Applies changed terms in two passes. The first pass records the running transactions, and the
   * second applies the terms once these transactions have ended.
   * @returns the number of changed invoices
   */
  const applyTerms = async (limit = 100): Promise<number> => {
    const pass = () => inTenant((tx) => applyTermsChanges(tx, limit));
    return (await pass()) + (await pass());
  };
  const createCustomer = async (terms_days: number | null): Promise<string> =>
    (await tenant.client.post('/customers', { company_name: 'Payer', terms_days })).body.id;

  /** Creates an invoice without a due date that was released `days` days ago. */
  async function createReleased(customerId: string | null, days: number): Promise<string> {
    const { body } = await tenant.client.post(
      '/invoices',
      invoiceInput({ billing_email: 'b@example.com', customer_id: customerId }),
    );
    await tenant.client.post(`/invoices/${body.id}/approve`, {});
    await tenant.client.post(`/invoices/${body.id}/send`, {});
    await queryRows(
      'update invoices set released_at = now() - make_interval(days => $3) where tenant_id = $1 and id = $2',
      [tenant.id, body.id, days],
    );
    return body.id;
  }

  for (const zone of ZONES)
    it(`the overdue sweep finds exactly the invoices past due by definition in ${zone}, at every hour and with every kind of terms`, async () => {
      await queryRows(
        `insert into customers (tenant_id, id, company_name, company_type, terms_days)
         select $1, gen_random_uuid(), 'C', 'other', terms from unnest(array[null, 0, 3, 45]::int[]) terms`,
        [tenant.id],
      );
      // Insert invoices in several statuses. Their due or release times are three hours apart and
      // cover several days.
      await queryRows(
        `insert into invoices (tenant_id, id, invoice_number, status, customer_id, due_date, released_at, released_as)
         select $1, gen_random_uuid(), gen_random_uuid()::text, status, c.id,
           case when kind = 'dated' then now() - make_interval(hours => hours) end, now() - make_interval(hours => hours), 'sending'
         from generate_series(-30, 150, 3) hours, unnest(array['dated', 'undated']) kind,
           unnest(array['sending', 'viewed', 'partially_paid', 'paid', 'disputed']) status,
           (select id from customers union all select null) c`,
        [tenant.id],
      );
      for (const [grace, terms] of [
        [0, 0],
        [2, 0],
        [1, 3],
        [0, 30],
      ]) {
        await queryRows(
          'update tenants set time_zone = $2, grace_days = $3, terms_days = $4 where tenant_id = $1',
          [tenant.id, zone, grace, terms],
        );
        const { defined, found } = await findBothWays();
        expect(found.length, `grace ${grace}, terms ${terms}`).to.be.above(0);
        expect(found).to.deep.equal(defined);
      }
    });

  for (const zone of ['America/New_York', 'Australia/Sydney'])
    it(`the overdue sweep finds exactly the invoices past due by definition in ${zone}, with terms across a clock change`, async () => {
      await queryRows(
        `insert into customers (tenant_id, id, company_name, company_type, terms_days)
         select $1, gen_random_uuid(), 'C', 'other', terms from generate_series(1, 370) terms`,
        [tenant.id],
      );
      await queryRows(
        `insert into invoices (tenant_id, id, invoice_number, status, customer_id, released_at, released_as)
         select $1, gen_random_uuid(), gen_random_uuid()::text, 'sending', c.id,
           now() - interval '24 hours' * c.terms_days + interval '30 minutes' * steps, 'sending'
         from customers c, generate_series(-6, 6) steps where c.tenant_id = $1 and c.terms_days is not null`,
        [tenant.id],
      );
      await queryRows('update tenants set time_zone = $2, grace_days = 0 where tenant_id = $1', [
        tenant.id,
        zone,
      ]);
      const { defined, found } = await findBothWays();
      expect(found).to.have.length.above(370);
      expect(found).to.deep.equal(defined);
    });

  /**
   * Returns two lists of invoice ids: those past due by the definition in `IS_PAST_DUE`, and those
   * that the sweep finds.
   */
  async function findBothWays(): Promise<{ defined: string[]; found: string[] }> {
    return stack.runtime.db.runAndRollBack([tenant.id], async (tx) => {
      const defined = await tx.query<{ id: string }>({
        text: `select i.id from invoices i ${PAST_DUE_JOINS}
               where i.status in ('sending', 'viewed', 'partially_paid') and ${IS_PAST_DUE}`,
      });
      return { defined: defined.map(({ id }) => id).sort(), found: (await findAll(tx)).sort() };
    });
  }

  /**
   * Runs the sweep until it finds nothing. After each pass, marks the found invoices as overdue.
   */
  async function findAll(tx: Transaction): Promise<string[]> {
    const found: string[] = [];
    for (;;) {
      const ids = (await findOverdueInvoices(tx, 10_000)).map(({ entityId }) => entityId);
      if (ids.length === 0) return found;
      found.push(...ids);
      await tx.query({
        text: "update invoices set status = 'overdue' where tenant_id = $1 and id = any($2::uuid[])",
        values: [tenant.id, ids],
      });
    }
  }

  it('the overdue sweep follows changed account settings immediately, and no invoice is rewritten', async () => {
    const id = await createReleased(null, 20);
    const versions = () =>
      queryRows('select xmin::text as version from invoices where tenant_id = $1 and id = $2', [
        tenant.id,
        id,
      ]);
    const before = await versions();
    expect(await findOverdueIds()).to.deep.equal([]);
    expect((await tenant.client.patch('/settings', { terms_days: 10 })).status).to.equal(200);
    expect(await findOverdueIds()).to.deep.equal([id]);
    expect((await tenant.client.patch('/settings', { grace_days: 15 })).status).to.equal(200);
    expect(await findOverdueIds()).to.deep.equal([]);
    expect(await versions()).to.deep.equal(before);
  });

  it("the overdue sweep follows a customer's changed terms, which are applied in portions", async () => {
    const payer = await createCustomer(60);
    const ids = [
      await createReleased(payer, 20),
      await createReleased(payer, 20),
      await createReleased(payer, 20),
    ].sort();
    expect(await findOverdueIds()).to.deep.equal([]);
    await tenant.client.patch(`/customers/${payer}`, { terms_days: 5 });
    const pass = () => inTenant((tx) => applyTermsChanges(tx, 2));
    expect([await pass(), await pass()]).to.deep.equal([0, 2]);
    expect(await findOverdueIds()).to.have.length(2);
    expect([await pass(), await pass()]).to.deep.equal([1, 0]);
    expect(await findOverdueIds()).to.deep.equal(ids);
    expect(await queryRows('select from terms_changes where tenant_id = $1', [tenant.id])).to.deep.equal([]);
    // The sweep checks each candidate against the current terms. Longer terms therefore take effect
    // even before `applyTerms` changes the invoices.
    await tenant.client.patch(`/customers/${payer}`, { terms_days: 90 });
    expect(await findOverdueIds()).to.deep.equal([]);
    // A customer without terms has the account's terms, which are 30 days.
    await tenant.client.patch(`/customers/${payer}`, { terms_days: null });
    await applyTerms();
    expect(await findOverdueIds()).to.deep.equal([]);
    await tenant.client.patch('/settings', { terms_days: 10 });
    expect(await findOverdueIds()).to.deep.equal(ids);
  });

  it('the overdue sweep follows terms that change while another transaction releases an invoice', async () => {
    const payer = await createCustomer(60);
    const { body } = await tenant.client.post('/invoices', invoiceInput({ customer_id: payer }));
    let reportPatched: (() => void) | undefined;
    const isPatched = new Promise<void>((resolve) => {
      reportPatched = resolve;
    });
    let reportRead: (() => void) | undefined;
    const isRead = new Promise<void>((resolve) => {
      reportRead = resolve;
    });
    const releasing = inTenant(async (tx) => {
      await tx.query({
        text: `update invoices set status = 'sending', released_at = now() - interval '20 days' where tenant_id = $1 and id = $2`,
        values: [tenant.id, body.id],
      });
      reportRead?.();
      await isPatched;
    });
    await isRead;
    await tenant.client.patch(`/customers/${payer}`, { terms_days: 5 });
    // The uncommitted invoice still has the old terms, so these passes must keep the row in
    // `terms_changes`.
    await applyTerms();
    await applyTerms();
    reportPatched?.();
    await releasing;
    expect(await findOverdueIds()).to.deep.equal([]);
    await applyTerms();
    expect(await findOverdueIds()).to.deep.equal([body.id]);
  });

  it('the overdue sweep skips an invoice with a motor club until the outcome of its claim', async () => {
    const claim = await createClaimAfter(tenant.client, ['submit']);
    await queryRows(
      "update invoices set due_date = now() - interval '9 days' where tenant_id = $1 and id = $2",
      [tenant.id, claim.invoice_id],
    );
    const isWithClub = async () =>
      (
        await queryRows<{ is_with_club: boolean }>(
          'select is_with_club from invoices where tenant_id = $1 and id = $2',
          [tenant.id, claim.invoice_id],
        )
      )[0]?.is_with_club;
    expect(await isWithClub()).to.equal(true);
    expect(await findOverdueIds()).to.deep.equal([]);
    await tenant.client.post(`/claims/${claim.id}/outcome`, { outcome: 'paid', amount_cents: 1 });
    expect(await isWithClub()).to.equal(false);
    await queryRows("update invoices set status = 'sent_to_roadsync' where tenant_id = $1 and id = $2", [
      tenant.id,
      claim.invoice_id,
    ]);
    expect(await findOverdueIds()).to.deep.equal([claim.invoice_id]);
  });
});
