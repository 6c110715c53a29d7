import type { CommandOutcome } from '../contracts/command.js';
import { type ErrorBody, notFound } from '../platform/errors.js';

export function failedOutcome(error: ErrorBody): CommandOutcome {
  return { ok: false, error };
}

export function notFoundOutcome(resourceLabel: string): CommandOutcome {
  return failedOutcome(notFound(resourceLabel).toBody());
}
