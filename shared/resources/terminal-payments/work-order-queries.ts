import type { Database } from '../../platform/postgres/database.js';
import type { InvoiceState } from '../invoices/handlers/lifecycle.js';
import { planAmount } from '../payments/payable.js';
import { READERS_SQL } from '../terminal-readers/queries.js';

/** Maximum number of invoices of a work order, and of readers, that a driver sees. */
const MAX_SHOWN = 20;
/** The minutes for which a payment that has ended is still shown. */
const SHOWN_MINUTES = 15;
/** An ended payment can be read by its id until this many minutes after its start. */
const FOLLOWED_MINUTES = 60;

/** The ids of a work order and its account. */
export interface WorkOrderRef {
  tenantId: string;
  workOrderId: string;
}

/** An invoice of a work order, and what the customer may pay of it now. */
export interface PayableInvoice {
  id: string;
  invoice_number: string;
  payable_cents: number;
}

/** A payment on a card reader for an invoice of a work order. */
export interface WorkOrderPayment {
  id: string;
  invoice_number: string;
  /** Null for the pretend reader of a sandbox. */
  reader_label: string | null;
  amount_cents: number;
  status: 'waiting' | 'processing' | 'succeeded' | 'failed' | 'cancelled';
  failure_reason: string | null;
  is_cancel_requested: boolean;
  pretend_url: string | null;
}

/** What a driver needs to take the payment for a work order. */
export interface WorkOrderPayments {
  /** The oldest invoice of the work order that can be paid now. */
  invoice: PayableInvoice | undefined;
  /** The readers that are online. */
  readers: { id: string; label: string }[];
  /** The newest payment; null if it ended more than {@link SHOWN_MINUTES} minutes ago. */
  current: WorkOrderPayment | null;
}

const PAYMENT_COLUMNS = `p.id, i.invoice_number, p.amount_cents, p.status, p.failure_reason, p.pretend_url,
  p.cancel_requested_at is not null as is_cancel_requested,
  (select r.label from terminal_readers r where r.tenant_id = p.tenant_id and r.id = p.reader_id) as reader_label`;

const PAYMENTS_OF_WORK_ORDER = `from terminal_payments p join invoices i on i.tenant_id = p.tenant_id and i.id = p.invoice_id
  where i.tenant_id = $1 and i.work_order_id = $2`;

interface FoundInvoice extends InvoiceState {
  id: string;
  invoice_number: string;
  total_cents: number;
  processing_cents: number;
}

/** Reads what the customer owes for a work order, and the readers that can take the payment. */
export async function readWorkOrderPayments(
  db: Pick<Database, 'read'>,
  { tenantId, workOrderId }: WorkOrderRef,
): Promise<WorkOrderPayments> {
  const [row] = await db.read<{
    invoices: FoundInvoice[];
    readers: WorkOrderPayments['readers'];
    current: WorkOrderPayment | null;
  }>(tenantId, {
    name: 'read-work-order-payments',
    text: `select
        coalesce((select json_agg(f) from (
          select i.id, i.invoice_number, i.status, i.total_cents, i.paid_cents, i.released_at, i.viewed_at, i.sent_at,
            coalesce((select sum(p.amount_cents) from payments p where p.tenant_id = i.tenant_id and p.invoice_id = i.id
              and p.status = 'processing'), 0)::float8 as processing_cents
          from invoices i where i.tenant_id = $1 and i.work_order_id = $2
          order by i.id desc limit ${MAX_SHOWN}) f), '[]') as invoices,
        coalesce((select json_agg(f) from (
          select r.id, r.label from ${READERS_SQL} r where r.tenant_id = $1 and r.status = 'online'
          order by r.label, r.id limit ${MAX_SHOWN}) f), '[]') as readers,
        (select to_json(f) from (
          select ${PAYMENT_COLUMNS} ${PAYMENTS_OF_WORK_ORDER}
            and (p.status in ('waiting', 'processing') or p.updated_at > now() - interval '${SHOWN_MINUTES} minutes')
          order by p.status in ('waiting', 'processing') desc, p.created_at desc, p.id desc limit 1) f) as current`,
    values: [tenantId, workOrderId],
  });
  return {
    invoice: row?.invoices.map(toPayable).findLast((invoice) => invoice !== undefined),
    readers: row?.readers ?? [],
    current: row?.current ?? null,
  };
}

/** Returns undefined if a vendor can take no payment of the invoice now. */
function toPayable(invoice: FoundInvoice): PayableInvoice | undefined {
  const { id, invoice_number, processing_cents: processingCents } = invoice;
  const payable_cents = planAmount({ invoice, processingCents, allowsPartialPayments: false }, undefined);
  return typeof payable_cents === 'number' ? { id, invoice_number, payable_cents } : undefined;
}

/**
 * Reads a payment for an invoice of a work order. Returns undefined for an ended payment that
 * started more than an hour ago.
 */
export async function readWorkOrderPayment(
  db: Pick<Database, 'read'>,
  { tenantId, workOrderId }: WorkOrderRef,
  id: string,
): Promise<WorkOrderPayment | undefined> {
  const [row] = await db.read<WorkOrderPayment>(tenantId, {
    name: 'read-work-order-payment',
    text: `select ${PAYMENT_COLUMNS} ${PAYMENTS_OF_WORK_ORDER} and p.id = $3
             and (p.status in ('waiting', 'processing') or p.created_at > now() - interval '${FOLLOWED_MINUTES} minutes')`,
    values: [tenantId, workOrderId, id],
  });
  return row;
}

/** Finds an invoice of a work order by its number, whatever its status. */
export async function findWorkOrderInvoice(
  db: Pick<Database, 'read'>,
  { tenantId, workOrderId }: WorkOrderRef,
  invoiceNumber: string,
): Promise<string | undefined> {
  const [row] = await db.read<{ id: string }>(tenantId, {
    name: 'find-work-order-invoice',
    text: `select i.id from invoices i where i.tenant_id = $1 and i.work_order_id = $2 and i.invoice_number = $3`,
    values: [tenantId, workOrderId, invoiceNumber],
  });
  return row?.id;
}
