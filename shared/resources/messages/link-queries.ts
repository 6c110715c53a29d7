import { buildInvoiceDocument, type InvoiceDocument } from '../../documents/document.js';
import type { DocumentRow } from '../../documents/document-rows.js';
import type { Database } from '../../platform/postgres/database.js';
import { DOCUMENT_COLUMNS, DOCUMENT_JOINS } from '../invoices/document-query.js';
import {
  canBePaid,
  type InvoiceStatus,
  isChangedByView,
  isVisibleToCustomer,
} from '../invoices/transitions.js';
import type { LinkTarget } from '../planned-messages/link.js';

/** The invoice behind the link in a message. */
export interface LinkedInvoice {
  invoiceId: string;
  environment: 'live' | 'sandbox';
  /**
   * - open: the customer may see the invoice.
   * - expired: the link has expired or was revoked.
   * - withdrawn: the invoice is void or cancelled.
   * - revised: the account is rewriting the invoice; a new message will follow.
   */
  state: 'open' | 'expired' | 'withdrawn' | 'revised';
  /** True if opening the link now marks the invoice as viewed. */
  isUnseen: boolean;
  /** True if the customer can pay the invoice online now. */
  canPayOnline: boolean;
  document: InvoiceDocument;
}

interface LinkRow extends DocumentRow {
  invoice_id: string;
  status: InvoiceStatus;
  over: boolean;
  seen: boolean;
  balance_due_cents: number;
  has_payments: boolean;
}

/**
 * SQL condition: the account of invoice `i` can receive online payments. A sandbox always can,
 * because it pretends the payments.
 */
const HAS_PAYMENTS_SQL = `(t.environment = 'sandbox' or exists (
  select from connections p where p.tenant_id = i.tenant_id and p.kind = 'payments' and p.status in ('active', 'failing')
    and p.external_account is not null))`;

/**
 * Reads the invoice behind a link. Returns undefined if the message that contained the link does
 * not exist.
 */
export async function readLinkedInvoice(
  db: Database,
  { tenantId, messageId }: LinkTarget,
): Promise<LinkedInvoice | undefined> {
  const [row] = await db.read<LinkRow>(tenantId, {
    name: 'read-linked-invoice',
    text: `select m.invoice_id, i.status, i.viewed_at is not null as seen,
             (m.link_revoked_at is not null or m.link_expires_at is null or m.link_expires_at <= now()) as over,
             i.balance_due_cents, ${HAS_PAYMENTS_SQL} as has_payments, ${DOCUMENT_COLUMNS}
           from messages m join invoices i on i.tenant_id = m.tenant_id and i.id = m.invoice_id ${DOCUMENT_JOINS}
           where m.tenant_id = $1 and m.id = $2`,
    values: [tenantId, messageId],
  });
  if (!row) return undefined;
  const { invoice_id: invoiceId, environment, status, seen } = row;
  const isUnseen = isChangedByView(status, seen);
  return {
    invoiceId,
    environment,
    state: deriveLinkState(row),
    isUnseen,
    canPayOnline: row.has_payments && row.balance_due_cents > 0 && canBePaid(status),
    document: buildInvoiceDocument(row),
  };
}

function deriveLinkState({ status, over }: LinkRow): LinkedInvoice['state'] {
  if (over) return 'expired';
  if (status === 'void' || status === 'cancelled') return 'withdrawn';
  return isVisibleToCustomer(status) ? 'open' : 'revised';
}
