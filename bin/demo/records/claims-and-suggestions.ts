import { formatDollars } from '../../../shared/billing/phrases.js';
import type { DemoCustomer } from './customers.js';
import type { DemoInvoice, DemoLineItem } from './invoices.js';
import { DemoRandom, deriveDemoId } from './random.js';
import type { DemoScope } from './scope.js';

const DAY_MS = 86_400_000;

/** For each claim status: the invoice status that fits, and the maximum number of claims. */
const CLAIM_PLANS = [
  { status: 'queued', invoice: 'approved', count: 1 },
  { status: 'submitted', invoice: 'sent_to_roadsync', count: 3 },
  { status: 'accepted', invoice: 'sent_to_roadsync', count: 3 },
  { status: 'denied', invoice: 'needs_review', count: 2 },
  { status: 'paid', invoice: 'paid', count: 3 },
] as const;

/**
 * Makes claims for invoices whose customer is a motor club. Makes suggestions about denied claims
 * and missed fuel surcharges.
 */
export function makeClaimsAndSuggestions(
  scope: DemoScope,
  {
    invoices,
    lineItems,
    customers,
  }: {
    invoices: readonly DemoInvoice[];
    lineItems: readonly DemoLineItem[];
    customers: readonly DemoCustomer[];
  },
) {
  const clubs = new Map(
    customers
      .filter((candidate) => candidate.company_type === 'motor_club')
      .map((candidate) => [candidate.id, candidate.company_name]),
  );
  const unclaimed = invoices.filter(({ customer_id: id }) => id !== null && clubs.has(id));
  const claims = CLAIM_PLANS.flatMap(({ status, invoice, count }) => {
    const found = unclaimed.filter((candidate) => candidate.status === invoice).slice(0, count);
    for (const candidate of found) unclaimed.splice(unclaimed.indexOf(candidate), 1);
    return found.map((candidate) =>
      makeClaim(candidate, { status, club: clubs.get(candidate.customer_id as string) as string }),
    );
  });
  const denied = claims.filter(({ status }) => status === 'denied');
  return {
    claims,
    suggestions: [...denied.map(makeDenialSuggestion), ...makeFeeSuggestions(scope, { invoices, lineItems })],
  };
}

function makeClaim(invoice: DemoInvoice, { status, club }: { status: string; club: string }) {
  const id = deriveDemoId(`${invoice.id}/claim`);
  const isSent = status !== 'queued';
  const isDenied = status === 'denied';
  const daysAfter = (days: number) => new Date(Date.parse(invoice.created_at) + days * DAY_MS).toISOString();
  return {
    tenant_id: invoice.tenant_id,
    id,
    invoice_id: invoice.id,
    club,
    provider_id: `P-${new DemoRandom(club).integer(10_000, 99_999)}`,
    po_number: invoice.po_number,
    status,
    submitted_at: isSent ? invoice.created_at : null,
    submit_by: daysAfter(60),
    respond_by: isDenied ? daysAfter(30) : null,
    denial_code: isDenied ? 'not_covered' : null,
    denial_reason: isDenied ? 'The member had used up the tows of this year' : null,
    attempt: isSent ? 1 : 0,
    expected_cents: invoice.total_cents,
    paid_cents: status === 'paid' ? invoice.paid_cents : 0,
    created_at: invoice.created_at,
    updated_at: invoice.updated_at,
  };
}

function makeDenialSuggestion(claim: ReturnType<typeof makeClaim>) {
  return {
    tenant_id: claim.tenant_id,
    id: deriveDemoId(`${claim.id}/denied`),
    kind: 'denial',
    detector: 'claim_denied',
    entity_type: 'claim',
    entity_id: claim.id,
    occasion: 'attempt 1',
    invoice_id: claim.invoice_id,
    title: `Denied: ${claim.denial_code}`,
    rationale: `${claim.club} denied attempt 1 of 3 over ${formatDollars(claim.expected_cents)} (“${claim.denial_reason}”). Bill the motorist or the account for what the club does not cover. Answer by ${claim.respond_by?.slice(0, 10)}.`,
    amount_cents: claim.expected_cents,
    confidence: 0.5,
    proposed_lines: [],
    status: 'open',
    note: null,
    decided_at: null,
    created_at: claim.updated_at,
    updated_at: claim.updated_at,
  };
}

/**
 * Makes suggestions about missed fuel surcharges: open ones for drafts, and decided or expired ones
 * for paid invoices.
 */
function makeFeeSuggestions(
  scope: DemoScope,
  { invoices, lineItems }: { invoices: readonly DemoInvoice[]; lineItems: readonly DemoLineItem[] },
) {
  const random = new DemoRandom(`${scope.path}/suggestions`);
  const chargedIds = new Set(
    lineItems
      .filter((lineItem) => lineItem.category === 'fuel_surcharge')
      .map((lineItem) => lineItem.invoice_id),
  );
  const findUncharged = (status: string) =>
    invoices.filter((candidate) => candidate.status === status && !chargedIds.has(candidate.id));
  const decided = findUncharged('paid').slice(0, 6);
  return [...findUncharged('draft').slice(0, 3), ...decided].map((invoice) => {
    const index = decided.indexOf(invoice);
    const status =
      index < 0 ? 'open' : (['accepted', 'accepted', 'dismissed', 'expired'][index % 4] as string);
    return makeFeeSuggestion(invoice, {
      status,
      amountCents: random.integer(18, 58) * 50,
      billedCount: random.integer(18, 22),
    });
  });
}

function makeFeeSuggestion(
  invoice: DemoInvoice,
  { status, amountCents, billedCount }: { status: string; amountCents: number; billedCount: number },
) {
  const lineItem = { name: 'Fuel surcharge', description: null, category: 'fuel_surcharge', quantity: 1 };
  return {
    tenant_id: invoice.tenant_id,
    id: deriveDemoId(`${invoice.id}/suggestion`),
    kind: 'missed_fee',
    detector: 'missed_fuel_surcharge',
    entity_type: 'invoice',
    entity_id: invoice.id,
    occasion: '',
    invoice_id: invoice.id,
    title: 'Fuel surcharge was not billed',
    rationale: `${billedCount} of 22 comparable jobs were billed a fuel surcharge, median ${formatDollars(amountCents)}; this one was not.`,
    amount_cents: amountCents,
    confidence: Math.round(((billedCount + 1) / 24) * 100) / 100,
    proposed_lines: [
      {
        ...lineItem,
        unit_type: 'flat',
        unit_price_cents: amountCents,
        total_cents: amountCents,
        taxable: false,
      },
    ],
    status,
    note: status === 'dismissed' ? 'Agreed with the account' : null,
    decided_at: ['open', 'expired'].includes(status) ? null : invoice.created_at,
    created_at: invoice.created_at,
    updated_at: invoice.created_at,
  };
}
