import type { SavedMethodState } from '../../integrations/contract/saved-methods.js';
import type { SavedMethodReport } from './commands.js';

const STATUSES = {
  verifying: 'verifying',
  usable: 'active',
  attached: 'attached',
  detached: 'removed',
  failed: 'failed',
} as const;

/** Converts a vendor's description of a payment method into the report that is stored. */
export function toSavedMethodReport(
  externalId: string,
  state: SavedMethodState,
): Omit<SavedMethodReport, 'observed_at'> {
  const { status, type, brand, last4, expMonth, expYear, verificationUrl, failureReason } = state;
  return {
    status: STATUSES[status],
    type,
    brand,
    last4,
    exp_month: expMonth,
    exp_year: expYear,
    provider_method_id: externalId,
    ...(state.customerExternalId === null ? {} : { provider_customer_id: state.customerExternalId }),
    ...(status === 'attached' || status === 'detached'
      ? {}
      : { verification_url: verificationUrl, error: failureReason }),
  };
}
