import {
  ErrorCode,
  isJSONRPCErrorResponse,
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
} from '@modelcontextprotocol/sdk/types.js';

/** Faults that are told at once: the answer must not grow with the nonsense of a message. */
const MAX_TOLD = 20;
/** Characters of one fault: clients choose the names of members. */
const MAX_FAULT = 200;

interface Asked {
  method: string;
  requestId: string;
  /** Told of what is not said to the client. */
  onerror: (error: Error) => void;
}

/** Both SDKs pass on the message of whatever was thrown; only what we wrote ourselves, and what is wrong with the params, may leave. */
export function fitToLeave<Answer extends JSONRPCMessage>(
  answer: Answer,
  { method, requestId, onerror }: Asked,
): Answer | JSONRPCErrorResponse {
  if (!isJSONRPCErrorResponse(answer)) return answer;
  const { code, message, data } = answer.error;
  const faults = data === undefined ? faultsIn(message) : undefined;
  if (faults) {
    const text = `The params of ${method} do not fit: ${faults}.`;
    return { ...answer, error: { code: ErrorCode.InvalidParams, message: text, data: { requestId } } };
  }
  if (code !== ErrorCode.InternalError || data !== undefined) return answer;
  onerror(new Error(`${method} failed (request ${requestId}): ${message}`));
  const text = 'Something went wrong on our side.';
  return { ...answer, error: { code, message: text, data: { code: 'internal_error', requestId } } };
}

/** What the SDK's schemas found, which it tells as JSON; undefined when the message tells of something else. */
function faultsIn(message: string): string | undefined {
  const start = message.search(/\[\s*\{/);
  if (start < 0 || !message.endsWith(']')) return undefined;
  try {
    const issues = JSON.parse(message.slice(start)) as { path?: unknown[]; message?: string }[];
    if (!issues.every(({ path }) => Array.isArray(path))) return undefined;
    const told = issues.slice(0, MAX_TOLD).map(({ path, message: fault }) => {
      const text = `${path?.join('.')}: ${fault}`;
      return text.length > MAX_FAULT
        ? `${Array.from(text.slice(0, MAX_FAULT)).slice(0, -1).join('')}…`
        : text;
    });
    const more = issues.length > MAX_TOLD ? [`and ${issues.length - MAX_TOLD} more`] : [];
    return [...told, ...more].join('; ');
  } catch {
    return undefined;
  }
}
