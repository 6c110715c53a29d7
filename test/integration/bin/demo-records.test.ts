import { expect } from 'chai';
import type Joi from 'joi';
import type { DemoCredentials } from '../../../bin/demo/credentials.js';
import { DEMO_PROFILES, DEMO_TENANT_IDS } from '../../../bin/demo/records/tenants.js';
import { renewDemoCredentials, seedDemo } from '../../../bin/demo/seed-demo.js';
import { type PricedLine, priceInvoice } from '../../../shared/billing/money.js';
import { buildPricingFactsQuery, type PricingFactsRow } from '../../../shared/billing/pricing-facts.js';
import { previewPrice } from '../../../shared/billing/work-order-price.js';
import { createCanaryCommand } from '../../../shared/contracts/canary.js';
import { validate } from '../../../shared/contracts/schemas/validate.js';
import {
  ACCOUNT_PERMISSIONS,
  AGENT_SCOPES,
  APPROVAL_STATUSES,
  BILLING_STATUSES,
  COMPANY_TYPES,
  INVOICE_STATUSES,
  WORK_ORDER_STATUSES,
} from '../../../shared/contracts/vocabulary.js';
import { verifyPassword } from '../../../shared/platform/crypto.js';
import type { Database } from '../../../shared/platform/postgres/database.js';
import { refKey } from '../../../shared/records/record-refs.js';
import { renderRecords } from '../../../shared/records/render-records.js';
import { getResourceTable } from '../../../shared/registry/tables.js';
import { findKey } from '../../../shared/resources/api-keys/queries.js';
import { approval as approvalSchema } from '../../../shared/resources/approvals/schema.js';
import { claim as claimSchema } from '../../../shared/resources/claims/schema.js';
import { customer as customerSchema } from '../../../shared/resources/customers/schema.js';
import { impound as impoundSchema } from '../../../shared/resources/impounds/schema.js';
import {
  invoiceCreate as invoiceCreateSchema,
  invoice as invoiceSchema,
} from '../../../shared/resources/invoices/schema.js';
import { deriveLinkKey, openLink } from '../../../shared/resources/planned-messages/link.js';
import { rateCard as rateCardSchema } from '../../../shared/resources/rate-cards/schema.js';
import { suggestion as suggestionSchema } from '../../../shared/resources/suggestions/schema.js';
import { createWorkOrders } from '../../../shared/resources/work-orders/handlers.js';
import { workOrder as workOrderSchema } from '../../../shared/resources/work-orders/schema.js';
import { DEMO_SECRET_KEY, queryDemoRows, readTableAsText, useDemoDatabases } from './demo-fixture.js';

const NOW = new Date('2026-11-21T12:00:00Z');
const TABLES = [
  'customers',
  'work_orders',
  'invoices',
  'invoice_line_items',
  'tenant_counters',
  'rate_cards',
  'impounds',
  'approvals',
  'claims',
  'suggestions',
];
const KEY_FIELDS = [
  'api_key',
  'sandbox_key',
  'agent_key',
  'agent_read_only_key',
  'sandbox_agent_key',
] as const;
const [HUDSON, LONE_STAR] = DEMO_PROFILES.map(({ pair }) => pair) as [
  { live: string; sandbox: string },
  { live: string; sandbox: string },
];

describe('records of the demo accounts', function () {
  this.timeout(120_000);
  const databases = useDemoDatabases();
  const seeded: Record<string, number>[] = [];
  const logger = {
    info: (facts: unknown) => void seeded.push(facts as Record<string, number>),
    warn: () => undefined,
  };
  const options = { secretKey: DEMO_SECRET_KEY, logger, now: NOW };
  let db: Database;
  let tenants: DemoCredentials[];
  let queryCount = 0;

  before(async () => {
    ({ db } = await databases.createEmpty());
    tenants = (await seedDemo(countQueries(db), options)) ?? [];
  });

  const countQueries = (counted: Database): Database => {
    const transaction: Database['transaction'] = (tenantIds, work) =>
      counted.transaction(tenantIds, (tx) =>
        work({
          ...tx,
          query: (query) => {
            queryCount += 1;
            return tx.query(query);
          },
        }),
      );
    return Object.assign(Object.create(counted), { transaction });
  };

  it('demo records are the same in two databases, except keys and passwords', async () => {
    const { db: other } = await databases.createEmpty();
    const otherTenants = await seedDemo(other, options);
    for (const table of TABLES)
      expect(await readTableAsText(other, table)).to.equal(await readTableAsText(db, table));
    expect(otherTenants?.map(({ name, email }) => [name, email])).to.deep.equal(
      tenants.map(({ name, email }) => [name, email]),
    );
    expect(otherTenants?.[0]?.api_key).not.to.equal(tenants[0]?.api_key);
  });

  it('links in demo messages open the invoice of their own message', async () => {
    for (const tenant of DEMO_TENANT_IDS) {
      const rows = await queryDemoRows<{
        id: string;
        state: string;
        body_text: string;
        invoice_number: string;
      }>(
        db,
        `select m.id, m.state, m.body_text, i.invoice_number
         from messages m join invoices i on i.tenant_id = m.tenant_id and i.id = m.invoice_id`,
        [tenant],
      );
      expect(new Set(rows.map(({ state }) => state))).to.deep.equal(new Set(['sent', 'failed']));
      for (const { id, body_text, invoice_number } of rows) {
        const [, token = ''] = /\/i\/([\w-]+)/.exec(body_text) ?? [];
        expect(openLink(deriveLinkKey({ secretKey: DEMO_SECRET_KEY }), token)).to.deep.equal({
          tenantId: tenant,
          messageId: id,
        });
        expect(body_text).to.include(invoice_number);
      }
    }
  });

  it('the demo is seeded in at most 60 queries and only once', async () => {
    expect(seeded[0]?.rows).to.be.above(3000);
    expect(queryCount).to.be.within(1, 60);
    expect(await seedDemo(db, options)).to.equal(undefined);
  });

  it('demo records cover every status, also in the sandboxes', async () => {
    for (const tenant of DEMO_TENANT_IDS) {
      const listValues = async (table: string, column: string) =>
        (
          await queryDemoRows<{ value: string }>(db, `select distinct ${column} as value from ${table}`, [
            tenant,
          ])
        ).map((row) => row.value);
      expect(await listValues('invoices', 'status')).to.have.members([...INVOICE_STATUSES]);
      expect(await listValues('work_orders', 'status')).to.have.members([...WORK_ORDER_STATUSES]);
      expect(await listValues('work_orders', 'billing_status')).to.have.members([...BILLING_STATUSES]);
      expect(await listValues('approvals', 'status')).to.have.members([...APPROVAL_STATUSES]);
      expect(await listValues('work_orders', 'intake')).to.have.members(['new', 'accepted']);
    }
    for (const { live } of [HUDSON, LONE_STAR]) {
      const [counts] = await queryDemoRows<Record<string, number>>(
        db,
        `select (select count(*) from customers) customers, (select count(distinct company_type) from customers) types,
             (select count(*) from work_orders) jobs, (select count(*) from invoices) invoices`,
        [live],
      );
      expect(counts).to.include({ types: COMPANY_TYPES.length });
      expect(counts?.customers).to.be.at.least(20);
      expect(counts?.jobs).to.be.at.least(200);
      expect(counts?.invoices).to.be.at.least(100);
    }
  });

  it('demo records match the schemas that the API publishes', async () => {
    const schemas: [string, string, Joi.ObjectSchema][] = [
      ['invoice', 'invoices', invoiceSchema],
      ['work_order', 'work_orders', workOrderSchema],
      ['customer', 'customers', customerSchema],
      ['rate_card', 'rate_cards', rateCardSchema],
      ['impound', 'impounds', impoundSchema],
      ['approval', 'approvals', approvalSchema],
      ['claim', 'claims', claimSchema],
      ['suggestion', 'suggestions', suggestionSchema],
    ];
    for (const [entity, table, schema] of schemas) {
      const refs = await queryDemoRows<{ tenant_id: string; id: string }>(
        db,
        `select tenant_id, id from ${table}`,
      );
      const bodies = await db.transaction(DEMO_TENANT_IDS, (tx) =>
        renderRecords(tx, getResourceTable(entity), refs),
      );
      expect(bodies.size).to.equal(refs.length);
      for (const body of bodies.values()) {
        const { error } = schema.validate(JSON.parse(body), { convert: false });
        expect(error?.message, body).to.equal(undefined);
      }
    }
  });

  it('held drafts of the demo are still valid when a person approves them', async () => {
    const held = await queryDemoRows<{ payload: unknown }>(
      db,
      "select payload from approvals where kind = 'agent_write'",
    );
    expect(held).to.not.deep.equal([]);
    for (const { payload } of held) expect(() => validate(invoiceCreateSchema, payload)).to.not.throw();
  });

  it('demo invoices have prices that add up and payments that match their status', async () => {
    const invoices = await queryDemoRows<InvoiceRow>(
      db,
      `select i.*, (select jsonb_agg(l order by position) from invoice_line_items l
                      where l.tenant_id = i.tenant_id and l.invoice_id = i.id) as lines from invoices i`,
    );
    for (const invoice of invoices) {
      const price = priceInvoice(invoice.lines, invoice.tax_rate_bps);
      expect(invoice).to.include({
        subtotal_cents: price.subtotalCents,
        tax_cents: price.taxCents,
        total_cents: price.totalCents,
      });
      expect(invoice.lines.map((line) => line.total_cents)).to.deep.equal(price.lineTotals);
      expect(invoice.total_cents).to.be.above(0);
      expectPaymentToMatchStatus(invoice);
    }
  });

  it('demo invoices have dates that match their status and are within the last 90 days', async () => {
    const [mismatches] = await queryDemoRows<{ count: number }>(
      db,
      `select count(*) from invoices i left join work_orders w on w.tenant_id = i.tenant_id and w.id = i.work_order_id
         where i.created_at not between '2026-08-23' and '2026-11-21 12:00Z' or i.updated_at not between i.created_at and '2026-11-21 12:00Z'
            or (i.status in ('draft', 'needs_review', 'approved', 'cancelled')) <> (i.due_date is null)
            or (i.status in ('draft', 'needs_review', 'approved', 'cancelled', 'failed')) <> (i.sent_at is null)
            or (i.status = 'overdue' and i.due_date >= '2026-11-21 12:00Z')
            or (i.status in ('sending', 'sent_to_roadsync', 'viewed', 'partially_paid') and i.due_date < '2026-11-22 12:00Z')
            or (i.paid_cents > 0) <> (i.paid_at is not null) or i.paid_at < i.sent_at
            or (w.id is not null and (w.status <> 'completed' or w.completion_time > i.created_at
                                      or w.customer_id is distinct from i.customer_id))
            or (i.customer_id is null and i.billing_email is null)`,
    );
    expect(mismatches?.count).to.equal(0);
  });

  it('demo work orders ready to bill have a price, and demo impounds are charged up to today', async () => {
    for (const { live, sandbox } of [HUDSON, LONE_STAR]) {
      for (const tenant of [live, sandbox]) {
        const workOrders = await queryDemoRows<{ id: string }>(
          db,
          "select id from work_orders where billing_status = 'ready_to_bill' and status = 'completed'",
          [tenant],
        );
        const toPrice = workOrders.map(({ id }) => ({
          tenant_id: tenant,
          id,
          customer_id: null,
          of_job: true,
        }));
        const facts = await db.read<PricingFactsRow>(tenant, buildPricingFactsQuery(toPrice));
        expect(facts).to.have.length(workOrders.length);
        for (const row of facts) expect(previewPrice(row)).to.have.property('total_cents').that.is.above(0);
        const impounds = await queryDemoRows<Record<string, number>>(
          db,
          `select accrued_days, storage_cents / daily_rate_cents as paid_days,
             ('2026-11-21 12:00Z' at time zone time_zone)::date - (impounded_at at time zone time_zone)::date + 1 as days
           from impounds join tenants using (tenant_id)`,
          [tenant],
        );
        expect(impounds.length).to.be.at.least(3);
        for (const { accrued_days, paid_days, days } of impounds)
          expect([accrued_days, paid_days]).to.deep.equal([days, days]);
      }
    }
  });

  it('the next work order of a demo account gets the next free job number', async () => {
    const command = { ...createCanaryCommand(), tenantId: HUDSON.live, input: { service_type: 'tow' } };
    const ref = { tenant_id: HUDSON.live, id: command.entityId };
    const bodies = await db.runAndRollBack([HUDSON.live], async (tx) => {
      await createWorkOrders(tx, [command]);
      return renderRecords(tx, getResourceTable('work_order'), [ref]);
    });
    const [last] = await queryDemoRows<{ number: string }>(
      db,
      'select max(job_number) as number from work_orders',
      [HUDSON.live],
    );
    const next = `WO-${String(Number(last?.number.slice(3)) + 1).padStart(6, '0')}`;
    expect(JSON.parse(bodies.get(refKey(ref)) ?? '{}').job_number).to.equal(next);
  });

  it('every demo record belongs to one account', async () => {
    for (const table of [...TABLES, 'users', 'api_keys', 'audit_entries', 'tenants']) {
      const found = await queryDemoRows<{ tenant_id: string }>(
        db,
        `select distinct tenant_id from ${table}`,
        [HUDSON.live],
      );
      expect(found, table).to.deep.equal([{ tenant_id: HUDSON.live }]);
    }
    const foreign = await queryDemoRows(db, `select 1 from invoices where tenant_id = '${LONE_STAR.live}'`, [
      HUDSON.live,
    ]);
    expect(foreign).to.deep.equal([]);
  });

  it("demo keys have the permissions and scopes that demo.json promises, and the password is the owner's", async () => {
    const [tenant] = tenants as [DemoCredentials];
    const found = await Promise.all(KEY_FIELDS.map((field) => findKey(db, tenant[field])));
    expect(found.map((key) => [key?.kind, key?.tenantId, key?.environment, key?.readOnly])).to.deep.equal([
      ['api', HUDSON.live, 'live', false],
      ['api', HUDSON.sandbox, 'sandbox', false],
      ['agent', HUDSON.live, 'live', false],
      ['agent', HUDSON.live, 'live', true],
      ['agent', HUDSON.sandbox, 'sandbox', false],
    ]);
    expect(found[0]?.permissions).to.deep.equal([...ACCOUNT_PERMISSIONS]);
    expect(found[2]?.scopes).to.deep.equal([...AGENT_SCOPES]);
    expect(found[3]?.scopes).to.deep.equal(AGENT_SCOPES.filter((scope) => scope.startsWith('read_')));
    const text = `select password_hash, role from users where email = '${tenant.email}'`;
    const [user] = await queryDemoRows<{ password_hash: string; role: string }>(db, text, [HUDSON.live]);
    expect(await verifyPassword(tenant.password, user?.password_hash ?? '')).to.equal(true);
    expect(user?.role).to.equal('owner');
  });

  it('renewing demo credentials replaces the keys and keeps all other records', async () => {
    const before = await readTableAsText(db, 'invoices');
    const renewed = await renewDemoCredentials(db, options);
    expect((await findKey(db, tenants[1]?.agent_key ?? ''))?.revoked).to.equal(true);
    expect((await findKey(db, renewed[1]?.agent_key ?? ''))?.revoked).to.equal(false);
    expect(await readTableAsText(db, 'invoices')).to.equal(before);
  });
});

interface InvoiceRow {
  status: string;
  tax_rate_bps: number;
  subtotal_cents: number;
  tax_cents: number;
  total_cents: number;
  paid_cents: number;
  lines: (PricedLine & { total_cents: number })[];
}

function expectPaymentToMatchStatus({ status, paid_cents, total_cents }: InvoiceRow): void {
  if (status === 'paid') expect(paid_cents).to.equal(total_cents);
  else if (status === 'partially_paid') expect(paid_cents).to.be.within(1, total_cents - 1);
  else if (status === 'disputed') expect(paid_cents).to.be.within(0, total_cents - 1);
  else expect(paid_cents).to.equal(0);
}
