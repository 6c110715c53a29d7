import { expect } from 'chai';
import { newId } from '../../../shared/platform/ids.js';
import type { SqlQuery, Transaction } from '../../../shared/platform/postgres/database.js';
import type { ListScope } from '../../../shared/records/lists/keyset-list.js';
import { listApprovals } from '../../../shared/resources/approvals/queries.js';
import { listAuditEntries } from '../../../shared/resources/audit-log/queries.js';
import { listClubOffers } from '../../../shared/resources/club-offers/queries.js';
import { listCustomers } from '../../../shared/resources/customers/queries.js';
import { listDrivers } from '../../../shared/resources/drivers/queries.js';
import { listExportSchedules } from '../../../shared/resources/export-schedules/queries.js';
import { findDueSchedules } from '../../../shared/resources/export-schedules/sweep.js';
import { listExports } from '../../../shared/resources/exports/queries.js';
import { listImpounds } from '../../../shared/resources/impounds/queries.js';
import { findDueStorageAccruals } from '../../../shared/resources/impounds/storage-sweep.js';
import { listInspections } from '../../../shared/resources/inspections/queries.js';
import { listInvoices } from '../../../shared/resources/invoices/queries.js';
import { listMessages } from '../../../shared/resources/messages/queries.js';
import { listNotices } from '../../../shared/resources/notices/queries.js';
import { listRateCards } from '../../../shared/resources/rate-cards/queries.js';
import { listRecurringInvoices } from '../../../shared/resources/recurring-invoices/queries.js';
import { findDueRecurringInvoices } from '../../../shared/resources/recurring-invoices/sweep.js';
import { listTrucks } from '../../../shared/resources/trucks/queries.js';
import { listUsers } from '../../../shared/resources/users/queries.js';
import { listWorkOrderSteps, listWorkOrders } from '../../../shared/resources/work-orders/queries.js';
import { useStack, useTenant } from '../../support/use-stack.js';
import { explainPlan, explainRun } from '../../support/writes/explain.js';

const ROWS = 20_000;
const limit = 50;

/**
 * Inserts customers with different creation times. The test runs each insert for a second tenant
 * too, so that a plan must select by tenant.
 */
const INSERT_CUSTOMERS = `
  insert into customers (tenant_id, id, company_name, company_type, created_at)
  select $1, gen_random_uuid(), 'C' || n, 'other', now() - n * interval '1 minute' from generate_series(1, ${ROWS}) n;`;
const INSERT_EXPORT_SCHEDULES = `
  insert into export_schedules (tenant_id, id, resource, format, cadence, hour, next_run_at)
  select $1, gen_random_uuid(), 'invoices', 'csv', 'daily', 4, now() + n * interval '1 minute' from generate_series(1, ${ROWS}) n`;
const INSERT_RECURRING_INVOICES = `
  insert into recurring_invoices (tenant_id, id, customer_id, every, anchor_date, line_items, next_date)
  select $1, gen_random_uuid(), $2, 'month', '2026-01-31', '[]', current_date + n from generate_series(1, ${ROWS}) n`;
const INSERT_USERS = `
  insert into users (tenant_id, id, email, name, password_hash, created_at)
  select $1, gen_random_uuid(), n || '@example.com', 'U', 'x', now() - n * interval '1 minute' from generate_series(1, ${ROWS}) n`;
/**
 * Inserts audit entries. One in a hundred is by the actor `$2`, and another one in a hundred is
 * about the record `$2`.
 */
const INSERT_AUDIT_ENTRIES = `
  insert into audit_entries (tenant_id, id, actor_type, actor_id, action, entity_type, entity_id, outcome, source)
  select $1, overlay(gen_random_uuid()::text placing lpad(to_hex(n), 8, '0') from 1)::uuid, 'api_key',
    case when n % 100 = 0 then $2::uuid else gen_random_uuid() end, 'customer.created', 'customer',
    case when n % 100 = 1 then $2::uuid else gen_random_uuid() end, 'ok', 'rest' from generate_series(1, ${ROWS}) n`;
const INSERT_WORK_ORDERS = `
  insert into work_orders (tenant_id, id, job_number, status, intake, service_type, created_at)
  select $1, gen_random_uuid(), 'X-' || n, case when n % 10 = 0 then 'completed' else 'pending' end, 'accepted', 'tow',
    now() - n * interval '1 minute' from generate_series(1, ${ROWS}) n`;
const INSERT_INVOICES = `
  insert into invoices (tenant_id, id, invoice_number, status, customer_id, created_at)
  select $1, gen_random_uuid(), 'X-' || n, case when n % 10 = 0 then 'paid' else 'draft' end,
    case when n % 10 = 0 then $2::uuid end, now() - n * interval '1 minute' from generate_series(1, ${ROWS}) n`;
const INSERT_IMPOUNDS = `
  insert into impounds (tenant_id, id, work_order_id, status, impounded_at, released_at, daily_rate_cents, free_days, created_at)
  select tenant_id, gen_random_uuid(), id, case when status = 'completed' then 'lien' else 'released' end, created_at,
    case when status <> 'completed' then created_at end, 4500, 0, created_at
  from work_orders where tenant_id = $1`;

const INSERT_APPROVALS = `
  insert into approvals (tenant_id, id, kind, status, action, entity_id, agent_id, source, payload, amount_cents, hash, created_at)
  select $1, gen_random_uuid(), 'agent_write', case when n % 10 = 0 then 'pending' else 'approved' end, 'invoice.create', gen_random_uuid(),
    case when n % 10 = 0 then $2::uuid end, 'rest', '{}', 1, 'hash', now() - n * interval '1 minute' from generate_series(1, ${ROWS}) n`;

describe('query plans of lists over 20,000 rows', () => {
  const stack = useStack({}, 'query plans');
  const tenant = useTenant(stack);
  const customerId = newId();

  before(async function () {
    // 240,000 rows take a slow machine longer than a minute.
    this.timeout(240_000);
    for (const owner of [tenant, await stack.createTenant('Neighbour')]) {
      const customer = [owner.id, owner === tenant ? customerId : newId()];
      await stack.rows(owner.id, INSERT_CUSTOMERS, [owner.id]);
      await stack.rows(
        owner.id,
        "insert into customers (tenant_id, id, company_name, company_type) values ($1, $2, 'P', 'other')",
        customer,
      );
      await stack.rows(owner.id, INSERT_WORK_ORDERS, [owner.id]);
      await stack.rows(owner.id, INSERT_INVOICES, customer);
      await stack.rows(owner.id, INSERT_IMPOUNDS, [owner.id]);
      await stack.rows(owner.id, INSERT_APPROVALS, customer);
      await stack.rows(owner.id, INSERT_USERS, [owner.id]);
      await stack.rows(owner.id, INSERT_EXPORT_SCHEDULES, [owner.id]);
      await stack.rows(owner.id, INSERT_RECURRING_INVOICES, customer);
      await stack.rows(owner.id, INSERT_AUDIT_ENTRIES, customer);
    }
    await stack.runAsOwner('analyze');
  });

  /** Returns the scope of the first page, or of a page that begins in the middle of the rows. */
  const scopeForPage = (page: 'first' | 'later'): ListScope => ({
    tenantId: tenant.id,
    timeZone: 'America/New_York',
    position:
      page === 'first'
        ? undefined
        : { at: new Date(Date.now() - (ROWS / 2) * 60_000).toISOString(), id: newId() },
  });

  const cases: [string, (scope: ListScope) => SqlQuery, string][] = [
    ['invoices', (scope) => listInvoices({ limit }, scope), 'invoices_created'],
    ['invoices of a status', (scope) => listInvoices({ limit, status: 'paid' }, scope), 'invoices_status'],
    [
      'invoices of a customer',
      (scope) => listInvoices({ limit, customer_id: customerId }, scope),
      'invoices_customer',
    ],
    [
      'invoices of two statuses',
      (scope) => listInvoices({ limit, status: 'paid,draft' }, scope),
      'invoices_status',
    ],
    [
      'invoices since a day',
      (scope) => listInvoices({ limit, since: '2020-01-01' }, scope),
      'invoices_created',
    ],
    ['work orders', (scope) => listWorkOrders({ limit }, scope), 'work_orders_created'],
    [
      'work orders of a status',
      (scope) => listWorkOrders({ limit, status: 'completed' }, scope),
      'work_orders_status',
    ],
    [
      'work orders of two statuses',
      (scope) => listWorkOrders({ limit, status: 'new,completed' }, scope),
      'work_orders_status',
    ],
    ['customers', (scope) => listCustomers({ limit }, scope), 'customers_created'],
    [
      'customers that match a search',
      (scope) => listCustomers({ limit, search: 'C1' }, scope),
      'customers_created',
    ],
    ['trucks', (scope) => listTrucks({ limit }, scope), 'trucks_created'],
    ['trucks of a status', (scope) => listTrucks({ limit, status: 'towing' }, scope), 'work_orders_truck'],
    ['drivers', (scope) => listDrivers({ limit }, scope), 'drivers_created'],
    ['rate cards', (scope) => listRateCards({ limit }, scope), 'rate_cards_created'],
    [
      'rate cards in force',
      (scope) => listRateCards({ limit, in_force_on: '2026-11-21' }, scope),
      'rate_cards_created',
    ],
    ['impounds', (scope) => listImpounds({ limit }, scope), 'impounds_created'],
    ['impounds of a status', (scope) => listImpounds({ limit, status: 'lien' }, scope), 'impounds_status'],
    ['approvals', (scope) => listApprovals({ limit }, scope), 'approvals_created'],
    ['pending approvals', (scope) => listApprovals({ limit, status: 'pending' }, scope), 'approvals_status'],
    [
      'approvals of an agent',
      (scope) => listApprovals({ limit, agent_id: customerId }, scope),
      'approvals_agent',
    ],
    ['messages', (scope) => listMessages({ limit }, scope), 'messages_created'],
    ['notices', (scope) => listNotices({ limit }, scope), 'notices_created'],
    ['unread notices', (scope) => listNotices({ limit, unread: true }, scope), 'notices_unread'],
    ['exports', (scope) => listExports({ limit }, scope), 'exports_created'],
    [
      'exports of a schedule',
      (scope) => listExports({ limit, schedule_id: customerId }, scope),
      'exports_of_schedule',
    ],
    ['export schedules', (scope) => listExportSchedules({ limit }, scope), 'export_schedules_created'],
    ['recurring invoices', (scope) => listRecurringInvoices({ limit }, scope), 'recurring_invoices_created'],
    [
      'recurring invoices of a customer',
      (scope) => listRecurringInvoices({ limit, customer_id: customerId }, scope),
      'recurring_invoices_customer',
    ],
    ['users', (scope) => listUsers({ limit }, scope), 'users_created'],
    ['the audit log', (scope) => listAuditEntries({ limit }, scope), 'audit_entries_pkey'],
    [
      'the audit log since a day',
      (scope) => listAuditEntries({ limit, since: '2020-01-01', outcome: 'ok' }, scope),
      'audit_entries_pkey',
    ],
    [
      'the audit log of a record',
      (scope) => listAuditEntries({ limit, entity_type: 'customer', entity_id: customerId }, scope),
      'audit_entries_of_entity',
    ],
    [
      'the audit log of an actor',
      (scope) => listAuditEntries({ limit, actor: customerId }, scope),
      'audit_entries_of_actor',
    ],
    [
      'the steps of a work order',
      (scope) => listWorkOrderSteps({ limit, work_order_id: customerId }, scope),
      'audit_entries_of_entity',
    ],
    [
      'offers of a status',
      (scope) => listClubOffers({ limit, status: 'received' }, scope),
      'club_offers_of_status',
    ],
    [
      "a club's offers",
      (scope) => listClubOffers({ limit }, { ...scope, clubId: customerId }),
      'club_offers_of_club',
    ],
    ['inspections', (scope) => listInspections({ limit, kind: 'pre_trip' }, scope), 'inspections_created'],
  ];
  for (const [name, buildQuery, index] of cases) {
    for (const page of ['first', 'later'] as const) {
      it(`the ${page} page of ${name} reads the index ${index} without a sort or a sequential scan`, async () => {
        const nodes = await explainPlan(stack.runtime.db, tenant.id, buildQuery(scopeForPage(page)));
        const types = nodes.map((node) => node['Node Type']);
        expect(types).to.not.include('Sort').and.not.include('Incremental Sort').and.not.include('Seq Scan');
        expect(nodes.map((node) => node['Index Name'])).to.include(index);
      });
    }
  }

  const ofWorkOrder: [
    string,
    (query: { limit: number; work_order_id: string }, scope: ListScope) => SqlQuery,
    string,
  ][] = [
    ['impounds', listImpounds, 'impounds_work_order'],
    ['invoices', listInvoices, 'invoices_work_order'],
  ];
  for (const [name, buildQuery, index] of ofWorkOrder) {
    it(`the ${name} of a work order are found through the index ${index}`, async () => {
      const query = buildQuery({ limit, work_order_id: newId() }, scopeForPage('first'));
      const nodes = await explainPlan(stack.runtime.db, tenant.id, query);
      expect(nodes.map((node) => node['Node Type'])).to.not.include('Seq Scan');
      expect(nodes.map((node) => node['Index Name'])).to.include(index);
    });
  }

  const sweeps: [string, (tx: Transaction, limit: number) => Promise<unknown>, string][] = [
    ['the sweep of storage fees', findDueStorageAccruals, 'impounds_open'],
    ['the sweep of due recurring invoices', findDueRecurringInvoices, 'recurring_invoices_due'],
    ['the sweep of due export schedules', findDueSchedules, 'export_schedules_due'],
  ];
  for (const [sweepName, find, index] of sweeps) {
    it(`${sweepName} reads the index ${index} without a sequential scan`, async () => {
      const sentQueries: SqlQuery[] = [];
      const query = async (sentQuery: SqlQuery) => {
        sentQueries.push(sentQuery);
        return [];
      };
      await find({ query } as never, limit);
      const nodes = await explainPlan(stack.runtime.db, tenant.id, sentQueries[0] as SqlQuery);
      expect(nodes.map((node) => node['Node Type'])).to.not.include('Seq Scan');
      expect(nodes.map((node) => node['Index Name'])).to.include(index);
    });
  }

  it('a page in the middle reads limit + 1 rows, because the cursor is part of the index condition', async () => {
    const nodes = await explainRun(
      stack.runtime.db,
      tenant.id,
      listInvoices({ limit }, scopeForPage('later')),
    );
    const scan = nodes.find((node) => node['Index Name'] === 'invoices_created');
    expect(scan?.['Actual Rows']).to.equal(limit + 1);
    expect(scan?.['Rows Removed by Filter'] ?? 0).to.equal(0);
  });
});
