import { priceInvoice } from '../../../shared/billing/money.js';
import {
  type ApprovalContent,
  hashApprovalContent,
} from '../../../shared/resources/pending-approvals/store.js';
import { drawCharges } from './charges.js';
import type { DemoCustomer } from './customers.js';
import type { DemoInvoice } from './invoices.js';
import { DemoRandom, deriveDemoId } from './random.js';
import type { DemoScope } from './scope.js';

/** The status of an approval, and how many days ago an agent asked for it. */
interface DecisionPlan {
  status: string;
  daysAgo: number;
  note?: string;
}

const LIFETIME_DAYS = 7;
const HELD_PLANS: readonly DecisionPlan[] = [
  { status: 'pending', daysAgo: 0.2 },
  { status: 'pending', daysAgo: 2 },
  { status: 'rejected', daysAgo: 9, note: 'The heavy recovery was billed on another job already.' },
  { status: 'expired', daysAgo: 20 },
];
/** The plan for an agent's proposal to approve an existing invoice, by the invoice's status. */
const PROPOSAL_PLANS: Readonly<Record<string, DecisionPlan>> = {
  needs_review: { status: 'pending', daysAgo: 0.1 },
  approved: { status: 'approved', daysAgo: 0.15, note: 'Matches the slip.' },
  cancelled: { status: 'cancelled', daysAgo: 2, note: 'The invoice was cancelled.' },
};
const JUSTIFICATION = 'All lines match the signed tow slip and the rates agreed with the customer.';

/**
 * Makes approvals in every status. Some approvals are for an agent's new invoice that reached the
 * approval threshold. In all others, an agent proposes to approve an existing invoice.
 */
export function makeApprovals(
  scope: DemoScope,
  { invoices, customers }: { invoices: readonly DemoInvoice[]; customers: readonly DemoCustomer[] },
) {
  const random = new DemoRandom(`${scope.path}/approvals`);
  const payers = customers.filter(({ is_active }) => is_active);
  const held = HELD_PLANS.map((plan, index) =>
    makeHeldDraft(scope, plan, { index, random, customer: random.pick(payers) }),
  );
  const proposals = Object.entries(PROPOSAL_PLANS).flatMap(([status, plan]) => {
    const invoice = invoices.find((one) => one.status === status);
    return invoice ? [makeProposal(scope, plan, invoice)] : [];
  });
  return [...held, ...proposals];
}

function makeHeldDraft(
  scope: DemoScope,
  plan: DecisionPlan,
  { index, random, customer }: { index: number; random: DemoRandom; customer: DemoCustomer },
) {
  const charges = drawCharges(random, 'recovery');
  const rate = customer.tax_exempt ? 0 : (customer.tax_rate_bps ?? scope.profile.taxRateBps);
  const price = priceInvoice(charges, rate);
  const id = deriveDemoId(`${scope.path}/approval/held/${index + 1}`);
  const payload = {
    invoice_number: `AGENT-${index + 1}`,
    customer_id: customer.id,
    line_items: charges.map((charge, at) => ({ ...charge, total_cents: price.lineTotals[at] })),
  };
  return {
    ...makeCommonColumns(scope, plan, { payload, amount_cents: price.totalCents, record_version: null }),
    id,
    kind: 'agent_write',
    action: 'invoice.create',
    entity_id: deriveDemoId(`${id}/invoice`),
    tool: 'create_invoice_draft',
    counted_cents: price.totalCents,
    held_by: 'agent_gate_cents',
    justification: null,
    invoice_id: null,
  };
}

function makeProposal(scope: DemoScope, plan: DecisionPlan, invoice: DemoInvoice) {
  const content = {
    payload: { invoice_id: invoice.id, justification: JUSTIFICATION },
    amount_cents: invoice.total_cents,
    record_version: invoice.updated_at,
  };
  return {
    ...makeCommonColumns(scope, plan, content),
    id: deriveDemoId(`${scope.path}/approval/proposal/${invoice.status}`),
    kind: 'invoice_approval',
    action: 'invoice.approve',
    entity_id: invoice.id,
    tool: 'propose_invoice_approval',
    counted_cents: null,
    held_by: null,
    justification: JUSTIFICATION,
    invoice_id: invoice.id,
  };
}

function makeCommonColumns(
  scope: DemoScope,
  { status, daysAgo, note }: DecisionPlan,
  content: ApprovalContent,
) {
  const isDecided = status === 'approved' || status === 'rejected';
  return {
    ...content,
    tenant_id: scope.tenantId,
    status,
    agent_id: deriveDemoId(`${scope.path}/agent`),
    agent_name: 'Demo agent',
    source: 'mcp',
    hash: hashApprovalContent(content),
    decided_by: isDecided ? scope.profile.owner.id : null,
    decided_by_name: isDecided ? scope.profile.owner.name : null,
    decided_at: isDecided || status === 'cancelled' ? scope.daysAgo(daysAgo / 2) : null,
    note: note ?? null,
    expires_at: scope.daysAgo(daysAgo - LIFETIME_DAYS),
    created_at: scope.daysAgo(daysAgo),
  };
}
