import { getErrorCode } from '../../shared/platform/errors.js';
import { CliError, describeReason, EXIT, type ExitCode } from './exit-codes.js';

export interface ApiAccess {
  /** The address of the API (ends in /v1) or of the MCP server (ends in /mcp). */
  url: string;
  key: string;
}

interface FailureDetails {
  /** Undefined if the API did not respond. */
  status?: number;
  /** The fields of the request that the error response complains about. */
  fields?: string[];
  retryAfterMs?: number;
}

export class ApiError extends CliError {
  constructor(
    readonly details: FailureDetails,
    { code, message, exit }: { code: string; message: string; exit: ExitCode },
  ) {
    super(code, message, exit);
    this.name = 'ApiError';
  }

  /** True if a retry may succeed: the API sent no response, a 429 or a 5xx. */
  get isTransient(): boolean {
    const { status } = this.details;
    return status === undefined || status === 429 || status >= 500;
  }
}

/** @throws {ApiError} if the status is not 2xx, or the API does not respond */
export async function callApi(
  { url, key }: ApiAccess,
  path: string,
  init: { method?: string; headers?: Record<string, string>; body?: string; signal?: AbortSignal } = {},
): Promise<Response> {
  const headers = { ...init.headers, authorization: `Bearer ${key}` };
  let response: Response;
  try {
    response = await fetch(`${url}${path}`, { ...init, headers, redirect: 'manual' });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ApiError(
      {},
      {
        code: 'api_unreachable',
        message: `The API at ${url} cannot be reached (${describeCause(error)}). Is it running there?`,
        exit: EXIT.unreachable,
      },
    );
  }
  if (response.ok) return response;
  throw toApiError(url, response, await response.text().catch(() => ''));
}

interface ErrorEnvelope {
  error?: { code?: string; message?: string; details?: { field?: string; message?: string }[] };
}

function toApiError(url: string, { status, headers }: Response, text: string): ApiError {
  const { error } = parseEnvelope(text);
  const details = error?.details ?? [];
  const retryAfterMs = Number(headers.get('retry-after')) * 1000;
  const refusal = {
    status,
    fields: details.flatMap(({ field }) => field ?? []),
    ...(retryAfterMs > 0 ? { retryAfterMs } : {}),
  };
  if (!error?.code) {
    const message = `${url} answered ${status}, but not in the API's format. The API's URL ends in /v1.`;
    return new ApiError(refusal, { code: 'no_api', message, exit: EXIT.configuration });
  }
  const why = [error.message, ...details.flatMap(({ message }) => message ?? [])].join(' ');
  if (status === 401 || status === 403) {
    const message = `The API refuses the key (${status}): ${why}`;
    return new ApiError(refusal, { code: 'key_refused', message, exit: EXIT.configuration });
  }
  const exit = status === 429 || status >= 500 ? EXIT.unreachable : EXIT.failed;
  return new ApiError(refusal, { code: error.code, message: `The API answered ${status}: ${why}`, exit });
}

function parseEnvelope(text: string): ErrorEnvelope {
  try {
    return (JSON.parse(text) ?? {}) as ErrorEnvelope;
  } catch {
    return {};
  }
}

/**
 * Returns the code or message of the error's `cause`. The error that `fetch` itself throws only
 * says that the call failed.
 */
export function describeCause(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return getErrorCode(cause) || describeReason(cause);
}
