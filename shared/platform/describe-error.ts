import { errorCodeOf } from './errors.js';
import { redactText } from './logger.js';

const MAX_CHARS = 500;

/**
 * What an error says, for operators: without secrets and cut to 500 characters. A failed connection
 * to several addresses has a code but no message of its own.
 */
export function describeError(error: unknown): string {
  const text = error instanceof Error ? error.message || errorCodeOf(error) : String(error);
  // Redacted first: of a secret that is cut in two, no pattern would know the first part.
  return redactText(text || 'no reason given').slice(0, MAX_CHARS);
}
