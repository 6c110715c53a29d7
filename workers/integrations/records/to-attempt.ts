import type { WriteAttempt } from '../../../shared/integrations/contract/messaging.js';
import type { StartedOperation } from '../../../shared/sync/operation-rows.js';

export function toAttempt({
  operation_key: operationKey,
  may_have_arrived: mayHaveArrived,
  first_attempt_at,
}: StartedOperation): WriteAttempt {
  return { operationKey, mayHaveArrived, firstAttemptAt: new Date(first_attempt_at) };
}
