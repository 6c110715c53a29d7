import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { ErrorBody, ErrorCode } from '../../shared/platform/errors.js';
import type { JsonObject } from '../text/format.js';

/**
 * Builds a result with texts and a structured object. Some clients show only the texts, others only
 * the object (docs/decisions.md §6, MCP results).
 */
export function toSuccessResult(structuredContent: JsonObject, ...texts: (string | null)[]): CallToolResult {
  const content = texts.flatMap((text) => (text === null ? [] : [{ type: 'text' as const, text }]));
  return { content, structuredContent };
}

/** Maps error codes to the next step for the model. */
export const NEXT_STEPS: Partial<Record<ErrorCode, string>> = {
  validation_error: 'Correct the named arguments and call the tool again; nothing was stored.',
  line_total_mismatch: 'Correct the named lines and call the tool again; nothing was stored.',
  invalid_cursor: 'Call the list again without cursor.',
  invalid_idempotency_key: 'Send a UUID as idempotency_key and call the tool again; nothing was stored.',
  insufficient_scope:
    'Ask a person to give this agent key the scope in details; do not try again until then.',
  read_only_key: 'This key may only read. Tell the person what you wanted to write.',
  forbidden: 'A person has to do this.',
  not_found: 'Use an id from a list tool of this account.',
  conflict: 'Read the record again, then decide what to do.',
  duplicate_invoice_number: 'Call the tool again; it takes the next number.',
  approval_already_pending: 'A person has already been asked to approve this; wait for their decision.',
  invalid_status_transition: 'Read the record: its status does not allow this.',
  invoice_locked: 'Read the invoice: its status does not allow changes any more.',
  idempotency_key_reused:
    'This idempotency_key was used for another action. Use a new key for a new action; reuse a key only to retry the same action.',
  idempotency_in_progress:
    'The same call is still running. Wait a second and call again with the same idempotency_key.',
  rate_limited: 'Wait as long as the message says, then call again.',
  service_unavailable: 'Wait a moment and call again with the same idempotency_key.',
  internal_error:
    'Try once more with the same idempotency_key; if it fails again tell a person the requestId.',
};

/**
 * Builds an error result. Its only text contains REST's error object and the next step
 * (docs/decisions.md §6).
 */
export function toErrorResult(error: ErrorBody, requestId: string): CallToolResult {
  const next_step = NEXT_STEPS[error.code];
  return {
    content: [
      { type: 'text', text: JSON.stringify({ ...error, requestId, ...(next_step ? { next_step } : {}) }) },
    ],
    isError: true,
  };
}
