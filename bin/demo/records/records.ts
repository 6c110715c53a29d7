import { type DemoApproval, makeApprovals } from './approvals.js';
import { type DemoAuditEntry, makeAuditEntries } from './audit.js';
import { type DemoClaimsAndSuggestions, makeClaimsAndSuggestions } from './claims-and-suggestions.js';
import { type DemoCustomer, makeCustomers } from './customers.js';
import { type DemoDriver, type DemoPayment, type DemoTruck, makeFleet, makePayments } from './fleet.js';
import { type DemoInvoice, type DemoLineItem, InvoiceMaker } from './invoices.js';
import {
  type DemoImpound,
  type DemoRateCard,
  makeImpounds,
  makeRateCards,
} from './rate-cards-and-impounds.js';
import { createDemoScope, type DemoScope } from './scope.js';
import { DEMO_PROFILES } from './tenants.js';
import { type DemoWorkOrder, makeUninvoicedWorkOrders, WorkOrderMaker } from './work-orders.js';

/** All records of a set of demo tenants, as rows of their tables. */
export interface DemoRecords {
  customers: DemoCustomer[];
  workOrders: DemoWorkOrder[];
  invoices: DemoInvoice[];
  lineItems: DemoLineItem[];
  drivers: DemoDriver[];
  trucks: DemoTruck[];
  payments: DemoPayment[];
  rateCards: DemoRateCard[];
  impounds: DemoImpound[];
  approvals: DemoApproval[];
  claimsAndSuggestions: DemoClaimsAndSuggestions;
  /** The last assigned numbers of each tenant. */
  counters: { tenant_id: string; name: string; value: number }[];
  auditEntries: DemoAuditEntry[];
}

const CUSTOMER_COUNTS = { live: 26, sandbox: 8 } as const;
/** The first invoice is INV-1001. */
const FIRST_INVOICE_NUMBER = 1001;

/**
 * Makes the records of all demo tenants and their sandboxes. The same `now` gives the same records
 * in every installation. Another `now` moves their times and changes nothing else.
 */
export function makeDemoRecords(now: Date): DemoRecords {
  const parts = DEMO_PROFILES.flatMap((profile) => [
    makeTenantRecords(createDemoScope(profile, 'live', now)),
    makeTenantRecords(createDemoScope(profile, 'sandbox', now)),
  ]);
  return {
    customers: parts.flatMap((part) => part.customers),
    workOrders: parts.flatMap((part) => part.workOrders),
    invoices: parts.flatMap((part) => part.invoices),
    lineItems: parts.flatMap((part) => part.lineItems),
    drivers: parts.flatMap((part) => part.drivers),
    trucks: parts.flatMap((part) => part.trucks),
    payments: parts.flatMap((part) => part.payments),
    rateCards: parts.flatMap((part) => part.rateCards),
    impounds: parts.flatMap((part) => part.impounds),
    approvals: parts.flatMap((part) => part.approvals),
    claimsAndSuggestions: {
      claims: parts.flatMap((part) => part.claimsAndSuggestions.claims),
      suggestions: parts.flatMap((part) => part.claimsAndSuggestions.suggestions),
    },
    counters: parts.flatMap((part) => part.counters),
    auditEntries: parts.flatMap((part) => part.auditEntries),
  };
}

function makeTenantRecords(scope: DemoScope): DemoRecords {
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
  const fleet = makeFleet(scope, workOrders);
  const approvals = makeApprovals(scope, { invoices, customers });
  const claimsAndSuggestions = makeClaimsAndSuggestions(scope, {
    invoices,
    lineItems: invoiceMaker.lineItems,
    customers,
  });
  const { tenantId: tenant_id } = scope;
  return {
    customers,
    workOrders,
    invoices,
    lineItems: invoiceMaker.lineItems,
    ...fleet,
    payments: makePayments(scope, invoices),
    rateCards: makeRateCards(scope, customers),
    impounds: makeImpounds(scope, workOrders),
    approvals,
    claimsAndSuggestions,
    counters: [
      { tenant_id, name: 'job_number', value: workOrders.length },
      { tenant_id, name: 'invoice_number', value: FIRST_INVOICE_NUMBER + invoices.length - 1 },
    ],
    auditEntries: makeAuditEntries({
      customer: customers,
      work_order: workOrders,
      invoice: invoices,
      approval: approvals,
      claim: claimsAndSuggestions.claims,
      suggestion: claimsAndSuggestions.suggestions,
    }),
  };
}

/** Sorts records by creation time, the sequence in which they get their numbers. */
function sortOldestFirst<T extends { created_at: string; id: string }>(records: T[]): T[] {
  return [...records].sort((a, b) => (`${a.created_at}${a.id}` < `${b.created_at}${b.id}` ? -1 : 1));
}
