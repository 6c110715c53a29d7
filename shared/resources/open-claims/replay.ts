import type { Config } from '../../config/config.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { type RecordRef, recordsetSql, refKey } from '../../records/record-refs.js';
import type { ReplayedOperation } from '../../sync/due-operations.js';
import { refreshWaitingClaims } from './refresh.js';
import { buildFollowingFields, findBilledPartners } from './release.js';
import { CLAIM_KIND } from './store.js';

interface ReplayedClaim extends RecordRef {
  invoice_id: string;
  owed_cents: number;
}

/**
 * Sets the amount, the PO and the photos of the claims among replayed operations, because their
 * invoices may have been corrected since the operations failed.
 */
export async function refreshReplayedClaims(
  tx: Transaction,
  operations: readonly ReplayedOperation[],
  { publicUrl }: Pick<Config, 'publicUrl'>,
): Promise<void> {
  const refs = operations
    .filter(({ kind }) => kind === CLAIM_KIND)
    .map(({ tenant_id, local_id: id }) => ({ tenant_id, id }));
  if (refs.length === 0) return;
  const claims = await tx.query<ReplayedClaim>({
    name: 'find-replayed-claims',
    text: `select c.tenant_id, c.id, c.invoice_id, (greatest(0, i.total_cents - i.paid_cents) + c.paid_cents)::float8 as owed_cents
           from ${recordsetSql('tenant_id uuid, id uuid')} join claims c on c.tenant_id = r.tenant_id and c.id = r.id
           join invoices i on i.tenant_id = c.tenant_id and i.id = c.invoice_id`,
    values: [JSON.stringify(refs)],
  });
  const toInvoice = ({ tenant_id, invoice_id: id }: ReplayedClaim) => ({ tenant_id, id });
  const partners = await findBilledPartners(tx, claims.map(toInvoice));
  await refreshWaitingClaims(
    tx,
    claims.flatMap((claim) => {
      const { tenant_id, id, owed_cents } = claim;
      const partner = partners.get(refKey(toInvoice(claim)));
      return partner ? [{ ...buildFollowingFields(partner, owed_cents, publicUrl), tenant_id, id }] : [];
    }),
  );
}
