import { makeApprovals } from './approvals.js';
import { makeAuditEntries } from './audit.js';
import { makeClaimsAndSuggestions } from './claims-and-suggestions.js';
import { makeCustomers } from './customers.js';
import { makeFleet, makePayments } from './fleet.js';
import { InvoiceMaker } from './invoices.js';
import { makeImpounds, makeRateCards } from './rate-cards-and-impounds.js';
import { createDemoScope, type DemoScope } from './scope.js';
import { DEMO_PROFILES } from './tenants.js';
import { makeUninvoicedWorkOrders, WorkOrderMaker } from './work-orders.js';

/** Rows by table, parents before children. */
export type DemoRecords = ReturnType<typeof makeTenantRecords>;

const CUSTOMER_COUNTS = { live: 26, sandbox: 8 } as const;
const FIRST_INVOICE_NUMBER = 1001;

/**
 * Makes the records of all demo tenants. The same `now` gives the same records in every
 * installation. Another `now` changes only times, and ids that begin with a time.
 */
export function makeDemoRecords(now: Date): DemoRecords[] {
  return DEMO_PROFILES.flatMap((profile) => [
    makeTenantRecords(createDemoScope(profile, 'live', now)),
    makeTenantRecords(createDemoScope(profile, 'sandbox', now)),
  ]);
}

function makeTenantRecords(scope: DemoScope) {
  const customers = makeCustomers(scope, CUSTOMER_COUNTS[scope.environment]);
  const workOrderMaker = new WorkOrderMaker(scope);
  const invoiceMaker = new InvoiceMaker(scope, workOrderMaker, customers);
  invoiceMaker.makeAll();
  makeUninvoicedWorkOrders(scope, workOrderMaker, customers);
  const workOrders = sortOldestFirst(workOrderMaker.workOrders);
  const invoices = sortOldestFirst(invoiceMaker.invoices);
  workOrders.forEach((workOrder, index) => {
    workOrder.job_number = `WO-${String(index + 1).padStart(6, '0')}`;
  });
  invoices.forEach((invoice, index) => {
    invoice.invoice_number = `INV-${FIRST_INVOICE_NUMBER + index}`;
  });
  const { lineItems } = invoiceMaker;
  const { drivers, trucks } = makeFleet(scope, workOrders);
  const approvals = makeApprovals(scope, { invoices, customers });
  const { claims, suggestions } = makeClaimsAndSuggestions(scope, { invoices, lineItems, customers });
  const { tenantId: tenant_id } = scope;
  return {
    rate_cards: makeRateCards(scope, customers),
    customers,
    work_orders: workOrders,
    invoices,
    invoice_line_items: lineItems,
    // Each counter has the number that was assigned last.
    tenant_counters: [
      { tenant_id, name: 'job_number', value: workOrders.length },
      { tenant_id, name: 'invoice_number', value: FIRST_INVOICE_NUMBER + invoices.length - 1 },
    ],
    drivers,
    trucks,
    payments: makePayments(scope, invoices),
    impounds: makeImpounds(scope, workOrders),
    approvals,
    claims,
    suggestions,
    // With these marks, the detectors (which look for billing errors) scan only later changes. So
    // they make no suggestions about the demo's random invoices.
    detector_marks: [{ tenant_id, looked_until: scope.daysAgo(0) }],
    audit_entries: makeAuditEntries({
      customer: customers,
      work_order: workOrders,
      invoice: invoices,
      approval: approvals,
      claim: claims,
      suggestion: suggestions,
    }),
  };
}

/** Sorts records by creation time, because their numbers follow this sequence. */
function sortOldestFirst<T extends { created_at: string; id: string }>(records: T[]): T[] {
  return [...records].sort((a, b) => (`${a.created_at}${a.id}` < `${b.created_at}${b.id}` ? -1 : 1));
}
