import type { Transaction } from '../../../platform/postgres/database.js';
import { nextUpdatedAtSql } from '../../../records/lock-records.js';
import { type RecordRef, recordsetSql } from '../../../records/record-refs.js';

export interface InvoiceTotals extends RecordRef {
  subtotal_cents: number;
  tax_cents: number;
  total_cents: number;
}

export async function storeInvoiceTotals(tx: Transaction, invoices: readonly InvoiceTotals[]): Promise<void> {
  await tx.query({
    name: 'reprice-invoices',
    text: `update invoices t set subtotal_cents = r.subtotal_cents, tax_cents = r.tax_cents, total_cents = r.total_cents,
             updated_at = ${nextUpdatedAtSql('t')}
           from ${recordsetSql('tenant_id uuid, id uuid, subtotal_cents bigint, tax_cents bigint, total_cents bigint')}
           where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(invoices)],
  });
}

export async function storePoNumbers(
  tx: Transaction,
  invoices: readonly (RecordRef & { po_number: string | null | undefined })[],
): Promise<void> {
  await tx.query({
    name: 'set-invoice-pos',
    text: `update invoices t set po_number = r.po_number, updated_at = ${nextUpdatedAtSql('t')}
           from ${recordsetSql('tenant_id uuid, id uuid, po_number text')} where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(invoices)],
  });
}
