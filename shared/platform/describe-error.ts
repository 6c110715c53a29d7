import { getErrorCode } from './errors.js';
import { redactText } from './logger.js';

const MAX_CHARS = 500;

/**
 * Returns the text of an error for operators, without secrets and cut to 500 characters. If the
 * error has no message, returns its code. For example, Node's error for a failed connection to
 * several addresses has no message.
 */
export function describeError(error: unknown): string {
  const text = error instanceof Error ? error.message || getErrorCode(error) : String(error);
  // Redact before the cut, because the patterns would not recognize a truncated secret.
  return redactText(text || 'no reason given').slice(0, MAX_CHARS);
}
