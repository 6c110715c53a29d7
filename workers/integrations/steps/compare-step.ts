import { RECONCILIATION_STREAM } from '../../../shared/integrations/contract/vendor.js';
import type { VendorError } from '../../../shared/integrations/contract/vendor-error.js';
import { isTransientDatabaseError } from '../../../shared/platform/errors.js';
import {
  endReconciliations,
  lockReconciliation,
  type Reconciliation,
  storeReconciliationFailure,
} from '../../../shared/resources/books/reconciliation/rows.js';
import { comparePage } from '../books/compare-page.js';
import { recordRun } from '../records/store-changes.js';
import type { Step } from '../vendor/step.js';
import { isHopeless, toStepError } from '../vendor/to-step-error.js';
import { RETRY_MS } from './pull-step.js';

/** With the pauses of the circuit breaker, these tries take some three hours. */
const MAX_FAILURES = 20;

/** Reads one page of a comparison of months with the books. */
export async function runComparison(step: Step, reconciliation: Reconciliation): Promise<void> {
  const startedAt = new Date();
  try {
    await comparePage(step, reconciliation);
  } catch (cause) {
    const isOurs = isTransientDatabaseError(cause);
    await storeFailure(step, reconciliation, { error: toStepError(step, cause), startedAt, isOurs });
  }
}

/** Tries the page again later, or ends the comparison if that would not help. */
async function storeFailure(
  step: Step,
  { id, failures: before }: Reconciliation,
  { error, startedAt, isOurs }: { error: VendorError; startedAt: Date; isOurs: boolean },
): Promise<void> {
  const { kind, message, retryAfterMs = 0 } = error;
  const isEnded = !isOurs && isHopeless(error);
  const canRefresh = step.planTokenRefresh(error);
  // Limits and refused credentials concern all calls, not this page. They pass, or a person acts.
  const failures = before + (kind === 'limit' || kind === 'auth' ? 0 : 1);
  const { tenantId, connectionId } = step.connection;
  await step.finish({
    error: canRefresh || isOurs || isEnded ? null : error,
    async store(tx) {
      recordRun(tx, step, { stream: RECONCILIATION_STREAM, startedAt, state: 'failed', error: message });
      if (!(await lockReconciliation(tx, step.connection, id))) return;
      const inMs = canRefresh ? 0 : Math.max(RETRY_MS, retryAfterMs);
      if (kind === 'refused' || isEnded || failures >= MAX_FAILURES)
        await endReconciliations(tx, [{ tenant_id: tenantId, id: connectionId }], { error: message });
      else await storeReconciliationFailure(tx, step.connection, { id, failures, error: message, inMs });
    },
  });
}
