import type { OpenConnection } from '../../../shared/integrations/contract/connection.js';
import type { SurplusInvoice } from '../../../shared/integrations/contract/motor-club.js';
import { VendorError, type VendorErrorKind } from '../../../shared/integrations/contract/vendor-error.js';
import { newId } from '../../../shared/platform/ids.js';
import type { PolledClaim } from '../../../shared/resources/claims/partner-queries.js';
import { CLAIM_KIND } from '../../../shared/resources/open-claims/store.js';
import { openSyncIssue } from '../../../shared/resources/sync-issues/commands.js';
import type { Step, StepCommand } from '../vendor/step.js';
import { toStepError } from '../vendor/to-step-error.js';
import { getMotorClub } from './get-motor-club.js';

/** What a poll did about second invoices. */
export interface SettledSurplus {
  /** The commands that open the issues. */
  found: StepCommand[];
  /** The first error at the partner. */
  error?: VendorError | undefined;
}

/** After such an error, the partner may still void another invoice. */
const IS_ABOUT_ONE: readonly VendorErrorKind[] = ['refused', 'conflict', 'gone'];

/**
 * Looks for other invoices that bill the same attempt. They arise if the partner shows an invoice
 * whose creation it did not answer only after the worker has created another one. The first poll
 * that shows one opens an issue about it, and a later poll voids it if it is not paid. So a person
 * knows of each void, even if the worker dies.
 */
export async function settleSurplus(
  step: Step,
  connection: OpenConnection,
  { id: claimId, attempt, external_id: known, invoice_number, reported_surplus: reported }: PolledClaim,
): Promise<SettledSurplus> {
  const club = getMotorClub(step);
  const listed = await club
    .findSurplus(connection, { claimId, attempt, known })
    .catch((error) => toStepError(step, error));
  if (listed instanceof VendorError) return { found: [], error: listed };
  const isReported = ({ externalId }: SurplusInvoice) => reported.includes(externalId);
  const found = listed
    .filter((surplus) => !isReported(surplus))
    .map((surplus) => buildIssue(step, { claimId, invoice_number, surplus }));
  let error: VendorError | undefined;
  for (const surplus of listed) {
    if (surplus.isPaid || !isReported(surplus)) continue;
    const failed = await endSurplus(step, connection, surplus);
    error ??= failed;
    if (failed && !IS_ABOUT_ONE.includes(failed.kind)) break;
  }
  return { found, error };
}

async function endSurplus(
  step: Step,
  connection: OpenConnection,
  { externalId }: SurplusInvoice,
): Promise<VendorError | undefined> {
  try {
    await getMotorClub(step).endSurplus(connection, externalId);
    return undefined;
  } catch (error) {
    return toStepError(step, error);
  }
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
      external_id: surplus.externalId,
    },
  };
}
