import type { Config } from '../../../config/config.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import { diffPatch } from '../../../records/changes.js';
import { refKey } from '../../../records/record-refs.js';
import { findOutdatedFields } from '../../open-claims/refresh.js';
import { buildFollowingFields, findBilledPartners } from '../../open-claims/release.js';
import type { ClaimChangeSet } from '../claim-row.js';

/**
 * Sets the amount, the PO and the photos of claims that wait to be sent to a partner, because their
 * invoices may have been corrected. The caller has locked the claims and the invoices.
 */
export async function refreshFromInvoices(
  tx: Transaction,
  courses: readonly ClaimChangeSet[],
  { publicUrl }: Pick<Config, 'publicUrl'>,
): Promise<void> {
  const waiting = courses.filter(
    ({ row, hasPartner }) => hasPartner && ['queued', 'denied', 'rebilling'].includes(row.status),
  );
  const partners = await findBilledPartners(
    tx,
    waiting.map(({ invoice: { tenant_id, id } }) => ({ tenant_id: tenant_id as string, id: id as string })),
  );
  const claims = waiting.flatMap(({ row, invoice }) => {
    const partner = partners.get(refKey(invoice));
    if (!partner) return [];
    const owed = Math.max(0, invoice.total_cents - invoice.paid_cents) + row.paid_cents;
    const { tenant_id, id } = row;
    return [{ ...buildFollowingFields(partner, owed, publicUrl), tenant_id, id }];
  });
  const outdated = await findOutdatedFields(tx, claims);
  for (const course of waiting) {
    const changes = diffPatch(course.row, outdated.get(refKey(course.row)) ?? {});
    course.set(Object.fromEntries(changes.map(({ field, to }) => [field, to])));
  }
}
