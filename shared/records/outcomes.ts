import type { CommandOutcome } from '../contracts/command.js';
import type { ErrorBody } from '../platform/errors.js';

export function failedOutcome(error: ErrorBody): CommandOutcome {
  return { ok: false, error };
}

export function notFoundOutcome(resourceLabel: string): CommandOutcome {
  return failedOutcome({
    code: 'not_found',
    message: `No such ${resourceLabel}. Check the id and that it belongs to this account.`,
  });
}
