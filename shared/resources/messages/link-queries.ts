import type { Database } from '../../platform/postgres.js';
import { documentOf, type InvoiceDocument } from '../invoices/document.js';
import { DOCUMENT_COLUMNS, DOCUMENT_JOINS, type DocumentRow } from '../invoices/document-rows.js';
import { type InvoiceStatus, isSeenFirst, isWithCustomer } from '../invoices/transitions.js';
import type { LinkTarget } from './link.js';

/** What stands behind a link. */
export interface LinkedInvoice {
  invoiceId: string;
  environment: 'live' | 'sandbox';
  /**
   * open: it may be seen. expired: its time is over, or it was revoked. withdrawn: the invoice was annulled. revised: it is being rewritten, and a new message
   * will follow.
   */
  state: 'open' | 'expired' | 'withdrawn' | 'revised';
  /** Being seen now would change something. */
  isUnseen: boolean;
  document: InvoiceDocument;
}

interface LinkRow extends DocumentRow {
  invoice_id: string;
  status: InvoiceStatus;
  over: boolean;
  seen: boolean;
}

/** Follows a link; undefined when its message is not there. */
export async function readLinkedInvoice(
  db: Database,
  { tenantId, messageId }: LinkTarget,
): Promise<LinkedInvoice | undefined> {
  const [row] = await db.read<LinkRow>(tenantId, {
    name: 'read-linked-invoice',
    text: `select m.invoice_id, i.status, i.viewed_at is not null as seen,
             (m.link_revoked_at is not null or m.link_expires_at is null or m.link_expires_at <= now()) as over, ${DOCUMENT_COLUMNS}
           from messages m join invoices i on i.tenant_id = m.tenant_id and i.id = m.invoice_id ${DOCUMENT_JOINS}
           where m.tenant_id = $1 and m.id = $2`,
    values: [tenantId, messageId],
  });
  if (!row) return undefined;
  const { invoice_id: invoiceId, environment, status, seen } = row;
  const isUnseen = isSeenFirst(status, seen);
  return { invoiceId, environment, state: stateOf(row), isUnseen, document: documentOf(row) };
}

function stateOf({ status, over }: LinkRow): LinkedInvoice['state'] {
  if (over) return 'expired';
  if (status === 'void' || status === 'cancelled') return 'withdrawn';
  return isWithCustomer(status) ? 'open' : 'revised';
}
