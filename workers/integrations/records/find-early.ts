import type { Change } from '../../../shared/integrations/contract/connection.js';
import type { Transaction } from '../../../shared/platform/postgres/database.js';
import { findVendorPayments } from '../../../shared/resources/payments/refund-rows.js';
import type { StepConnection } from '../../../shared/sync/begin-step.js';

/** Finds the changes that refer to a payment that is not stored yet. */
export async function findEarly<State extends { paymentExternalId: string }>(
  tx: Transaction,
  { tenantId: tenant_id, connectionId: connection_id }: StepConnection,
  changes: readonly Change<State>[],
): Promise<Change<State>[]> {
  const known = await findVendorPayments(
    tx,
    changes.map(({ fields }) => ({
      tenant_id,
      connection_id,
      provider_payment_id: fields.paymentExternalId,
    })),
  );
  return changes.filter(({ fields }) => !known.has(`${connection_id}/${fields.paymentExternalId}`));
}
