import type { Config } from '../../../config/config.js';
import type { Command, CommandOutcome } from '../../../contracts/command.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import { nextUpdatedAtSql } from '../../../records/lock-records.js';
import { type RecordRef, recordsetSql } from '../../../records/record-refs.js';
import { type PartnerRelease, storePartnerReleases } from '../../open-claims/release.js';
import { promptPartner } from '../../open-claims/store.js';
import { type PlannedSending, promptProviders } from '../../planned-messages/plan.js';
import { type applyMove, type InvoiceRow, storeLifecycle } from './lifecycle.js';
import { isSentAtOnce, storeInvoiceMessages } from './send.js';

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

/** A transition that has passed all checks and is not stored yet. */
export interface PlannedMove {
  command: Command;
  row: InvoiceRow;
  changes: ReturnType<typeof applyMove>['changes'];
  sending: PlannedSending | undefined;
  /** Set if the invoice goes to a billing partner. The customer then gets no message. */
  release?: PartnerRelease;
}

export async function storeInvoiceMoves(
  tx: Transaction,
  planned: PlannedMove[],
  config: Config,
): Promise<void> {
  const releases = planned.flatMap(({ release }) => release ?? []);
  await Promise.all([
    storeLifecycle(
      tx,
      planned.map(({ row }) => row),
      new Set(planned.flatMap(({ row, sending, release }) => (sending || release ? [row.id] : []))),
    ),
    storePartnerReleases(tx, releases, config),
    storeInvoiceMessages(
      tx,
      planned.flatMap(({ sending }) => (sending ? [sending] : [])),
    ),
  ]);
}

export function toMoveOutcome({ changes, sending, release }: PlannedMove): CommandOutcome {
  if (release)
    return { ok: true, changes, events: [], prompts: [promptPartner(release.partner.connectionId)] };
  if (!sending) return { ok: true, changes, events: [] };
  return {
    ok: true,
    changes,
    // If a provider must still accept the message, do not record `invoice.sent` now. The command
    // that records the acceptance also records `invoice.sent` (docs/decisions.md §1, row 4).
    events: isSentAtOnce(sending) ? [{ type: 'invoice.sent' }] : [],
    prompts: promptProviders(sending.messages),
  };
}
