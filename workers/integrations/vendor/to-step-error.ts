import { VendorError } from '../../../shared/integrations/contract/vendor-error.js';
import { LeaseLostError, type Step } from './step.js';

/**
 * Converts an error of a step to a VendorError. After an error in this service's own code, the
 * outcome at the vendor is unknown. So the worker may repeat a write only under the same
 * idempotency key.
 * @throws {LeaseLostError} if `error` is one, because another process then continues the work
 */
export function toStepError(step: Step, error: unknown): VendorError {
  if (error instanceof VendorError) return error;
  if (error instanceof LeaseLostError) throw error;
  const { logger } = step.services.runtime;
  const { tenantId, connectionId, vendor } = step.connection;
  logger.error(
    { err: error, tenant: tenantId, connection: connectionId, vendor },
    'a step of a connection failed',
  );
  return new VendorError('Something went wrong on our side.', { kind: 'unknown_outcome', code: 'internal' });
}

/** A page that is too large, or that this service cannot read, is the same at the next try. */
const HOPELESS: readonly string[] = ['too_long', 'internal'];

/** True if the read itself fails, which shows nothing about the vendor's health. */
export function isHopeless({ code }: VendorError): boolean {
  return HOPELESS.includes(code);
}
