import type { Command, Outcome } from '../../contracts/command.js';
import type { ApprovalApprove } from '../../contracts/generated.js';
import type { ErrorDetail } from '../../platform/errors.js';
import type { Transaction } from '../../platform/postgres.js';
import { changesSince } from '../changes-since.js';
import type { InvoiceRow } from '../invoices/lifecycle.js';
import { failed } from '../sets.js';
import { type ApprovalContent, type ApprovalRow, contentHash, versionOf } from './store.js';

type ContentUpdate = Partial<Pick<ApprovalContent, 'amount_cents' | 'payload' | 'record_version'>>;

/**
 * Replaces the content of an approval that differs from what the person saw. The approval stays
 * pending, and `changes` lists the differences.
 */
export function renewed(approval: ApprovalRow, renewal: ContentUpdate): ApprovalRow {
  const next = { ...approval, ...renewal };
  const changed = Object.entries(renewal).filter(([field, to]) => approval[field] !== to);
  const before = new Map(approval.changes.map(({ field, from }) => [field, from]));
  const others = approval.changes.filter(({ field }) => !changed.some(([name]) => name === field));
  const changes = changed.map(([field, to]) => ({ field, from: before.get(field) ?? approval[field], to }));
  return { ...next, hash: contentHash(next), changes: [...others, ...changes] };
}

/** Refuses a decision because the content has changed since the person saw it. */
export function conflict(message: string, details: ErrorDetail[]): Outcome {
  return failed({ code: 'conflict', message, details });
}

/**
 * Returns a 409 and the current content if the invoice has changed since the approval was shown;
 * otherwise undefined.
 */
export async function staleRecord(
  tx: Transaction,
  approval: ApprovalRow,
  invoice: InvoiceRow | undefined,
): Promise<{ outcome: Outcome; renewal: ContentUpdate } | undefined> {
  if (!invoice || approval.record_version === null) return undefined;
  const [from, to] = [versionOf(approval.record_version), versionOf(invoice.updated_at)];
  if (from === to) return undefined;
  const found = await changesSince(tx, {
    tenantId: approval.tenant_id,
    entityType: 'invoice',
    entityId: invoice.id,
    version: from,
  });
  const details = found.length > 0 ? found : [{ field: 'record_version', from, to }];
  const isProposal = approval.kind === 'invoice_approval';
  return {
    outcome: conflict(
      'The invoice has changed since this was shown. Read it again before you decide.',
      details,
    ),
    renewal: { record_version: to, ...(isProposal ? { amount_cents: invoice.total_cents } : {}) },
  };
}

/**
 * Returns a 409 if the decision's hash differs from the hash of the current content. A decision
 * without a hash refers to the content as first shown.
 */
export function hashFault({ input }: Command<ApprovalApprove>, approval: ApprovalRow): Outcome | undefined {
  if (input.hash === approval.hash) return undefined;
  if (input.hash === undefined && approval.changes.length === 0) return undefined;
  const details: ErrorDetail[] =
    approval.changes.length > 0 ? approval.changes : [{ field: 'hash', from: input.hash, to: approval.hash }];
  return conflict(
    'The approval has changed since you read it. Read it again and send its current hash.',
    details,
  );
}
