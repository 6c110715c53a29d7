import {
  ErrorCode,
  isJSONRPCErrorResponse,
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
} from '@modelcontextprotocol/sdk/types.js';

/** Maximum number of schema errors in a response. */
const MAX_ERRORS = 20;
/** Maximum length of a schema error. Its text contains member names that clients choose. */
const MAX_ERROR_CHARS = 200;

interface ErrorContext {
  method: string;
  requestId: string;
  /** Receives the error that is hidden from the client. */
  onerror: (error: Error) => void;
}

/**
 * Replaces the text of an internal error. Both SDKs send the text of every error that a handler
 * throws, and that text may contain secrets. An error with `data` stays unchanged, because this
 * server has built it. If an SDK found the client's params invalid, its schema errors become one
 * readable text.
 */
export function sanitizeErrorResponse<Answer extends JSONRPCMessage>(
  answer: Answer,
  { method, requestId, onerror }: ErrorContext,
): Answer | JSONRPCErrorResponse {
  if (!isJSONRPCErrorResponse(answer)) return answer;
  const { code, message, data } = answer.error;
  const schemaErrors = data === undefined ? parseSchemaErrors(message) : undefined;
  if (schemaErrors) {
    const text = `The params of ${method} are invalid: ${schemaErrors}.`;
    return { ...answer, error: { code: ErrorCode.InvalidParams, message: text, data: { requestId } } };
  }
  if (code !== ErrorCode.InternalError || data !== undefined) return answer;
  onerror(new Error(`${method} failed (request ${requestId}): ${message}`));
  const text = 'Something went wrong on our side.';
  return { ...answer, error: { code, message: text, data: { code: 'internal_error', requestId } } };
}

/**
 * Returns the schema errors in an SDK's error text as one readable text. The SDK puts schema errors
 * at the end of its text, as a JSON array. Returns undefined if the text has no schema errors.
 */
function parseSchemaErrors(message: string): string | undefined {
  const start = message.search(/\[\s*\{/);
  if (start < 0 || !message.endsWith(']')) return undefined;
  try {
    const issues = JSON.parse(message.slice(start)) as { path?: unknown[]; message?: string }[];
    if (!issues.every(({ path }) => Array.isArray(path))) return undefined;
    const listed = issues.slice(0, MAX_ERRORS).map(({ path, message: problem }) => {
      const text = `${path?.join('.')}: ${problem}`;
      return text.length > MAX_ERROR_CHARS
        ? `${Array.from(text.slice(0, MAX_ERROR_CHARS)).slice(0, -1).join('')}…`
        : text;
    });
    const more = issues.length > MAX_ERRORS ? [`and ${issues.length - MAX_ERRORS} more`] : [];
    return [...listed, ...more].join('; ');
  } catch {
    return undefined;
  }
}
