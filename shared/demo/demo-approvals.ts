import { type ApprovalContent, contentHash } from '../resources/approvals/store.js';
import { priceInvoice } from '../resources/invoices/money.js';
import { chargesFor } from './demo-charges.js';
import type { DemoCustomer } from './demo-customers.js';
import type { DemoInvoice } from './demo-invoices.js';
import { DemoRandom, demoId } from './demo-random.js';
import type { DemoScope } from './demo-scope.js';

/** A row of `approvals`. */
export interface DemoApproval extends ApprovalContent {
  tenant_id: string;
  id: string;
  kind: 'agent_write' | 'invoice_approval';
  status: string;
  action: string;
  entity_id: string;
  agent_id: string;
  agent_name: string;
  source: 'mcp';
  tool: string;
  counted_cents: number | null;
  held_by: 'agent_gate_cents' | null;
  justification: string | null;
  invoice_id: string | null;
  hash: string;
  decided_by: string | null;
  decided_at: string | null;
  note: string | null;
  expires_at: string;
  created_at: string;
}

/** What becomes of an approval, and how long ago it was asked for. */
interface Fate {
  status: string;
  daysAgo: number;
  note?: string;
}

const LIFE_DAYS = 7;
const HELD: readonly Fate[] = [
  { status: 'pending', daysAgo: 0.2 },
  { status: 'pending', daysAgo: 2 },
  { status: 'rejected', daysAgo: 9, note: 'The heavy recovery was billed on another job already.' },
  { status: 'expired', daysAgo: 20 },
];
/** By the state of the invoice that was proposed. */
const PROPOSED: Readonly<Record<string, Fate>> = {
  needs_review: { status: 'pending', daysAgo: 0.1 },
  approved: { status: 'approved', daysAgo: 0.15, note: 'Matches the slip.' },
  cancelled: { status: 'cancelled', daysAgo: 2, note: 'The invoice was cancelled.' },
};
const JUSTIFICATION = 'All lines match the signed tow slip and the rates agreed with the customer.';

/** The operator queue in every state: drafts that the gate held, and proposals. */
export function makeApprovals(
  scope: DemoScope,
  { invoices, customers }: { invoices: readonly DemoInvoice[]; customers: readonly DemoCustomer[] },
): DemoApproval[] {
  const random = new DemoRandom(`${scope.path}/approvals`);
  const payers = customers.filter(({ is_active }) => is_active);
  const held = HELD.map((fate, index) =>
    heldDraft(scope, fate, { index, random, payer: random.pick(payers) }),
  );
  const proposals = Object.entries(PROPOSED).flatMap(([status, fate]) => {
    const invoice = invoices.find((one) => one.status === status);
    return invoice ? [proposalOf(scope, fate, invoice)] : [];
  });
  return [...held, ...proposals];
}

function heldDraft(
  scope: DemoScope,
  fate: Fate,
  { index, random, payer }: { index: number; random: DemoRandom; payer: DemoCustomer },
): DemoApproval {
  const charges = chargesFor(random, 'recovery');
  const rate = payer.tax_exempt ? 0 : (payer.tax_rate_bps ?? scope.profile.taxRateBps);
  const price = priceInvoice(charges, rate);
  const id = demoId(`${scope.path}/approval/held/${index + 1}`);
  const payload = {
    invoice_number: `AGENT-${index + 1}`,
    customer_id: payer.id,
    line_items: charges.map((line, at) => ({ ...line, total_cents: price.lineTotals[at] })),
  };
  return {
    ...shared(scope, fate, { payload, amount_cents: price.totalCents, record_version: null }),
    id,
    kind: 'agent_write',
    action: 'invoice.create',
    entity_id: demoId(`${id}/invoice`),
    tool: 'create_invoice_draft',
    counted_cents: price.totalCents,
    held_by: 'agent_gate_cents',
    justification: null,
    invoice_id: null,
  };
}

function proposalOf(scope: DemoScope, fate: Fate, invoice: DemoInvoice): DemoApproval {
  const content = {
    payload: { invoice_id: invoice.id, justification: JUSTIFICATION },
    amount_cents: invoice.total_cents,
    record_version: invoice.updated_at,
  };
  return {
    ...shared(scope, fate, content),
    id: demoId(`${scope.path}/approval/proposal/${invoice.status}`),
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

function shared(scope: DemoScope, { status, daysAgo, note }: Fate, content: ApprovalContent) {
  const isDecided = status === 'approved' || status === 'rejected';
  return {
    ...content,
    tenant_id: scope.tenantId,
    status,
    agent_id: demoId(`${scope.path}/agent`),
    agent_name: 'Demo agent',
    source: 'mcp' as const,
    hash: contentHash(content),
    decided_by: isDecided ? scope.profile.owner.id : null,
    decided_at: isDecided || status === 'cancelled' ? scope.daysAgo(daysAgo / 2) : null,
    note: note ?? null,
    expires_at: scope.daysAgo(daysAgo - LIFE_DAYS),
    created_at: scope.daysAgo(daysAgo),
  };
}
