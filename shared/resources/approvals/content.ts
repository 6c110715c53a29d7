import type { Command, CommandOutcome } from '../../contracts/command.js';
import type { ApprovalApprove } from '../../contracts/generated.js';
import type { ErrorDetail } from '../../platform/errors.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { findChangesSince } from '../../records/changes-since.js';
import { failedOutcome } from '../../records/outcomes.js';
import type { InvoiceRow } from '../invoices/handlers/lifecycle.js';
import {
  type ApprovalContent,
  type ApprovalRow,
  hashApprovalContent,
  toVersion,
} from '../pending-approvals/store.js';

type ContentUpdate = Partial<Pick<ApprovalContent, 'amount_cents' | 'payload' | 'record_version'>>;

/**
 * Returns the approval with new content and a new hash. `changes` then lists each difference from
 * the content that was first shown.
 */
export function renewApproval(approval: ApprovalRow, renewal: ContentUpdate): ApprovalRow {
  const next = { ...approval, ...renewal };
  const changed = Object.entries(renewal).filter(([field, to]) => approval[field] !== to);
  const before = new Map(approval.changes.map(({ field, from }) => [field, from]));
  const others = approval.changes.filter(({ field }) => !changed.some(([name]) => name === field));
  const changes = changed.map(([field, to]) => ({ field, from: before.get(field) ?? approval[field], to }));
  return { ...next, hash: hashApprovalContent(next), changes: [...others, ...changes] };
}

export function conflictOutcome(message: string, details: ErrorDetail[]): CommandOutcome {
  return failedOutcome({ code: 'conflict', message, details });
}

/**
 * Returns a 409 error and the new content, if the invoice has changed since the approval was shown.
 */
export async function findStaleInvoice(
  tx: Transaction,
  approval: ApprovalRow,
  invoice: InvoiceRow | undefined,
): Promise<{ outcome: CommandOutcome; renewal: ContentUpdate } | undefined> {
  if (!invoice || approval.record_version === null) return undefined;
  const [from, to] = [toVersion(approval.record_version), toVersion(invoice.updated_at)];
  if (from === to) return undefined;
  const found = await findChangesSince(tx, {
    tenantId: approval.tenant_id,
    entityType: 'invoice',
    entityId: invoice.id,
    version: from,
  });
  const details = found.length > 0 ? found : [{ field: 'record_version', from, to }];
  const isProposal = approval.kind === 'invoice_approval';
  return {
    outcome: conflictOutcome(
      'The invoice has changed since this was shown. Read it again before you decide.',
      details,
    ),
    renewal: { record_version: to, ...(isProposal ? { amount_cents: invoice.total_cents } : {}) },
  };
}

/**
 * Returns a 409 error if the decision does not refer to the approval's current content. A decision
 * without a hash refers to the content that was shown first.
 */
export function checkContentHash(
  { input }: Command<ApprovalApprove>,
  approval: ApprovalRow,
): CommandOutcome | undefined {
  if (input.hash === approval.hash) return undefined;
  if (input.hash === undefined && approval.changes.length === 0) return undefined;
  const details: ErrorDetail[] =
    approval.changes.length > 0 ? approval.changes : [{ field: 'hash', from: input.hash, to: approval.hash }];
  return conflictOutcome(
    'The approval has changed since you read it. Read it again and send its current hash.',
    details,
  );
}
