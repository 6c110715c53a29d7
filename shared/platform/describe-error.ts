import { getErrorCode } from './errors.js';
import { redactText } from './logger.js';

const MAX_CHARS = 500;

/**
 * The text of an error for operators, without secrets and cut to 500 characters. When connecting to
 * several addresses fails, the error has a code but no message.
 */
export function describeError(error: unknown): string {
  const text = error instanceof Error ? error.message || getErrorCode(error) : String(error);
  // Redacted before the cut: the patterns would not recognize a truncated secret.
  return redactText(text || 'no reason given').slice(0, MAX_CHARS);
}
