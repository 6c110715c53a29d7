import type { OpenConnection } from '../../../shared/integrations/contract/connection.js';
import type { SurplusInvoice } from '../../../shared/integrations/contract/motor-club.js';
import { newId } from '../../../shared/platform/ids.js';
import type { PolledClaim } from '../../../shared/resources/claims/partner-queries.js';
import { CLAIM_KIND } from '../../../shared/resources/open-claims/store.js';
import { openSyncIssue } from '../../../shared/resources/sync-issues/commands.js';
import type { Step, StepCommand } from '../vendor/step.js';
import { getMotorClub } from './get-motor-club.js';

/**
 * Looks for other invoices that bill the same attempt. They arise if the partner shows an invoice
 * whose creation it did not answer only after the worker has created another one. The first poll
 * opens an issue about them, and a later one voids those that are not paid. So a person knows of
 * each void, even if the worker dies.
 * @returns the commands that open the issues
 */
export async function settleSurplus(
  step: Step,
  connection: OpenConnection,
  { id: claimId, attempt, external_id: known, invoice_number, is_surplus_reported }: PolledClaim,
): Promise<StepCommand[]> {
  const club = getMotorClub(step);
  const found = await club.findSurplus(connection, { claimId, attempt, known });
  if (!is_surplus_reported)
    return found.map((surplus) => buildIssue(step, { claimId, invoice_number, surplus }));
  for (const { externalId, isPaid } of found) if (!isPaid) await club.endSurplus(connection, externalId);
  return [];
}

function buildIssue(
  { connection, vendor }: Step,
  { claimId, invoice_number, surplus }: { claimId: string; invoice_number: string; surplus: SurplusInvoice },
): StepCommand {
  const { label } = vendor.manifest;
  const name = surplus.number ?? surplus.externalId;
  const next = surplus.isPaid
    ? `${name} is paid. Record that payment here, or refund it there`
    : `The worker voids ${name} at its next poll. If the club pays it before, record or refund the payment`;
  return {
    type: openSyncIssue.type,
    entityId: newId(),
    input: {
      connection_id: connection.connectionId,
      kind: 'conflict',
      operation_id: null,
      record_kind: CLAIM_KIND,
      record_id: claimId,
      message: `${label} has a second invoice, ${name}, for the claim of invoice ${invoice_number}, because it did not answer a creation. ${next}.`,
    },
  };
}
