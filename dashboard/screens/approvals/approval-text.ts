import type { Invoice, Schemas } from '../../api/records';
import type { ShownLine } from '../../parts/record/line-table';
import { humanize } from '../../parts/record/status-badge';

export type Approval = Schemas['Approval'];

/**
 * The write that an agent has requested, after validation. A proposal to approve an invoice has
 * none of these members.
 */
export interface RequestedWrite {
  customer_id?: string | null;
  billing_email?: string | null;
  invoice_number?: string | null;
  line_items?: ShownLine[];
}

export function readRequest({ payload }: Approval): RequestedWrite {
  return payload as RequestedWrite;
}

/**
 * Returns the name of the agent key that asks. Without an agent key, the proposal comes from a
 * person or an API key.
 */
export function nameAsker({ agent_name: name }: Approval): string {
  return name ?? 'A person or an API key';
}

/** Returns a short description of the request: "Approve invoice INV-1001". */
export function describeRequest(approval: Approval, invoiceNumber?: string): string {
  const number = invoiceNumber ?? readRequest(approval).invoice_number ?? undefined;
  const verbs: Record<string, string> = {
    'invoice.approve': 'Approve',
    'invoice.create': 'Create',
    'invoice.update': 'Change',
  };
  const verb = verbs[approval.action];
  if (!verb) return humanize(approval.action.replace('.', ' '));
  return number ? `${verb} invoice ${number}` : `${verb} an invoice`;
}

/** Returns a text with the exact effect of approving the request. */
export function describeApproving(approval: Approval, invoice: Invoice | undefined): string {
  const asker = nameAsker(approval);
  if (approval.action === 'invoice.create')
    return `Creates this invoice as a draft of ${asker}. It stays a draft: nothing is approved, and nothing is sent.`;
  if (approval.action === 'invoice.update')
    return `Stores these changes in the invoice as changes of ${asker}. Its status stays as it is, and nothing is sent.`;
  const from = invoice ? ` from ${humanize(invoice.status)}` : '';
  return `Moves the invoice${from} to Approved. Its line items are then locked. Nothing is sent to the customer yet.`;
}

/** Returns a text with the exact effect of rejecting the request. */
export function describeRejecting(approval: Approval): string {
  const unchanged =
    approval.action === 'invoice.create'
      ? 'No invoice is created.'
      : 'The invoice stays as it is, and nothing is changed.';
  return `${unchanged} ${nameAsker(approval)} can read the reason.`;
}
